// Start, stop, step and reset of a scene of mobile robots, and how fast its time passes.
import { make } from "../dom";
import type { Command, MobileMoment } from "../messages";

const DECADES = 2; // of speeds below and above real time

export class MobileTransport {
  readonly element = make("div", "", { class: "mobile-transport", role: "group", "aria-label": "Time" });
  private start = make("button", "Start", { id: "mobile-start", type: "button" });
  private step = make("button", "Step", { id: "mobile-step", type: "button", title: "One step of the programs" });
  private reset = make("button", "Reset", { id: "mobile-reset", type: "button", title: "Back to the beginning" });
  private slider = make("input", "", {
    id: "mobile-speed",
    type: "range",
    min: String(-DECADES),
    max: String(DECADES),
    step: "0.01",
    value: "0",
    "aria-label": "Simulated per real time",
  });
  private fast = make("button", "Max", {
    id: "mobile-fastest",
    type: "button",
    title: "As fast as possible",
    "aria-pressed": "false",
  });
  private speed = make("output", "1 ×", { id: "mobile-speed-said" });
  private time = make("output", "0.00 s", { id: "mobile-time" });
  private rate = make("span", "", { id: "mobile-rate", class: "muted" });
  private running = false;
  private sent = 0; // [ms] when a speed was chosen here

  constructor(private ask: (command: Command) => void) {
    this.start.onclick = () => ask({ type: "SteerMobile", action: this.running ? "stop" : "start" });
    this.step.onclick = () => ask({ type: "SteerMobile", action: "step" });
    this.reset.onclick = () => ask({ type: "SteerMobile", action: "reset" });
    this.slider.oninput = () => this.choose(rounded(10 ** Number(this.slider.value)));
    this.slider.ondblclick = () => this.choose(1);
    this.fast.onclick = () => {
      const pressed = this.fast.getAttribute("aria-pressed") === "true";
      this.choose(pressed ? rounded(10 ** Number(this.slider.value)) : 0);
    };
    this.element.append(this.start, this.step, this.reset, this.slider, this.fast, this.speed, this.time, this.rate);
  }

  show(moment: MobileMoment): void {
    this.running = moment.running;
    this.start.textContent = moment.running ? "Stop" : "Start";
    this.time.textContent = `${moment.time.toFixed(2)} s`;
    this.rate.textContent = moment.rate > 0 ? `runs at ${rounded(moment.rate)} ×` : "";
    if (performance.now() - this.sent > 500) this.say(moment.speed);
  }

  private choose(speed: number): void {
    this.sent = performance.now();
    this.say(speed);
    this.ask({ type: "SetMobileSpeed", speed });
  }

  private say(speed: number): void {
    this.fast.setAttribute("aria-pressed", String(speed === 0));
    this.speed.textContent = speed === 0 ? "max" : `${speed} ×`;
    if (speed > 0 && document.activeElement !== this.slider) this.slider.value = String(Math.log10(speed));
  }
}

/** Two digits that count are enough for a speed. */
function rounded(speed: number): number {
  return Number(speed.toPrecision(2));
}
