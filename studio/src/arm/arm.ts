// The arm view: an arm is described, looked at, and moved by joints and by its tool.
import { make, say } from "../dom";
import type { Place } from "../gizmo";
import type { PosedArm, SeenArm } from "../messages";
import type { Studio, StudioView } from "../views";
import { AxesTable } from "./axes_table";
import { Draft } from "./draft";
import { Derivation } from "./derivation";
import { type ArmEdit, Form } from "./form";
import { Joints } from "./joints";
import { Menu } from "./menu";
import { Reach } from "./reach";
import { Solutions } from "./solutions";
import { Stage } from "./stage";
import { TextPanel } from "./text";
import { Tool } from "./tool";

const FIRST = "ur5e";
const AGAIN = 700; // [ms] between looks at whether the closed form is there

interface Wish {
  joints: number[];
  goal: Place | null;
  at: number;
}

class ArmView implements StudioView {
  private draft = new Draft();
  private stage = new Stage();
  private menu = new Menu(this.draft);
  private joints = new Joints();
  private tool = new Tool();
  private solutions = new Solutions();
  private form = new Form();
  private text = new TextPanel();
  private derivation: Derivation;
  private reach: Reach;
  private axes: AxesTable;
  private title = make("h2", "");
  private summary = make("p", "", { class: "muted" });
  private seen: SeenArm | null = null;
  private posed: PosedArm | null = null;
  private values: number[] = [];
  private marked = -1;
  private wish: Wish | null = null;
  private busy = false;
  private looked = 0;
  private known = "";
  private begun = false;
  private noted = "";
  private timer = 0;
  /** From the mouse to the drawn picture, of the latest drags [ms]. */
  readonly delays: number[] = [];

  constructor(
    root: HTMLElement,
    private studio: Studio,
  ) {
    this.derivation = new Derivation((command) => studio.request(command), () => this.draft.text);
    this.reach = new Reach(this.stage, (command) => studio.request(command), () => this.draft);
    this.axes = new AxesTable((command) => studio.request(command), () => this.draft);
    const side = make("aside", "", { class: "arm-side", "aria-label": "Description and joints" });
    const head = make("div", "", { class: "arm-head" });
    head.append(this.title, this.summary);
    side.append(
      this.menu.root,
      head,
      this.panel("joints", "Joints", true, this.joints.root),
      this.panel("tool", "Tool", true, this.tool.root),
      this.panel("solutions", "Solutions", true, this.solutions.root),
      this.panel("form", "Description", true, this.form.root),
      this.panel("axes", "Joint axes", false, this.axes.root),
      this.panel("text", "Text of the description", false, this.text.root),
      this.panel("reach", "Reach", false, this.reach.root),
      this.panel("derive", "Derivation", false, this.derivation.root),
    );
    root.append(this.stage.root, side);
    root.classList.add("arm-view");
    this.connect(root);
    this.expose();
  }

  show(subject: string): void {
    if (!this.begun) void this.begin(subject);
    else if (subject !== "" && subject !== this.draft.name) void this.open(subject);
    this.stage.view.touch();
  }

  hide(): void {
    clearTimeout(this.timer);
  }

  private async begin(subject: string): Promise<void> {
    this.begun = true;
    void this.studio.request({ type: "ListArms" }).then((answer) => {
      if (answer.result?.type === "ArmChoices") this.menu.choices(answer.result.choices);
    });
    const kept = this.draft.text !== "";
    if (kept && (subject === "" || subject === this.draft.name)) {
      if (this.draft.changed) say("Your edits that were not saved are still here.");
      await this.look();
    } else await this.open(subject === "" ? FIRST : subject);
  }

  private connect(root: HTMLElement): void {
    this.menu.onOpen = (name) => void this.open(name);
    this.menu.onUndo = () => this.step(() => this.draft.undo());
    this.menu.onRedo = () => this.step(() => this.draft.redo());
    this.menu.onSave = (file) => void this.save(file);
    this.menu.onCell = () => void this.toCell();
    this.joints.onMove = (joints) => this.ask(joints, null);
    this.tool.onGoal = (goal) => this.ask(this.values, goal);
    this.stage.gizmo.onDrag = (goal) => this.ask(this.values, goal);
    this.stage.gizmo.onEnd = () => {
      if (this.posed !== null && this.wish === null && !this.busy) this.put(this.posed);
    };
    this.stage.onGhost = (ghost) => this.take(this.stage.shown[ghost] ?? -1);
    this.stage.onShade = () => {
      if (this.posed !== null) this.stage.shade(this.posed, this.marked);
    };
    this.solutions.onTake = (joints) => this.ask(joints, null);
    this.solutions.onPoint = (solution) => {
      this.marked = solution;
      this.stage.onShade();
    };
    this.axes.onText = (text) => {
      this.draft.edit(text, "");
      void this.look();
    };
    root.querySelector("#arm-panel-axes")?.addEventListener("toggle", () => this.showAxes());
    this.derivation.onGo = (joints) => this.ask(joints, null);
    this.form.onEdit = (action, place, value) => void this.edit(action, place, value);
    this.form.onSymbols = (symbols) => {
      this.draft.symbols = symbols;
      this.draft.keep();
      void this.look();
    };
    this.text.onText = (text) => {
      this.draft.edit(text, "text");
      void this.look();
    };
    root.addEventListener("keydown", (event) => {
      const inText = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (!(event.ctrlKey || event.metaKey) || inText) return;
      if (event.key === "z") this.menu.onUndo();
      else if (event.key === "y") this.menu.onRedo();
      else return;
      event.preventDefault();
    });
  }

  // the description ------------------------------------------------------------------------------

  private async open(name: string): Promise<void> {
    this.wait(`Opening ${name} …`);
    const answer = await this.studio.request({ type: "OpenArm", name });
    this.wait("");
    if (answer.result?.type !== "OpenedArm") {
      if (this.draft.text === "" && name !== FIRST) await this.open(FIRST);
      return;
    }
    const { text, file, note } = answer.result;
    if (note !== "") say(note);
    this.draft.open(name, text, file);
    this.values = [];
    await this.look();
  }

  /** Say what is awaited; empty: nothing. */
  private wait(words: string): void {
    this.stage.status.textContent = words;
    this.stage.status.className = "arm-status";
  }

  private async edit(action: ArmEdit, place: string, value: string): Promise<void> {
    const { text } = this.draft;
    const answer = await this.studio.request({ type: "EditArm", text, action, place, value });
    if (answer.result?.type !== "ArmText") return;
    if (this.draft.text !== text) return this.edit(action, place, value);
    this.draft.edit(answer.result.text, action === "set" ? place : "");
    await this.look();
  }

  private step(change: () => void): void {
    change();
    void this.look();
  }

  /** Ask what the description looks like; the latest question wins. */
  private async look(): Promise<void> {
    this.menu.refresh();
    const { text, symbols } = this.draft;
    this.text.show(text);
    this.looked += 1;
    const turn = this.looked;
    if (this.posed === null) this.wait("Building the arm …");
    const answer = await this.studio.request({ type: "LookAtArm", text, symbols, file: this.draft.file });
    this.wait("");
    if (turn !== this.looked || answer.result?.type !== "SeenArm") return;
    const seen = answer.result;
    this.form.show(seen.form, seen.problems);
    this.form.showSymbols(seen.symbols, symbols);
    this.text.complain(seen.problems);
    this.toggle("form", seen.form !== null || seen.problems.length > 0);
    if (seen.geometry === null) {
      this.stage.status.textContent = "The description has a problem; the picture shows it as it was.";
      this.stage.status.className = "arm-status bad";
      return;
    }
    this.wait("Working out where it stands … (the first time on a machine this compiles)");
    this.seen = seen;
    this.title.textContent = seen.title;
    this.summary.textContent = seen.summary;
    if (seen.note !== "" && seen.note !== this.noted) say(seen.note);
    this.noted = seen.note;
    this.stage.show(seen);
    this.reach.changed();
    this.showAxes();
    this.derivation.changed(seen.is_serial);
    this.joints.show(seen);
    this.solutions.show(seen.motors);
    const key = seen.motors.map((one) => `${one.name} ${one.unit}`).join();
    if (key !== this.known || this.values.length !== seen.motors.length) {
      this.values = seen.motors.map((one) => one.start);
    }
    this.known = key;
    this.posed = null;
    this.ask(this.values, null);
  }

  private async save(file: string): Promise<void> {
    const ending = file.slice(file.lastIndexOf("."));
    const text = this.draft.text;
    let written = text;
    if (ending !== ".toml") {
      const answer = await this.studio.request({ type: "ConvertArm", text, ending });
      if (answer.result?.type !== "ArmText") return;
      written = answer.result.text;
    }
    const answer = await this.studio.request({ type: "WriteFile", file, text: written });
    if (answer.problem !== "") return;
    if (this.draft.text === text) this.draft.wasSaved(file);
    this.menu.refresh();
    say(`saved as ${file}`);
  }

  private async toCell(): Promise<void> {
    const { changed, file, name } = this.draft;
    if (changed) return say("save the arm first: a cell names it by its file");
    const arm = file === "" ? name : file;
    const answer = await this.studio.request({ type: "OpenCell", name: arm });
    if (answer.problem === "") this.studio.open("cell");
  }

  // poses ----------------------------------------------------------------------------------------

  /** Have the arm moved; while an answer is awaited only the latest wish counts. */
  private ask(joints: number[], goal: Place | null): void {
    this.wish = { joints, goal, at: performance.now() };
    if (!this.busy) void this.work();
  }

  private async work(): Promise<void> {
    this.busy = true;
    while (this.wish !== null) {
      const { joints, goal, at } = this.wish;
      this.wish = null;
      const { text, symbols } = this.draft;
      const looked = this.looked;
      const answer = await this.studio.request({
        type: "PoseArm",
        text,
        symbols,
        joints,
        goal: goal ?? [],
        solutions: true,
      });
      if (answer.problem !== "") this.wait("");
      if (answer.result?.type !== "PosedArm" || looked !== this.looked) continue;
      this.put(answer.result);
      this.measure(at);
    }
    this.busy = false;
  }

  private put(posed: PosedArm): void {
    this.posed = posed;
    this.values = posed.joints;
    this.marked = -1;
    this.stage.place(posed, this.marked);
    this.joints.place(posed.joints);
    this.tool.place(posed);
    this.solutions.place(posed);
    const { status } = this.stage;
    status.textContent = posed.message;
    status.className = posed.reached ? "arm-status" : "arm-status bad";
    clearTimeout(this.timer);
    if (posed.preparing) {
      this.timer = window.setTimeout(() => {
        if (!this.busy) this.ask(this.values, null);
      }, AGAIN);
    }
  }

  private take(solution: number): void {
    const one = this.posed?.solutions[solution];
    if (one !== undefined) this.ask(one.joints, null);
  }

  private measure(at: number): void {
    const drawn = this.stage.view.drawn;
    const wait = () => {
      if (this.stage.view.drawn === drawn) requestAnimationFrame(wait);
      else this.delays.push(performance.now() - at);
      if (this.delays.length > 200) this.delays.shift();
    };
    requestAnimationFrame(wait);
  }

  // the page -------------------------------------------------------------------------------------

  private panel(name: string, title: string, open: boolean, content: HTMLElement): HTMLElement {
    const panel = make("details", "", { id: `arm-panel-${name}` });
    panel.append(make("summary", title), content);
    panel.open = open;
    return panel;
  }

  private toggle(name: string, shown: boolean): void {
    const panel = document.getElementById(`arm-panel-${name}`);
    if (panel !== null) panel.hidden = !shown;
  }

  private showAxes(): void {
    const panel = document.getElementById("arm-panel-axes");
    void this.axes.show(panel instanceof HTMLDetailsElement && panel.open);
  }

  /** What tests and curious people may look at. */
  private expose(): void {
    Object.defineProperty(window, "armwerkArm", {
      configurable: true,
      value: {
        posed: () => this.posed,
        seen: () => this.seen,
        values: () => this.values,
        ghosts: () => this.stage.ghostCount,
        drawn: () => this.stage.view.drawn,
        delays: () => this.delays,
        busy: () => this.busy,
        text: () => this.draft.text,
        /** Where a point of the world is on the canvas [pixel]. */
        seenAt: (x: number, y: number, z: number) => this.stage.seenAt(x, y, z),
      },
    });
  }
}

export function open(root: HTMLElement, studio: Studio): StudioView {
  return new ArmView(root, studio);
}
