// Robots: what their programs do, Start, Stop and Pause, the commander, and motors to jog.
import { find, make } from "./dom";
import type { CellStatus, Command, ViewedGeometry, ViewedRobot } from "./messages";

interface Row {
  state: HTMLElement;
  error: HTMLElement;
}

export class Robots {
  private rows = new Map<number, Row>();
  private sliders: { slider: HTMLInputElement; value: HTMLOutputElement; turns: boolean }[] = [];
  private geometry: ViewedGeometry | null = null;
  private shown = "";

  constructor(private ask: (command: Command) => void) {}

  show(geometry: ViewedGeometry): void {
    this.geometry = geometry;
    this.shown = "";
  }

  status(status: CellStatus): void {
    const key = `${this.geometry?.version} ${status.robots.map((robot) => robot.number).join()}`;
    if (key !== this.shown) {
      this.shown = key;
      this.build(status.robots);
    }
    for (const robot of status.robots) {
      const row = this.rows.get(robot.number);
      if (row === undefined) continue;
      row.state.textContent = robot.state;
      row.state.dataset.state = robot.state;
      row.error.textContent = robot.error;
    }
    this.sliders.forEach(({ slider, value, turns }, number) => {
      const now = status.values[number] ?? 0;
      value.textContent = turns ? `${((now * 180) / Math.PI).toFixed(1)}°` : `${now.toFixed(3)} m`;
      if (document.activeElement !== slider) slider.value = String(now);
    });
  }

  private build(robots: ViewedRobot[]): void {
    const panel = find("robots");
    panel.replaceChildren();
    this.rows.clear();
    this.sliders = [];
    if (robots.length === 0) panel.append(make("p", "This cell has no robots.", { class: "state" }));
    if (robots.length > 1) panel.append(this.buttons(null));
    for (const robot of robots) panel.append(this.robot(robot));
  }

  private robot(robot: ViewedRobot): HTMLElement {
    const box = make("div", "", { class: "robot" });
    const title = make("div", "", { class: "row" });
    const state = make("span", robot.state, { class: "state", "data-robot": String(robot.number) });
    title.append(make("strong", `robot ${robot.number}`), make("span", robot.arm), state);
    const error = make("div", "", { class: "error" });
    box.append(title);
    if (robot.controller !== "") {
      const said = [robot.controller, robot.description].filter((text) => text !== "").join(": ");
      box.append(make("div", said, { class: "state" }));
      if (robot.config !== "") box.append(make("div", robot.config, { class: "state" }));
      box.append(this.buttons(robot.number), this.commander(robot.number));
    }
    box.append(error, this.motors(robot));
    this.rows.set(robot.number, { state, error });
    return box;
  }

  private buttons(robot: number | null): HTMLElement {
    const row = make("div", "", { class: "row" });
    for (const action of ["start", "stop", "pause"] as const) {
      const label = action[0]?.toUpperCase() + action.slice(1) + (robot === null ? " all" : "");
      const button = make("button", label, { "data-action": `${action} ${robot ?? "all"}` });
      button.onclick = () => this.ask({ type: "SteerProgram", action, robot });
      row.append(button);
    }
    return row;
  }

  private commander(robot: number): HTMLElement {
    const form = make("form");
    const line = make("input", "", { placeholder: "line for its program", "aria-label": "Commander" });
    form.append(line, make("button", "Execute"));
    form.onsubmit = (event) => {
      event.preventDefault();
      this.ask({ type: "SendLine", robot, text: line.value });
      line.value = "";
    };
    return form;
  }

  private motors(robot: ViewedRobot): HTMLElement {
    const box = make("details");
    box.append(make("summary", "Motors"));
    box.open = robot.controller === "";
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
        this.ask({ type: "JogMotor", robot: robot.number, motor: motor.name, value: wanted });
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
