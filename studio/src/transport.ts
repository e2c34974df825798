// Time: run, pause, step, reset, speed; says how far the world lags.
import { find, make } from "./dom";
import type { CellStatus, Command } from "./messages";

const SPEEDS: [number, string][] = [
  [0.05, "1/20"],
  [0.1, "1/10"],
  [0.25, "1/4"],
  [0.5, "1/2"],
  [1, "1 ×"],
  [2, "2 ×"],
  [5, "5 ×"],
  [0, "fastest"],
];

export class Transport {
  private running = false;
  private speed = find<HTMLSelectElement>("speed");

  constructor(private ask: (command: Command) => void) {
    for (const [value, text] of SPEEDS) {
      this.speed.append(make("option", text, { value: String(value) }));
    }
    this.speed.value = "1";
    this.speed.onchange = () => ask({ type: "SetSpeed", speed: Number(this.speed.value) });
    find("run").onclick = () => ask({ type: "RunClock" });
    find("pause").onclick = () => ask({ type: "PauseClock" });
    find("step").onclick = () => ask({ type: "StepClock", steps: 1 });
    find("reset").onclick = () => ask({ type: "ResetWorld" });
    document.addEventListener("keydown", (event) => this.key(event));
  }

  status({ clock }: CellStatus): void {
    this.running = clock.state === "running";
    find("run").setAttribute("aria-pressed", String(this.running));
    find("pause").setAttribute("aria-pressed", String(!this.running));
    if (document.activeElement !== this.speed) this.speed.value = String(clock.speed);
    const lag = find("lag");
    lag.textContent =
      clock.state === "failed"
        ? clock.problem
        : this.running && clock.lag > 0.25
          ? `${clock.lag.toFixed(1)} s behind, ${clock.rate.toFixed(2)} ×`
          : this.running && clock.speed === 0
            ? `${clock.rate.toFixed(1)} ×`
            : "";
  }

  time(seconds: number): void {
    find("time").textContent = `${seconds.toFixed(2)} s`;
  }

  private key(event: KeyboardEvent): void {
    const element = event.target as HTMLElement;
    if (["INPUT", "TEXTAREA", "SELECT", "BUTTON", "SUMMARY"].includes(element.tagName)) return;
    if (event.key === " ") {
      event.preventDefault();
      this.ask({ type: this.running ? "PauseClock" : "RunClock" });
    } else if (event.key === ".") this.ask({ type: "StepClock", steps: 1 });
    else if (event.key === ",") find("step-back").click();
    else if (event.key === "[") find("previous-event").click();
    else if (event.key === "]") find("next-event").click();
  }
}
