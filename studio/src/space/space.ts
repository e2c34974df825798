// The view of configuration spaces: a map of two joints, the arm under the mouse, paths, reach.
import { armName } from "../arm_name";
import { keep, kept, make } from "../dom";
import { armChoices, fileLine } from "../filing";
import { legendEntry } from "../legend";
import { Overlay } from "../lines";
import type { Answer, StagePosed, ArmStaged, FindRoute, SpaceMap } from "../messages";
import { shown, unpacked } from "../numbers";
import { motionOf, Player, rowAt } from "../player";
import { JointSliders } from "../sliders";
import { Latest, StagedArm } from "../staged";
import type { Studio, StudioView } from "../views";
import { MapPicture, type Place } from "./map";

interface Kept {
  arm: string;
  bodies: Record<string, string>;
  axes: [number, number];
  q: number[];
  cells: number;
}

const FIRST: Kept = { arm: "planar_rr", bodies: {}, axes: [0, 1], q: [], cells: 180 };
const CELLS = [90, 180, 360, 720];
const PAUSE = 350; // [ms] after the last letter

export function open(root: HTMLElement, studio: Studio): StudioView {
  return new SpaceView(root, studio);
}

class SpaceView implements StudioView {
  private state: Kept;
  private arm: StagedArm;
  private overlay: Overlay;
  private cloud: Overlay;
  private player: Player;
  private map: MapPicture;
  private sliders: JointSliders;
  private arms = make("select", "", { id: "space-arm", "aria-label": "Arm" });
  private first = make("select", "", { id: "space-first", "aria-label": "Joint to the right" });
  private second = make("select", "", { id: "space-second", "aria-label": "Joint upwards" });
  private cells = make("select", "", { id: "space-cells", "aria-label": "Cells along each axis" });
  private status = make("p", "", { class: "space-status", id: "space-status", role: "status" });
  private legend = make("ul", "", { class: "legend", id: "space-legend" });
  private text = make("textarea", "", {
    class: "toml",
    id: "space-bodies",
    spellcheck: "false",
    "aria-label": "Bodies, as TOML",
  });
  private complaint = make("p", "", { class: "complaint", id: "space-complaint", role: "alert" });
  private routeSaid = make("p", "", { class: "muted", id: "space-route" });
  private routeWrong = make("p", "", { class: "complaint", id: "space-route-problem", role: "alert" });
  private reachSaid = make("p", "", { class: "muted", id: "space-reach" });
  private planner = make("select", "", { id: "space-planner", "aria-label": "Planner" });
  private margin = make("input", "", { type: "number", value: "0", min: "0", step: "1", id: "space-margin" });
  private play = make("button", "Play", { id: "space-play", type: "button" });
  private tool = make("span", "", { id: "space-tool" });
  private contact = make("span", "", { id: "space-contact" });
  private staged: ArmStaged | null = null;
  private made: SpaceMap | null = null;
  private started = false;
  private typing = 0;
  private poses = new Latest<Answer>((answer) => this.posed(answer));
  private maps = new Latest<Answer>((answer) => void this.mapped(answer));

  constructor(
    root: HTMLElement,
    private studio: Studio,
  ) {
    this.state = remembered();
    const stage = make("section", "", { class: "staged", "aria-label": "Arm" });
    const canvas = make("canvas", "", {
      id: "space-canvas",
      tabindex: "0",
      "aria-label": "3-D view: drag to turn, shift and drag to move, wheel to zoom",
    });
    const readout = make("div", "", { class: "readout" });
    readout.append(this.tool, this.contact);
    stage.append(canvas, readout);
    const mapCanvas = make("canvas", "", {
      id: "space-map",
      tabindex: "0",
      "aria-label": "Map of two joints: arrows move the cursor, Enter sets start and goal",
    });
    const board = make("section", "", { class: "space-map", "aria-label": "Map" });
    const row = make("div", "", { class: "row" });
    row.append(labelled("Right", this.first), labelled("Up", this.second), labelled("Cells", this.cells));
    board.append(row, mapCanvas, this.status, this.legend);
    const aside = make("aside");
    root.append(stage, board, aside);
    this.arm = new StagedArm(studio, canvas);
    this.overlay = new Overlay(this.arm.view);
    this.cloud = new Overlay(this.arm.view);
    this.player = new Player(this.arm);
    this.map = new MapPicture(mapCanvas);
    const joints = make("div");
    this.sliders = new JointSliders(joints);
    aside.append(
      panel("Arm", labelled("", this.arms), armName(this.arms, "space-arm-name"), make("p", "Point at the map: the arm follows. Click a start, then a goal.", { class: "muted" })),
      panel("Joints", joints),
      panel("Path", ...this.pathControls()),
      panel("Reach", ...this.reachControls()),
      panel("Bodies", ...this.bodyControls()),
    );
    this.cells.append(...CELLS.map((count) => make("option", `${count} × ${count}`, { value: String(count) })));
    this.wire();
    watchable(this);
  }

  show(subject: string): void {
    if (subject !== "" && subject !== this.state.arm) this.state = { ...FIRST, bodies: this.state.bodies, arm: subject };
    if (this.started && subject === "") return;
    this.started = true;
    void this.choose(this.state.arm, this.state.q);
  }

  hide(): void {
    this.player.halt();
  }

  // what is asked ---------------------------------------------------------------------------------

  private async choose(name: string, q: number[]): Promise<void> {
    this.state.arm = name;
    await armChoices(this.studio, this.arms, name);
    if (this.state.bodies[name] === undefined) {
      const answer = await this.studio.ask({ type: "SuggestBodies", arm: name });
      this.state.bodies[name] = answer.result?.type === "BodiesText" ? answer.result.text : "";
    }
    this.text.value = this.state.bodies[name] ?? "";
    await this.stage(q);
  }

  /** Show arm and bodies anew. */
  private async stage(q: number[]): Promise<void> {
    const staged = await this.arm.show(this.state.arm, this.bodies, (problem) => {
      this.complaint.textContent = problem;
    });
    if (staged === null) return;
    const other = this.staged?.arm !== staged.arm;
    this.staged = staged;
    const count = staged.joints.length;
    if (count < 2) this.complaint.textContent = `a map needs two joints; '${staged.arm}' has ${count}`;
    const values = q.length === count ? q : staged.rest;
    if (other) {
      this.forget();
      if (this.state.axes.some((axis) => axis >= count)) this.state.axes = [0, 1];
      for (const [list, axis] of [
        [this.first, this.state.axes[0]],
        [this.second, this.state.axes[1]],
      ] as const) {
        list.replaceChildren(...staged.joints.map((joint, k) => make("option", joint.name, { value: String(k) })));
        list.value = String(axis);
      }
    }
    this.cells.value = String(this.state.cells);
    this.sliders.show(staged.joints, values);
    this.sliders.only((joint) => count <= 2 || !this.state.axes.includes(joint));
    this.remember(values);
    this.pose(values);
    this.remap();
  }

  private get bodies(): string {
    return this.state.bodies[this.state.arm] ?? "";
  }

  private pose(q: number[]): void {
    this.poses.ask(() => this.studio.ask({ type: "PoseStage", arm: this.state.arm, bodies: this.bodies, q }));
  }

  private remap(): void {
    if ((this.staged?.joints.length ?? 0) < 2) {
      void this.map.show(null);
      return;
    }
    const begin = performance.now();
    const wait = setInterval(() => {
      this.status.textContent = `mapping … ${((performance.now() - begin) / 1000).toFixed(0)} s (the first map compiles)`;
    }, 700);
    this.maps.ask(async () => {
      const answer = await this.studio.ask({
        type: "MapSpace",
        arm: this.state.arm,
        bodies: this.bodies,
        axes: this.state.axes,
        cells: [this.state.cells, this.state.cells],
        q: this.state.q,
      });
      clearInterval(wait);
      return answer;
    });
  }

  private async findRoute(): Promise<void> {
    const { start, goal } = this.map;
    if (start === null || goal === null) return;
    const request: FindRoute = {
      type: "FindRoute",
      arm: this.state.arm,
      bodies: this.bodies,
      axes: this.state.axes,
      start: this.whole(start),
      goal: this.whole(goal),
      planner: this.planner.value as FindRoute["planner"],
      margin: Number(this.margin.value) / 1000,
    };
    this.routeWrong.textContent = "";
    this.routeSaid.textContent = "looking for a path, up to 10 s …";
    const answer = await this.studio.ask(request);
    this.routeWrong.textContent = answer.problem;
    this.routeSaid.textContent = "";
    if (answer.result?.type !== "FoundRoute") return;
    const found = answer.result;
    const motion = motionOf(found.motion);
    const clearance = found.motion.clearance;
    this.routeSaid.textContent =
      `${found.corners} corners, ${found.motion.duration.toFixed(2)} s of motion, ` +
      `found in ${(1000 * found.seconds).toFixed(0)} ms` +
      (clearance === null ? "" : `, at least ${(1000 * clearance).toFixed(0)} mm from all bodies`);
    this.map.path = Array.from({ length: found.motion.samples }, (_, row) => this.at(motion.position, row, motion.joints));
    this.map.draw();
    this.overlay.clear();
    this.overlay.way(motion.tool, () => "#d6336c");
    this.player.take(motion);
    this.play.disabled = false;
    this.player.run();
  }

  private async sweep(samples: number): Promise<void> {
    this.reachSaid.textContent = "sweeping …";
    const answer = await this.studio.ask({
      type: "SweepReach",
      arm: this.state.arm,
      bodies: this.bodies,
      samples,
      cell: 0,
    });
    this.cloud.clear();
    if (answer.result?.type !== "ReachCloud") {
      this.reachSaid.textContent = answer.problem;
      return;
    }
    const found = answer.result;
    this.cloud.cloud(unpacked(found.points), unpacked(found.values), 0.8 * found.cell);
    this.reachSaid.textContent =
      `${found.volume.toFixed(3)} m³ in voxels of ${(1000 * found.cell).toFixed(0)} mm; ` +
      `${(100 * found.free).toFixed(1)} % of ${found.tried.toLocaleString("en")} configurations are free. ` +
      "Yellow: the tool moves well there; blue: badly.";
  }

  // what is heard ---------------------------------------------------------------------------------

  private posed(answer: Answer): void {
    if (answer.result?.type !== "StagePosed" || this.player.plays) return;
    this.arm.posed(answer.result);
    this.say(answer.result);
  }

  private say(pose: StagePosed): void {
    const [x = 0, y = 0, z = 0] = pose.tool.map((value) => 1000 * value);
    this.tool.textContent = `Tool ${x.toFixed(1)}, ${y.toFixed(1)}, ${z.toFixed(1)} mm`;
    this.contact.className = pose.contact === "" ? "" : "bad";
    this.contact.textContent =
      pose.contact !== ""
        ? pose.contact
        : pose.distance === null
          ? ""
          : `free, ${(1000 * pose.distance).toFixed(0)} mm to the nearest body`;
  }

  private async mapped(answer: Answer): Promise<void> {
    if (answer.result?.type !== "SpaceMap") {
      this.status.textContent = answer.problem;
      return;
    }
    const map = answer.result;
    await this.map.show(map);
    this.status.textContent =
      `${(100 * map.free).toFixed(1)} % free, ${map.tests.toLocaleString("en")} tests in ` +
      `${(1000 * map.seconds).toFixed(1)} ms`;
    const entries = (this.staged?.bodies ?? []).map((body, k) => {
      const part = map.fractions[k] ?? 0;
      return legendEntry(body.colour, `${body.name} ${part === 0 ? "nowhere" : `${(100 * part).toFixed(1)} %`}`);
    });
    if (map.several > 0) entries.push(legendEntry("#6b737a", `several, mixed ${(100 * map.several).toFixed(1)} %`));
    this.legend.replaceChildren(...entries);
    this.made = map; // drawn, with its legend: clicks find their places from here on
  }

  // what a person does ----------------------------------------------------------------------------

  private wire(): void {
    this.arms.onchange = () => void this.choose(this.arms.value, []);
    this.first.onchange = () => this.turnTo(0, Number(this.first.value));
    this.second.onchange = () => this.turnTo(1, Number(this.second.value));
    this.cells.onchange = () => {
      this.state.cells = Number(this.cells.value);
      this.remember(this.state.q);
      this.remap();
    };
    this.sliders.onInput = (values) => {
      this.player.halt();
      this.remember(values);
      this.pose(values);
      if ((this.staged?.joints.length ?? 0) > 2) this.remap();
    };
    this.map.onHover = (place) => {
      this.player.halt();
      const q = this.whole(place);
      this.sliders.set(q);
      this.pose(q);
    };
    this.map.onChoose = (place) => {
      if (this.map.start === null || this.map.goal !== null) {
        this.forget();
        this.map.start = place;
        this.routeSaid.textContent = "now click the goal";
      } else {
        this.map.goal = place;
        void this.findRoute();
      }
      this.map.draw();
    };
    this.player.onTime = (time, motion) => {
      const row = rowAt(motion, time);
      this.map.cursor = this.at(motion.position, row, motion.joints);
      this.map.draw();
      this.sliders.set(motion.position.subarray(row * motion.joints, (row + 1) * motion.joints));
    };
    this.text.oninput = () => {
      clearTimeout(this.typing);
      this.state.bodies[this.state.arm] = this.text.value;
      this.remember(this.state.q);
      this.typing = setTimeout(() => void this.stage(this.state.q), PAUSE);
    };
  }

  /** Choose a joint for an axis of the map; the axes change places when it is that of the other. */
  private turnTo(axis: 0 | 1, joint: number): void {
    const other = (1 - axis) as 0 | 1;
    if (this.state.axes[other] === joint) this.state.axes[other] = this.state.axes[axis];
    this.state.axes[axis] = joint;
    this.first.value = String(this.state.axes[0]);
    this.second.value = String(this.state.axes[1]);
    this.forget();
    this.sliders.only((one) => !this.state.axes.includes(one));
    this.remember(this.state.q);
    this.remap();
  }

  private pathControls(): HTMLElement[] {
    for (const [name, title] of [
      ["a-star", "A* on the map"],
      ["rrt-connect", "RRT-Connect, all joints"],
      ["prm", "roadmap, all joints"],
    ] as const) {
      this.planner.append(make("option", title, { value: name }));
    }
    const clear = make("button", "Clear", { id: "space-clear", type: "button" });
    const again = make("button", "Find", { id: "space-find", type: "button" });
    const row = make("div", "", { class: "row" });
    row.append(again, this.play, clear);
    const margin = labelled("Keep away", this.margin, "mm");
    this.play.disabled = true;
    this.play.onclick = () => {
      this.player.seek(0);
      this.player.run();
    };
    clear.onclick = () => this.forget();
    again.onclick = () => void this.findRoute();
    return [labelled("", this.planner), margin, row, this.routeSaid, this.routeWrong];
  }

  private reachControls(): HTMLElement[] {
    const show = make("button", "Show reach", { id: "space-sweep", type: "button" });
    const hide = make("button", "Hide", { id: "space-unsweep", type: "button" });
    const row = make("div", "", { class: "row" });
    row.append(show, hide);
    show.onclick = () => void this.sweep(500_000);
    hide.onclick = () => {
      this.cloud.clear();
      this.reachSaid.textContent = "";
    };
    return [row, this.reachSaid];
  }

  private bodyControls(): HTMLElement[] {
    const put = (text: string) => {
      this.text.value = text;
      this.text.dispatchEvent(new Event("input"));
    };
    const files = fileLine(this.studio, "bodies", [".toml"], put, () => this.text.value);
    const example = make("button", "Example", { type: "button", id: "space-example" });
    const none = make("button", "None", { type: "button", id: "space-none" });
    example.onclick = async () => {
      const answer = await this.studio.ask({ type: "SuggestBodies", arm: this.state.arm });
      if (answer.result?.type === "BodiesText") put(answer.result.text);
    };
    none.onclick = () => put("");
    const row = make("div", "", { class: "row" });
    row.append(example, none);
    return [files.element, this.text, this.complaint, row];
  }

  private forget(): void {
    this.player.take(null);
    this.map.start = this.map.goal = null;
    this.map.path = [];
    this.map.draw();
    this.overlay.clear();
    this.play.disabled = true;
    this.routeSaid.textContent = "";
    this.routeWrong.textContent = "";
  }

  /** All joint values, with two of them from the map. */
  private whole(place: Place): number[] {
    const q = [...this.state.q];
    this.state.axes.forEach((axis, k) => (q[axis] = place[k as 0 | 1]));
    return q;
  }

  private at(rows: Float32Array, row: number, joints: number): Place {
    const [x, y] = this.state.axes;
    return [rows[row * joints + x] ?? 0, rows[row * joints + y] ?? 0];
  }

  private remember(q: number[]): void {
    this.state.q = [...q];
    keep("space", JSON.stringify(this.state));
  }

  /** What tests and curious people may look at. */
  get seen(): object {
    return {
      map: this.made,
      arm: this.state.arm,
      q: this.sliders.values,
      drawn: this.arm.view.drawn,
      path: this.map.path.length,
      plays: this.player.plays,
      dotOf: (place: Place) => this.map.dotOf(place),
      said: this.sliders.values.map((value, k) => shown(value, this.staged?.joints[k]?.unit ?? "rad")),
    };
  }
}

function watchable(view: SpaceView): void {
  Object.defineProperty(window, "armwerkSpace", { configurable: true, get: () => view.seen });
}

function remembered(): Kept {
  try {
    const given = JSON.parse(kept("space") ?? "{}") as Partial<Kept>;
    return { ...FIRST, ...given, bodies: { ...given.bodies } };
  } catch {
    return { ...FIRST, bodies: {} };
  }
}

function labelled(text: string, control: HTMLElement, unit = ""): HTMLElement {
  const label = make("label", "", { class: "field" });
  if (text !== "") label.append(make("span", text));
  label.append(control);
  if (unit !== "") label.append(make("span", unit));
  return label;
}

function panel(title: string, ...content: HTMLElement[]): HTMLElement {
  const details = make("details", "", { open: "" });
  details.append(make("summary", title), ...content);
  return details;
}
