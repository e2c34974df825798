// Execute: Start, Stop, Pause and Reset for all robots or one, and a line of the commander; the
// buttons show what has been done.
import { find, make } from "./dom";
import type { CellStatus, Command, ViewedRobot } from "./messages";

type Action = "start" | "stop" | "pause" | "reset";

const WORDS: Record<Action, string> = { start: "Start", stop: "Stop", pause: "Pause", reset: "Reset" };
const DONE: Record<Action, ReadonlySet<string>> = {
  start: new Set(["running", "done"]),
  stop: new Set(["stopped"]),
  pause: new Set(["paused"]),
  reset: new Set(),
};

export class Execute {
  private who = find<HTMLSelectElement>("execute-robot");
  private line = find<HTMLInputElement>("commander-line");
  private buttons = new Map<Action, HTMLButtonElement>();
  private known = "";
  private history: string[] = [];
  private place = 0;

  constructor(private ask: (command: Command) => void) {
    for (const action of ["start", "stop", "pause", "reset"] as const) {
      const button = make("button", WORDS[action], { "data-execute": action });
      button.onclick = () => this.act(action);
      find("execute").append(button);
      this.buttons.set(action, button);
    }
    find<HTMLFormElement>("commander").onsubmit = (event) => {
      event.preventDefault();
      this.send();
    };
    this.line.onkeydown = (event) => this.recall(event);
  }

  /** Choose a robot; null: all. */
  choose(robot: number | null): void {
    this.who.value = robot === null ? "" : String(robot);
  }

  status({ robots, clock }: CellStatus): void {
    const steered = robots.filter((robot) => robot.controller !== "");
    this.fill(steered);
    find("panel-execute").toggleAttribute("data-empty", steered.length === 0);
    const meant = steered.filter((robot) => this.who.value === "" || String(robot.number) === this.who.value);
    for (const [action, button] of this.buttons) {
      const done =
        action === "reset"
          ? clock.time === 0
          : meant.length > 0 && meant.every((robot) => DONE[action].has(robot.state));
      button.setAttribute("aria-pressed", String(done));
      button.disabled = steered.length === 0 && action !== "reset";
    }
    const ended = meant.filter((robot) => robot.state === "done").length;
    const failed = meant.filter((robot) => robot.state === "failed" || robot.state === "stuck").length;
    find("execute-state").textContent =
      steered.length === 0
        ? "no programs here"
        : `${ended} of ${meant.length} done${failed > 0 ? `, ${failed} failed` : ""}`;
  }

  private fill(robots: ViewedRobot[]): void {
    const key = robots.map((robot) => `${robot.number} ${robot.controller}`).join();
    if (key === this.known) return;
    this.known = key;
    const before = this.who.value;
    this.who.replaceChildren(
      make("option", robots.length === 1 ? "the robot" : "all robots", { value: "" }),
      ...robots.map((robot) =>
        make("option", `robot ${robot.number}: ${robot.controller}`, { value: String(robot.number) }),
      ),
    );
    this.who.value = robots.some((robot) => String(robot.number) === before) ? before : "";
  }

  private act(action: Action): void {
    if (action === "reset") this.ask({ type: "ResetWorld" });
    else {
      const robot = this.who.value === "" ? null : Number(this.who.value);
      this.ask({ type: "SteerProgram", action, robot });
    }
  }

  private send(): void {
    const text = this.line.value;
    if (text.trim() === "") return;
    const options = [...this.who.options].map((option) => option.value).filter((value) => value !== "");
    const numbers = this.who.value === "" ? options : [this.who.value];
    for (const number of numbers) this.ask({ type: "SendLine", robot: Number(number), text });
    this.history = [...this.history.filter((one) => one !== text), text].slice(-50);
    this.place = this.history.length;
    this.line.value = "";
  }

  /** Up and down bring lines back that were sent. */
  private recall(event: KeyboardEvent): void {
    const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (way === undefined) return;
    event.preventDefault();
    this.place = Math.min(Math.max(this.place + way, 0), this.history.length);
    this.line.value = this.history[this.place] ?? "";
  }
}
