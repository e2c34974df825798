// The view of motions: the arm is driven, taught and planned for; tables, bodies, curves, messages.
import { armName } from "../arm_name";
import { make } from "../dom";
import { armChoices, fileLine } from "../filing";
import { Ghosts } from "../ghosts";
import { Overlay } from "../lines";
import type { Answer, ArmStaged, Command, StagePosed, ViewedGeometry } from "../messages";
import { unpacked } from "../numbers";
import { type Motion, motionOf, Player } from "../player";
import { Latest, StagedArm } from "../staged";
import type { Studio, StudioView } from "../views";
import { bodiesText, BodyList, editedBodies, normalStrokes } from "./bodies";
import { Control, type Frame, JOINTS } from "./control";
import { Curves } from "./curves";
import { Drive } from "./drive";
import { Grid } from "./grid";
import { EXAMPLE, type Kept, remembered, save } from "./memory";
import { drawPath, legend } from "./path";
import { rulesOf, Settings } from "./settings";
import { type Cells, EMPTY, jointsCell, POINTS, ROWS, rowAt, rulesIn, type Sheet, sheetOf, sheetText } from "./sheet";
import { Tabs } from "./tabs";
import { Teaching } from "./teaching";
import { showTool } from "./tool_line";

const PAUSE = 400; // [ms] after the last letter
export function open(root: HTMLElement, studio: Studio): StudioView {
  return new MotionView(root, studio);
}

class MotionView implements StudioView {
  private state: Kept = remembered();
  private arm: StagedArm;
  private overlay: Overlay;
  private normals: Overlay;
  private ghosts: Ghosts;
  private player: Player;
  private drive: Drive;
  private control: Control;
  private curves = new Curves();
  private rows: Grid;
  private points: Grid;
  private bodies: BodyList;
  private settings = new Settings();
  private arms = make("select", "", { id: "motion-arm", "aria-label": "Arm" });
  private log = make("ol", "", { class: "log", id: "motion-log", "aria-live": "polite", "aria-label": "Messages" });
  private tool = make("div", "", { class: "motion-tool", id: "motion-tool", "aria-label": "Tool position" });
  private tableWrong = make("p", "", { class: "complaint", id: "motion-table-problem", role: "alert" });
  private pointsWrong = make("p", "", { class: "complaint", role: "alert" });
  private bodiesWrong = make("p", "", { class: "complaint", id: "motion-bodies-problem", role: "alert" });
  private settingsWrong = make("p", "", { class: "complaint", id: "motion-settings-problem", role: "alert" });
  private tabs = new Tabs();
  private staged: ArmStaged | null = null;
  private planned: Motion | null = null;
  private pose: StagePosed | null = null;
  private started = false;
  private teaching = new Teaching(this.state);
  private jogs = Promise.resolve();
  private typing = 0;
  private poses = new Latest<Answer>((answer) => this.posed(answer));
  private wishes = new Latest<Answer>((answer) => this.wished(answer));
  private plans = new Latest<Answer>((answer) => this.previewed(answer));

  constructor(
    root: HTMLElement,
    private studio: Studio,
  ) {
    const left = make("div", "", { class: "motion-left" });
    const stage = make("section", "", { class: "staged", "aria-label": "Arm" });
    const canvas = make("canvas", "", {
      id: "motion-canvas",
      tabindex: "0",
      "aria-label": "3-D view: drag to turn, shift and drag to move, wheel to zoom",
    });
    stage.append(canvas, legend());
    left.append(stage, this.curves.element);
    const aside = make("aside", "", { class: "motion-aside" });
    root.append(left, aside);
    this.arm = new StagedArm(studio, canvas);
    this.overlay = new Overlay(this.arm.view);
    this.normals = new Overlay(this.arm.view);
    this.ghosts = new Ghosts(this.arm.view);
    this.player = new Player(this.arm);
    this.drive = new Drive(this.player);
    this.control = this.controls();
    const files = fileLine(studio, "table", [".toml", ".csv"], (text, file) => void this.openTable(text, file), (file) => this.tableFor(file));
    this.rows = new Grid("Trajectories", ROWS, (last) => this.nextRow(last));
    this.points = new Grid("Helppoints", POINTS, (last) => ({ name: last?.name ?? "H1", x: "0", y: "0", z: "0" }));
    const bodyFiles = fileLine(studio, "bodies", [".toml"], (text) => void this.openBodies(text), () => this.bodiesToml);
    this.bodies = new BodyList();
    const head = make("div", "", { class: "motion-head" });
    const choice = make("label", "", { class: "field" });
    choice.append(make("span", "Arm"), this.arms, armName(this.arms, "motion-arm-name"));
    head.append(choice, this.tool, this.control.driving);
    aside.append(head, this.tabs.element, this.log);
    this.tabs.fill("control", this.control.element);
    this.tabs.fill("trajectories", files.element, this.rows.element, this.tableWrong, hint("Numbers are mm and °; another unit may be typed behind them, such as 0.4 m."));
    this.tabs.fill("help", this.points.element, this.pointsWrong);
    this.tabs.fill("bodies", bodyFiles.element, this.bodies.element, this.bodiesWrong);
    this.tabs.fill("settings", this.settings.element, this.settingsWrong);
    this.wire();
    Object.defineProperty(window, "armwerkMotion", { configurable: true, get: () => this.seen });
  }

  show(subject: string): void {
    if (this.started && subject === "") return;
    if (subject !== "") this.state.arm = subject;
    this.started = true;
    this.tabs.open(this.state.tab);
    this.say("Jog the arm, or Send all and Start; Halt (Esc) brakes at once.");
    void this.choose(this.state.arm);
  }

  hide(): void {
    this.drive.stop();
  }

  // arm and bodies --------------------------------------------------------------------------------

  private async choose(name: string): Promise<void> {
    this.state.arm = name;
    await armChoices(this.studio, this.arms, name);
    const sheet = (this.state.sheets[name] ??= structuredClone(name === "five_axis" ? EXAMPLE : EMPTY));
    this.rows.show(sheet.rows);
    this.points.show(sheet.points);
    this.settings.show(sheet.settings, this.state.rules);
    this.drive.place([]);
    this.staged = null;
    if (!(await this.stage()) && this.bodiesWrong.textContent !== "") this.say(this.bodiesWrong.textContent ?? "", "problem");
    await this.openBodies(this.bodiesToml, false);
    this.control.positionsTaught(this.teaching.positions.length, false);
    this.arrange();
    this.listRows();
    this.preview();
  }

  /** Show arm and bodies anew; the arm stays where it is. */
  private async stage(): Promise<boolean> {
    const staged = await this.arm.show(this.state.arm, this.bodiesToml, (problem) => (this.bodiesWrong.textContent = problem));
    if (staged === null) return false;
    const other = this.staged?.arm !== staged.arm;
    this.staged = staged;
    const geometry: ViewedGeometry = { ...staged.geometry, type: "ViewedGeometry" };
    this.ghosts.show(geometry);
    if (other) {
      const before = this.state.q[staged.arm] ?? [];
      const q = before.length === staged.joints.length ? before : staged.rest;
      this.drive.place(q);
      this.control.show(staged, q);
      this.curves.arm(staged.joints);
      this.overlay.clear();
      this.planned = null;
    }
    this.look();
    return true;
  }

  private get bodiesToml(): string {
    return this.state.bodies[this.state.arm] ?? "";
  }

  private async openBodies(text: string, edited = true): Promise<void> {
    const answer = text.trim() === "" ? null : await this.studio.ask({ type: "ReadBodies", text });
    if (answer !== null && answer.result?.type !== "BodiesContents") {
      this.bodiesWrong.textContent = answer.problem;
      return;
    }
    this.bodies.show(answer?.result?.type === "BodiesContents" ? editedBodies(answer.result.bodies) : []);
    this.drawNormals();
    if (!edited) return;
    this.state.bodies[this.state.arm] = text;
    this.save();
    if (await this.stage()) this.preview();
  }

  private drawNormals(): void {
    this.normals.clear();
    const lines = normalStrokes(this.bodies.bodies);
    if (lines.length > 0) this.normals.strokes(lines, "#d6336c");
  }

  // where the arm is ------------------------------------------------------------------------------

  /** Ask where everything is; while it moves, only for the numbers. */
  private look(): void {
    const { q } = this.drive;
    if (this.staged === null || q.length !== this.staged.joints.length) return;
    this.poses.ask(() => this.studio.ask({ type: "PoseStage", arm: this.state.arm, bodies: this.bodiesToml, q }));
  }

  private posed(answer: Answer): void {
    if (answer.result?.type !== "StagePosed") return;
    this.pose = answer.result;
    if (!this.player.plays) this.arm.posed(answer.result);
    this.control.at(this.drive.q, answer.result);
    showTool(this.tool, answer.result);
  }

  private wished(answer: Answer): void {
    if (answer.result?.type === "StagePosed") this.ghosts.place(unpacked(answer.result.poses), ["#2f81f7"]);
  }

  // plans -----------------------------------------------------------------------------------------

  private get common(): { arm: string; bodies: string; rules: ReturnType<typeof rulesOf> } {
    return { arm: this.state.arm, bodies: this.bodiesToml, rules: rulesOf(this.state.rules) };
  }

  /** Ask for a plan; null: it was refused or touches something, which has been said. */
  private async plan(command: Command, what: string): Promise<Motion | null> {
    const answer = await this.studio.ask(command);
    if (answer.result?.type !== "SampledMotion") {
      this.say(`${what}: ${answer.problem}`, "problem");
      return null;
    }
    const motion = motionOf(answer.result);
    this.draw(motion);
    for (const remark of motion.plan.remarks) this.say(remark.text);
    if (motion.plan.touch === null) return motion;
    this.say(`${what} discarded: ${motion.plan.touch.text}`, "problem");
    return null;
  }

  private async go(command: Command, what: string): Promise<void> {
    const refusal = this.drive.refusal();
    if (refusal !== "") {
      this.say(refusal, "problem");
      return;
    }
    const motion = await this.plan(command, what);
    if (motion !== null && this.drive.refusal() === "") this.drive.replace([motion]);
  }

  /** Make a step; steps that are asked for while one is made come after it. */
  private async jog(frame: Frame, axis: number, step: number): Promise<void> {
    const { drive } = this;
    if (drive.state !== "moving") {
      await this.go({ type: "PlanJog", ...this.common, q: drive.q, frame, axis, step }, "jog");
      return;
    }
    const motion = await this.plan({ type: "PlanJog", ...this.common, q: drive.end, frame, axis, step }, "jog");
    if (motion !== null) drive.follow(motion);
  }

  private async send(row: number | null): Promise<void> {
    const { sheet } = this;
    const chosen = row === null ? sheet.rows : sheet.rows.slice(row, row + 1);
    if (chosen.length === 0) return;
    if (this.drive.state === "halted") {
      this.say(this.drive.refusal(), "problem");
      return;
    }
    const what = row === null ? "table" : `trajectory ${row + 1}`;
    const q = this.drive.end;
    const motion = await this.plan({ type: "PlanTable", ...this.common, table: sheetText(sheet, chosen), q }, what);
    if (motion === null) return;
    if (this.drive.end.some((value, k) => Math.abs(value - (q[k] ?? 0)) > 1e-6)) {
      this.say(`${what}: the arm has moved meanwhile; send it again`, "problem");
      return;
    }
    this.drive.push(motion);
    this.say(`${what} queued: ${motion.plan.duration.toFixed(2)} s`);
  }

  private async restart(): Promise<void> {
    const { program } = this.drive;
    const first = program[0];
    if (first === undefined) {
      this.say("nothing has run yet", "problem");
      return;
    }
    const goal = Array.from(first.position.subarray(0, first.joints));
    const { q } = this.drive;
    if (goal.every((value, k) => Math.abs(value - (q[k] ?? 0)) < 1e-5)) {
      this.drive.replace(program);
      return;
    }
    const back = await this.plan({ type: "PlanMove", ...this.common, q, goal }, "way back");
    if (back !== null && this.drive.state !== "halted") this.drive.replace([back, ...program]);
  }

  /** Plan the whole table from where the arm is, and draw it. */
  private preview(): void {
    const { sheet } = this;
    this.tableWrong.textContent = this.pointsWrong.textContent = this.settingsWrong.textContent = "";
    this.rows.mark(-1);
    if (this.staged === null || !this.staged.is_serial || sheet.rows.length === 0) return;
    if (this.drive.waiting.count > 0) return;
    const q = this.drive.q;
    this.plans.ask(() => this.studio.ask({ type: "PlanTable", ...this.common, table: sheetText(sheet), q }));
  }

  private previewed(answer: Answer): void {
    if (answer.result?.type === "SampledMotion") {
      if (this.drive.waiting.count > 0) return;
      const motion = motionOf(answer.result);
      this.draw(motion);
      this.complain(motion.plan.touch?.text ?? "");
    } else this.complain(answer.problem);
  }

  /** Say beside the tables what is wrong, and mark the row. */
  private complain(problem: string): void {
    const help = /help.point/.test(problem);
    this.tableWrong.textContent = problem;
    this.pointsWrong.textContent = help ? problem : "";
    this.settingsWrong.textContent = /settings|margin|speeds|speed/.test(problem) ? problem : "";
    const row = /(?:trajectory|row) (\d+)/.exec(problem);
    const segment = /segment (\d+)/.exec(problem);
    const first = this.rows.rows[0]?.kind === "start" ? 1 : 0;
    this.rows.mark(row !== null ? Number(row[1]) - 1 : segment !== null ? Number(segment[1]) - 1 + first : -1);
  }

  private draw(motion: Motion): void {
    this.planned = motion;
    drawPath(this.overlay, motion, this.staged?.geometry.camera.distance ?? 1);
    this.curves.show(motion);
  }

  // what a person does ----------------------------------------------------------------------------

  private controls(): Control {
    const { drive } = this;
    return new Control({
      start: () => drive.start(),
      stop: () => drive.stop(),
      halt: () => drive.halt(),
      restart: () => void this.restart(),
      reset: () => {
        drive.reset();
        this.look();
        this.preview();
      },
      reference: () => void this.go({ type: "PlanMove", ...this.common, q: drive.q, goal: this.staged?.rest ?? [] }, "reference"),
      jog: (frame: Frame, axis: number, step: number) => {
        this.jogs = this.jogs.then(() => this.jog(frame, axis, step));
      },
      wish: (q) => this.wishes.ask(() => this.studio.ask({ type: "PoseStage", arm: this.state.arm, bodies: this.bodiesToml, q })),
      exec: (goal) => void this.go({ type: "PlanMove", ...this.common, q: drive.q, goal }, "exec"),
      savePosition: (q, kind) => void this.savePosition(q, kind),
      saveCurrent: (kind) => void this.savePosition(drive.q, kind),
      send: (row) => void this.send(row),
      teach: () => {
        this.teaching.teach(drive.q);
        this.say(`position ${this.teaching.positions.length} taught`);
      },
      record: (on) => this.say(this.teaching.record(on, drive.q)),
      playBack: (blend) => {
        const positions = this.teaching.positions.map((q) => q.join(" ")).join("\n");
        void this.go({ type: "PlanTaught", ...this.common, q: drive.q, positions, blend }, "play-back");
      },
      forget: () => this.teaching.forget(),
    });
  }

  private async savePosition(q: number[], kind: string): Promise<void> {
    if (kind === JOINTS) {
      const joints = jointsCell(q, this.units);
      this.rows.put([...this.rows.rows, { kind: "ptp", joints }]);
      this.say(`trajectory ${this.rows.rows.length} saved: ptp to the joint values ${joints} (° or mm)`);
      return;
    }
    const answer = await this.studio.request({ type: "PoseStage", arm: this.state.arm, bodies: this.bodiesToml, q });
    if (answer.result?.type !== "StagePosed") return;
    const row = rowAt(answer.result, kind, this.staged?.joints.length ?? 6);
    this.rows.put([...this.rows.rows, row]);
    this.arrange();
    this.say(`trajectory ${this.rows.rows.length} saved: ${kind} to ${row.x}, ${row.y}, ${row.z} mm`);
  }

  /** A new row: as the last one, or where the tool is. */
  private nextRow(last: Cells | undefined): Cells {
    if (last !== undefined) return { ...last, kind: last.kind === "start" ? "linear" : (last.kind ?? "linear"), name: "" };
    return this.pose === null ? { kind: "start", x: "0", y: "0", z: "0" } : rowAt(this.pose, "start", this.staged?.joints.length ?? 6);
  }

  /** Leave out what arms with that many joints seldom need. */
  private arrange(): void {
    const few = (this.staged?.joints.length ?? 6) < 6;
    this.rows.leaveOut(few ? ["a", "b", "c"] : ["inclination", "roll"]);
  }

  private wire(): void {
    const { drive } = this;
    this.arms.onchange = () => {
      if (drive.state === "moving") drive.halt();
      void this.choose(this.arms.value);
    };
    drive.onSay = (text, kind) => this.say(text, kind);
    drive.onChange = () => {
      const { count, seconds } = drive.waiting;
      this.control.state(drive.state, count, seconds);
      if (drive.state === "ready" && this.staged !== null && drive.q.length > 0) {
        this.state.q[this.state.arm] = [...drive.q];
        this.save();
        this.control.sliders.set(drive.q);
        this.ghosts.place(new Float32Array(0), []);
        this.look();
      }
    };
    drive.onBegin = (motion) => {
      if (motion !== this.planned) this.draw(motion);
    };
    drive.onMoment = (time) => {
      this.curves.at(time);
      this.control.at(drive.q, null);
      this.look();
      this.teaching.pass(drive.q);
    };
    this.curves.onCursor = (time) => {
      if (this.planned === null || drive.state === "moving" || drive.state === "stopping") return;
      if (time === null) this.look();
      else this.arm.place(this.planned.poses, Math.round((time / this.planned.plan.duration) * (this.planned.plan.samples - 1)));
    };
    this.rows.onEdit = this.points.onEdit = this.settings.onEdit = () => this.edited();
    this.teaching.onChange = (count, recording) => {
      this.save();
      this.control.positionsTaught(count, recording);
    };
    this.tabs.onOpen = (name) => {
      this.state.tab = name;
      this.save();
    };
    this.rows.onChoose = (row) => this.control.chooseRow(row);
    this.bodies.onEdit = () => {
      clearTimeout(this.typing);
      this.drawNormals();
      this.typing = setTimeout(() => {
        this.state.bodies[this.state.arm] = bodiesText(this.bodies.bodies);
        this.save();
        void this.stage().then((good) => {
          if (good) this.preview();
        });
      }, PAUSE);
    };
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && document.documentElement.dataset.view === "motion") drive.halt();
    });
  }

  /** Of the joints, "rad" or "m". */
  private get units(): string[] {
    return this.staged?.joints.map((joint) => joint.unit) ?? [];
  }

  private get sheet(): Sheet {
    return { rows: this.rows.rows, points: this.points.rows, settings: this.settings.table, units: this.units };
  }

  private edited(): void {
    this.state.sheets[this.state.arm] = structuredClone(this.sheet);
    this.state.rules = { ...this.settings.rules };
    this.save();
    this.listRows();
    clearTimeout(this.typing);
    this.typing = setTimeout(() => this.preview(), PAUSE);
  }

  private listRows(): void {
    this.control.rows(this.rows.rows.map((row, k) => `${k + 1} ${row.kind ?? ""} ${row.name ?? ""}`.trim()));
  }

  private async openTable(text: string, file: string): Promise<void> {
    const ending = file.endsWith(".csv") ? ".csv" : ".toml";
    const answer = await this.studio.ask({ type: "ReadTable", text, ending });
    if (answer.result?.type !== "TableContents") {
      this.tableWrong.textContent = answer.problem;
      return;
    }
    const sheet = sheetOf(answer.result, this.units);
    this.rows.show(sheet.rows);
    this.points.show(sheet.points);
    this.settings.show(sheet.settings, { ...this.state.rules, ...rulesIn(answer.result) });
    this.arrange();
    this.say(`${file}: ${sheet.rows.length} trajectories, ${sheet.points.length} help points`);
    this.edited();
  }

  private async tableFor(file: string): Promise<string> {
    const ending = file.endsWith(".csv") ? ".csv" : ".toml";
    const answer = await this.studio.ask({ type: "WriteTable", text: sheetText(this.sheet, this.sheet.rows, this.settings.rules), ending });
    if (answer.result?.type === "TableText") return answer.result.text;
    this.complain(answer.problem);
    return "";
  }

  // the page --------------------------------------------------------------------------------------

  private say(text: string, kind: "problem" | "note" = "note"): void {
    const line = make("li", text, { "data-kind": kind });
    this.log.prepend(line);
    while (this.log.children.length > 200) this.log.lastElementChild?.remove();
  }

  private save(): void {
    save(this.state);
  }

  /** What tests and curious people may look at. */
  private get seen(): object {
    return {
      arm: this.state.arm,
      q: this.drive.q,
      state: this.drive.state,
      waiting: this.drive.waiting.count,
      planned: this.planned?.plan.duration ?? null,
      touch: this.planned?.plan.touch ?? null,
      marks: this.planned === null ? [] : [...new Set(this.planned.marks)],
      tool: this.pose?.tool ?? null,
      staged: this.staged !== null && this.pose !== null,
      rows: this.rows.rows,
      bodies: this.staged?.bodies.map((body) => body.name) ?? [],
      taught: this.teaching.positions.length,
      ghosts: this.ghosts.count,
      drawn: this.arm.view.drawn,
      place: () => this.arm.view.placeOf("arm")?.toArray() ?? null,
    };
  }
}

function hint(text: string): HTMLElement {
  return make("p", text, { class: "muted" });
}
