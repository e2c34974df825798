// Robots: what their programs do and say, which program with which CONFIG, and motors to jog.
import { find, keep, kept, make } from "./dom";
import { Listing } from "./listing";
import type { Answer, CellStatus, Command, ViewedEvent, ViewedGeometry, ViewedRobot } from "./messages";

const LINES = 100; // of debug-out that are kept of each robot

interface Row {
  state: HTMLElement;
  error: HTMLElement;
  notes: HTMLElement;
  listing: Listing | null;
}

export class Robots {
  /** Called when the title of a robot is clicked. */
  onChoose: (robot: number) => void = () => undefined;
  private rows = new Map<number, Row>();
  private sliders: { slider: HTMLInputElement; value: HTMLOutputElement; turns: boolean }[] = [];
  private geometry: ViewedGeometry | null = null;
  private notes = new Map<number, string[]>();
  private controllers: string[] = [];
  private shown = "";

  constructor(private ask: (command: Command) => Promise<Answer>) {}

  show(geometry: ViewedGeometry): void {
    if (geometry.title !== this.geometry?.title) this.notes.clear();
    this.geometry = geometry;
    this.shown = "";
  }

  /** Say which programs can be chosen. */
  offer(controllers: string[]): void {
    this.controllers = controllers;
    this.shown = "";
  }

  status(status: CellStatus): void {
    const key = `${this.geometry?.version} ${status.robots.map((robot) => `${robot.number} ${robot.line < 0}`).join()}`;
    if (key !== this.shown && !find("robots").contains(document.activeElement)) {
      this.shown = key;
      this.build(status.robots);
    }
    for (const robot of status.robots) {
      const row = this.rows.get(robot.number);
      if (row === undefined) continue;
      row.state.textContent = robot.state;
      row.state.dataset.state = robot.state;
      row.error.textContent = robot.error;
      row.listing?.mark(robot.line);
    }
    this.sliders.forEach(({ slider, value, turns }, number) => {
      const now = status.values[number] ?? 0;
      value.textContent = turns ? `${((now * 180) / Math.PI).toFixed(1)}°` : `${now.toFixed(3)} m`;
      if (document.activeElement !== slider) slider.value = String(now);
    });
  }

  /** Hear lines of debug-out; anew: forget those of before. */
  hear(events: ViewedEvent[], anew = false): void {
    if (anew) this.notes.clear();
    const changed = new Set<number>();
    for (const event of events) {
      if (event.kind !== "note") continue;
      const lines = this.notes.get(event.instance) ?? [];
      this.notes.set(event.instance, [...lines, `${event.time.toFixed(2)}  ${event.text}`].slice(-LINES));
      changed.add(event.instance);
    }
    for (const number of anew ? this.rows.keys() : changed) this.write(number);
  }

  private write(number: number): void {
    const list = this.rows.get(number)?.notes;
    if (list === undefined) return;
    const lines = this.notes.get(number) ?? [];
    list.replaceChildren(...lines.map((line) => make("li", line)));
    if (lines.length === 0) list.append(make("li", "nothing was written yet", { class: "state" }));
    list.scrollTop = list.scrollHeight;
  }

  private build(robots: ViewedRobot[]): void {
    const panel = find("robots");
    panel.replaceChildren();
    this.rows.clear();
    this.sliders = [];
    if (robots.length === 0) panel.append(make("p", "This cell has no robots.", { class: "state" }));
    for (const robot of robots) panel.append(this.robot(robot, robots.length <= 3));
  }

  private robot(robot: ViewedRobot, few: boolean): HTMLElement {
    const box = make("div", "", { class: "robot" });
    const title = make("div", "", { class: "row" });
    const state = make("span", robot.state, { class: "state live", "data-robot": String(robot.number) });
    const name = make("button", `robot ${robot.number}`, { class: "plain", title: "Choose for Execute" });
    name.onclick = () => this.onChoose(robot.number);
    title.append(name, make("span", robot.arm, { class: "state" }), state);
    const error = make("div", "", { class: "error" });
    const notes = make("ol", "", { class: "log", "data-notes": String(robot.number) });
    box.append(title);
    if (robot.description !== "") box.append(make("div", robot.description, { class: "state" }));
    box.append(error);
    const listing = robot.line < 0 ? null : new Listing(robot.number, this.ask);
    this.rows.set(robot.number, { state, error, notes, listing });
    if (listing !== null) {
      box.append(listing.present);
      box.append(this.folded(`Lines of ${robot.controller}`, `lines ${robot.number}`, listing.root, few));
    }
    if (robot.controller !== "") {
      box.append(this.folded("Debug-out", `debug ${robot.number}`, notes, few));
    }
    const program = `Program${robot.controller === "" ? "" : `: ${robot.controller}`}`;
    box.append(this.folded(program, `program ${robot.number}`, this.program(robot), false));
    const motors = this.motors(robot);
    if (motors.childElementCount > 0) {
      box.append(this.folded("Motors", `motors ${robot.number}`, motors, robot.controller === ""));
    }
    this.write(robot.number);
    return box;
  }

  /** A part that can be folded; how it was left is remembered. */
  private folded(title: string, name: string, content: HTMLElement, open: boolean): HTMLElement {
    const box = make("details");
    box.append(make("summary", title), content);
    const before = kept(`fold ${name}`);
    box.open = before === null ? open : before === "open";
    box.ontoggle = () => keep(`fold ${name}`, box.open ? "open" : "closed");
    return box;
  }

  /** Which program, with which CONFIG; what is applied becomes part of the text of the cell. */
  private program(robot: ViewedRobot): HTMLElement {
    const form = make("form", "", { class: "program", "data-program": String(robot.number) });
    const choice = make("select", "", { "aria-label": `Choose the controller of robot ${robot.number}` });
    const names = [...new Set([robot.program, ...this.controllers])].filter((one) => one !== "");
    choice.append(
      make("option", "no program", { value: "" }),
      ...names.map((name) => make("option", name, { value: name })),
    );
    choice.value = robot.program;
    const config = make("input", "", {
      placeholder: "CONFIG: text for the program",
      "aria-label": `CONFIG of robot ${robot.number}`,
    });
    config.value = robot.config;
    const problem = make("div", "", { class: "error" });
    form.append(choice, config, make("button", "Apply"), problem);
    form.onsubmit = (event) => {
      event.preventDefault();
      void this.ask({
        type: "SetProgram",
        robot: robot.number,
        controller: choice.value,
        config: config.value,
      }).then((answer) => {
        problem.textContent = answer.problem;
        if (answer.problem === "") (document.activeElement as HTMLElement | null)?.blur();
      });
    };
    return form;
  }

  private motors(robot: ViewedRobot): HTMLElement {
    const box = make("div");
    for (const motor of this.geometry?.motors ?? []) {
      if (motor.owner !== `robot ${robot.number}`) continue;
      const turns = motor.unit === "rad";
      const slider = make("input", "", {
        type: "range",
        min: String(motor.low ?? (turns ? -Math.PI : -1)),
        max: String(motor.high ?? (turns ? Math.PI : 1)),
        step: "any",
        "aria-label": `${motor.name} of robot ${robot.number}`,
      });
      const value = make("output");
      slider.oninput = () => {
        const wanted = Number(slider.value);
        void this.ask({ type: "JogMotor", robot: robot.number, motor: motor.name, value: wanted });
      };
      slider.onchange = () => slider.blur();
      const row = make("label", "", { class: "motor" });
      row.append(make("span", motor.name), slider, value);
      box.append(row);
      this.sliders.push({ slider, value, turns });
    }
    return box;
  }
}
