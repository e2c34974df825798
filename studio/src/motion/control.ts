// The tab by which the arm is driven: jog, go to joint values, send trajectories, teach and play back.
import { make } from "../dom";
import type { ArmStaged, PlanJog, StagePosed } from "../messages";
import { shown } from "../numbers";
import { JointSliders } from "../sliders";
import type { DriveState } from "./drive";
import { KINDS } from "./sheet";

export type Frame = PlanJog["frame"];

/** What the buttons do. */
export interface Actions {
  start(): void;
  stop(): void;
  halt(): void;
  restart(): void;
  reference(): void;
  reset(): void;
  jog(frame: Frame, axis: number, step: number): void;
  wish(q: number[]): void;
  exec(q: number[]): void;
  savePosition(q: number[], kind: string): void;
  saveCurrent(kind: string): void;
  send(row: number | null): void;
  teach(): void;
  record(on: boolean): void;
  playBack(blend: number): void;
  forget(): void;
}

const FRAMES: [Frame, string][] = [
  ["joint", "Joints"],
  ["world", "World"],
  ["tool", "Tool"],
  ["cylindrical", "Cylindrical"],
];
const AXES: Record<Exclude<Frame, "joint">, [string, "m" | "rad"][]> = {
  world: [["x", "m"], ["y", "m"], ["z", "m"], ["about x", "rad"], ["about y", "rad"], ["about z", "rad"]],
  tool: [["x", "m"], ["y", "m"], ["z", "m"], ["about x", "rad"], ["about y", "rad"], ["about z", "rad"]],
  cylindrical: [["r", "m"], ["h", "m"], ["φ", "rad"], ["inclination", "rad"], ["roll", "rad"]],
};

/** The choice to save joint values themselves. */
export const JOINTS = "joints";

export class Control {
  readonly element = make("div", "", { class: "control" });
  /** Buttons and state of the drive, to be always in view. */
  readonly driving: HTMLElement;
  frame: Frame = "joint";
  readonly sliders: JointSliders;
  private buttons = new Map<string, HTMLButtonElement>();
  private queue = make("p", "", { class: "muted", id: "motion-queue" });
  private jogs = make("div", "", { class: "jogs", id: "motion-jogs" });
  private values: HTMLElement[] = [];
  private length = stepField("10", "motion-step-length", "Step of lengths [mm]");
  private angle = stepField("5", "motion-step-angle", "Step of angles [°]");
  private kind = make("select", "", { id: "motion-save-kind", "aria-label": "Kind of the saved trajectory" });
  private row = make("select", "", { id: "motion-send-row", "aria-label": "Trajectory to send" });
  private taught = make("span", "", { class: "muted", id: "motion-taught" });
  private recording = make("button", "Record", { type: "button", id: "motion-record", "aria-pressed": "false" });
  private blend = stepField("0", "motion-taught-blend", "Blend radius of play-back [mm]");
  private staged: ArmStaged | null = null;
  private q: number[] = [];
  private pose: StagePosed | null = null;

  constructor(private actions: Actions) {
    const wishes = make("div");
    this.sliders = new JointSliders(wishes);
    this.sliders.onInput = (q) => actions.wish(q);
    this.kind.append(...KINDS.map((kind) => make("option", kind)), make("option", "ptp, joint values", { value: JOINTS }));
    this.kind.value = "linear";
    this.driving = this.drive();
    this.element.append(
      group("Jog", this.frames(), this.steps(), this.jogs),
      group("Joint values", wishes, this.positions()),
      group("Send", this.sending()),
      group("Teach-in and play-back", this.teaching()),
    );
  }

  show(staged: ArmStaged, q: number[]): void {
    this.staged = staged;
    this.sliders.show(staged.joints, q);
    this.q = q;
    this.drawJogs();
  }

  /** The state of the drive, and what waits. */
  state(state: DriveState, count: number, seconds: number): void {
    const words: Record<DriveState, string> = {
      ready: "Ready",
      moving: "Moving",
      stopping: "Stopping",
      stopped: "Stopped",
      halted: "Halted, needs Reset",
    };
    const queue = count === 0 ? "nothing queued" : `${count} ${count === 1 ? "motion" : "motions"} queued, ${seconds.toFixed(2)} s`;
    this.queue.textContent = `${words[state]}: ${queue}`;
    this.queue.dataset.state = state;
    const allowed: Record<string, boolean> = {
      start: count > 0 && (state === "ready" || state === "stopped"),
      stop: state === "moving",
      halt: state !== "halted",
      restart: state === "ready" || state === "stopped",
      reset: state !== "moving" && state !== "stopping",
      reference: state === "ready",
      exec: state === "ready",
      "play-back": state === "ready",
    };
    for (const [name, on] of Object.entries(allowed)) {
      const button = this.buttons.get(name);
      if (button !== undefined) button.disabled = !on;
    }
    for (const button of this.jogs.querySelectorAll("button")) button.disabled = state !== "ready" && state !== "moving";
  }

  /** Where the arm is. */
  at(q: number[], pose: StagePosed | null): void {
    this.q = q;
    if (pose !== null) this.pose = pose;
    const numbers = this.numbers();
    this.values.forEach((value, k) => (value.textContent = numbers[k] ?? ""));
  }

  rows(names: string[]): void {
    const before = this.row.value;
    this.row.replaceChildren(...names.map((name, k) => make("option", name, { value: String(k) })));
    if (before !== "" && Number(before) < names.length) this.row.value = before;
    for (const name of ["send", "send-all"]) {
      const button = this.buttons.get(name);
      if (button !== undefined) button.disabled = names.length === 0;
    }
  }

  chooseRow(row: number): void {
    if (row >= 0 && row < this.row.options.length) this.row.value = String(row);
  }

  positionsTaught(count: number, recording: boolean): void {
    this.taught.textContent = count === 0 ? "no positions" : `${count} positions`;
    this.recording.setAttribute("aria-pressed", String(recording));
  }

  private button(name: string, title: string, hint: string, act: () => void): HTMLButtonElement {
    const button = make("button", title, { type: "button", id: `motion-${name}`, title: hint });
    button.onclick = act;
    this.buttons.set(name, button);
    return button;
  }

  private drive(): HTMLElement {
    const row = make("div", "", { class: "row drive", role: "toolbar", "aria-label": "Drive" });
    const { actions } = this;
    row.append(
      this.button("start", "Start", "Run what has been sent, or go on after Stop", () => actions.start()),
      this.button("stop", "Stop", "Slow down along the path; Start goes on", () => actions.stop()),
      this.button("halt", "Halt", "Brakes on at once; needs Reset (Esc)", () => actions.halt()),
      this.button("restart", "Restart", "Go back to where the motion began, and run it again", () => actions.restart()),
      this.button("reset", "Reset", "Release the brakes, discard what was sent", () => actions.reset()),
      this.button("reference", "Reference", "Drive all joints to their reference position", () => actions.reference()),
    );
    const box = make("div");
    box.append(row, this.queue);
    return box;
  }

  private frames(): HTMLElement {
    const row = make("div", "", { class: "row", role: "radiogroup", "aria-label": "Coordinates" });
    for (const [frame, title] of FRAMES) {
      const button = make("button", title, { type: "button", "data-frame": frame, role: "radio", "aria-checked": String(frame === this.frame) });
      button.onclick = () => {
        this.frame = frame;
        for (const one of row.children) one.setAttribute("aria-checked", String(one === button));
        this.drawJogs();
      };
      row.append(button);
    }
    return row;
  }

  private steps(): HTMLElement {
    const row = make("div", "", { class: "row" });
    row.append(make("span", "Step"), this.length, make("span", "mm"), this.angle, make("span", "°"));
    return row;
  }

  private drawJogs(): void {
    const joints = this.staged?.joints ?? [];
    const axes: [string, string][] = this.frame === "joint" ? joints.map((one) => [one.name, one.unit]) : AXES[this.frame];
    this.values = axes.map(() => make("output"));
    const disabled = this.jogs.querySelector("button")?.disabled ?? false;
    this.jogs.replaceChildren(
      ...axes.map(([name, unit], axis) => {
        const row = make("div", "", { class: "jog" });
        const value = this.values[axis] ?? make("output");
        const buttons = ["−", "+"].map((sign, k) => {
          const button = make("button", sign, { type: "button", "aria-label": `${name} ${k === 0 ? "down" : "up"}` });
          button.disabled = disabled;
          button.onclick = () => {
            const step = unit === "rad" ? (Number(this.angle.value) * Math.PI) / 180 : Number(this.length.value) / 1000;
            this.actions.jog(this.frame, axis, k === 0 ? -step : step);
          };
          return button;
        });
        row.append(make("span", name), buttons[0] ?? "", value, buttons[1] ?? "");
        return row;
      }),
    );
    this.at(this.q, this.pose);
  }

  /** Values of the coordinates that are jogged; the tool's own are steps only. */
  private numbers(): string[] {
    if (this.frame === "joint") return this.q.map((value, k) => shown(value, this.staged?.joints[k]?.unit ?? "rad", 2));
    const pose = this.pose;
    if (pose === null || this.frame === "tool") return [];
    const [x = 0, y = 0, z = 0, a = 0, b = 0, c = 0] = pose.tool;
    if (this.frame === "world") return [...[x, y, z].map((value) => shown(value, "m")), ...[c, b, a].map((value) => shown(value, "rad"))];
    const leans = pose.inclination;
    const rest = leans === null ? ["–", "–"] : leans.map((value) => shown(value, "rad"));
    return [shown(Math.hypot(x, y), "m"), shown(z, "m"), shown(direction(x, y), "rad"), ...rest];
  }

  private positions(): HTMLElement {
    const row = make("div", "", { class: "row" });
    row.append(
      this.button("exec", "Exec", "Drive to these joint values", () => this.actions.exec(this.sliders.values)),
      this.button("save-position", "Save position", "Add a trajectory to where these joint values bring the tool", () =>
        this.actions.savePosition(this.sliders.values, this.kind.value),
      ),
      this.button("save-current", "Save current position", "Add a trajectory to where the tool is", () =>
        this.actions.saveCurrent(this.kind.value),
      ),
    );
    const as = make("label", "", { class: "field" });
    as.append(make("span", "as"), this.kind);
    row.append(as);
    return row;
  }

  private sending(): HTMLElement {
    const row = make("div", "", { class: "row" });
    row.append(
      this.row,
      this.button("send", "Send", "Plan this trajectory from where the queue ends, and queue it", () => this.actions.send(Number(this.row.value))),
      this.button("send-all", "Send all", "Plan the whole table, with its blends, and queue it", () => this.actions.send(null)),
    );
    return row;
  }

  private teaching(): HTMLElement {
    const row = make("div", "", { class: "row" });
    this.recording.title = "Record the positions passed while the arm is driven";
    this.recording.onclick = () => this.actions.record(this.recording.getAttribute("aria-pressed") !== "true");
    row.append(
      this.button("teach", "Teach", "Keep where the arm is", () => this.actions.teach()),
      this.recording,
      this.button("play-back", "Play back", "Drive through all positions", () => this.actions.playBack(Number(this.blend.value) / 1000)),
      this.button("forget", "Forget", "Delete all positions", () => this.actions.forget()),
    );
    const more = make("div", "", { class: "row" });
    more.append(this.taught, make("span", "rounded by"), this.blend, make("span", "mm"));
    const box = make("div");
    box.append(row, more);
    return box;
  }
}

/** The direction of a point about the upright axis [rad]; 0 on it. */
export function direction(x: number, y: number): number {
  return Math.hypot(x, y) < 1e-9 ? 0 : Math.atan2(y, x);
}

function group(title: string, ...content: HTMLElement[]): HTMLElement {
  const section = make("section", "", { class: "group", "aria-label": title });
  section.append(make("h3", title), ...content);
  return section;
}

function stepField(value: string, id: string, label: string): HTMLInputElement {
  const field = make("input", "", { type: "number", min: "0", step: "any", id, "aria-label": label, class: "short" });
  field.value = value;
  return field;
}
