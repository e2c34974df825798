// The time line of a recording: play, scrub, go from event to event; marks show when things happen.
import { find, make } from "./dom";
import type { Answer, Command, ViewedEvent, ViewedRecording } from "./messages";

const COLOURS: Record<ViewedEvent["kind"], string> = {
  note: "--muted",
  trigger: "--accent",
  problem: "--bad",
  contact: "--line",
  state: "--good",
  clock: "--good",
};

export class Timeline {
  /** Called with all events until now, when the time has gone anywhere but forward a little. */
  onEvents: (events: ViewedEvent[], fresh: boolean) => void = () => undefined;
  private bar = find("timeline");
  private slider = find<HTMLInputElement>("scrub");
  private canvas = find<HTMLCanvasElement>("event-marks");
  private recording: ViewedRecording | null = null;
  private hidden: ReadonlySet<string> = new Set();
  private told = 0;
  private last = 0;
  private waiting: number | null = null;
  private asked = false;

  constructor(private ask: (command: Command) => Promise<Answer>) {
    this.slider.oninput = () => this.seek(Number(this.slider.value));
    this.slider.onchange = () => this.slider.blur();
    find("previous-event").onclick = () => this.go(-1);
    find("next-event").onclick = () => this.go(1);
    find("step-back").onclick = () => void ask({ type: "StepClock", steps: -1 });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  get shown(): boolean {
    return this.recording !== null;
  }

  /** Show a recording; null: what is seen is none. */
  show(recording: ViewedRecording | null): void {
    this.recording = recording;
    this.bar.hidden = recording === null;
    document.documentElement.toggleAttribute("data-recording", recording !== null);
    if (recording === null) return;
    this.slider.min = String(recording.begin);
    this.slider.max = String(recording.end);
    this.slider.step = "any";
    const more = recording.left_out > 0 ? `, ${recording.left_out} more events` : "";
    const cut = recording.whole ? "" : ", never ended";
    find("recording-name").textContent =
      `${recording.file}: ${(recording.end - recording.begin).toFixed(1)} s, ` +
      `${recording.states} states${cut}${more}`;
    this.told = 0;
    this.last = Number.POSITIVE_INFINITY;
    this.draw();
  }

  /** Mark only some kinds of events. */
  hide(kinds: ReadonlySet<string>): void {
    this.hidden = kinds;
    this.draw();
  }

  time(seconds: number): void {
    const recording = this.recording;
    if (recording === null) return;
    if (document.activeElement !== this.slider) this.slider.value = String(seconds);
    this.slider.setAttribute("aria-valuetext", `${seconds.toFixed(2)} s`);
    const back = seconds < this.last;
    this.last = seconds;
    if (back) this.told = 0;
    const first = this.told;
    while ((recording.events[this.told]?.time ?? Infinity) <= seconds + 1e-9) this.told += 1;
    if (back || this.told > first) this.onEvents(recording.events.slice(first, this.told), back);
  }

  private seek(seconds: number): void {
    this.waiting = seconds;
    if (!this.asked) void this.send();
  }

  /** One question at a time: the latest place wins. */
  private async send(): Promise<void> {
    this.asked = true;
    while (this.waiting !== null) {
      const time = this.waiting;
      this.waiting = null;
      await this.ask({ type: "SeekTime", time });
    }
    this.asked = false;
  }

  private go(way: -1 | 1): void {
    const times = (this.recording?.events ?? [])
      .filter((event) => !this.hidden.has(event.kind))
      .map((event) => event.time);
    const here = this.last;
    const next =
      way > 0
        ? times.find((time) => time > here + 1e-6)
        : times.reverse().find((time) => time < here - 1e-6);
    if (next === undefined) return;
    void this.ask({ type: "PauseClock" });
    this.seek(next);
  }

  draw(): void {
    const recording = this.recording;
    const pen = this.canvas.getContext("2d");
    if (recording === null || pen === null) return;
    const scale = devicePixelRatio;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    pen.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    const span = Math.max(recording.end - recording.begin, 1e-9);
    const seen = new Set<string>();
    for (const event of recording.events) {
      if (this.hidden.has(event.kind)) continue;
      const x = Math.round(8 + ((event.time - recording.begin) / span) * (width - 16));
      const key = `${x} ${event.kind}`;
      if (seen.has(key)) continue;
      seen.add(key);
      pen.fillStyle = style.getPropertyValue(COLOURS[event.kind]);
      pen.fillRect(x - 1, event.kind === "problem" ? 0 : 2, 2, height);
    }
  }
}

/** The button that records the running cell. */
export class RecordButton {
  /** Called with the file of a new recording. */
  onSaved: (file: string) => void = () => undefined;
  private button = find<HTMLButtonElement>("record");
  private file = "";

  constructor(private ask: (command: Command) => Promise<Answer>) {
    this.button.onclick = () => void this.press();
  }

  status(file: string): void {
    this.file = file;
    this.button.setAttribute("aria-pressed", String(file !== ""));
    this.button.textContent = file === "" ? "Record" : "Stop recording";
    this.button.title =
      file === "" ? "Record to a file below the folder of the studio" : `Recording to ${file}`;
  }

  private async press(): Promise<void> {
    const stop = this.file !== "";
    const answer = await this.ask(stop ? { type: "StopRecording" } : { type: "StartRecording", file: "" });
    if (answer.result?.type !== "RecordingSaved") return;
    if (stop) {
      this.status("");
      this.onSaved(answer.result.file);
      offer(answer.result.file, answer.result.seconds, this.ask);
    } else this.status(answer.result.file);
  }
}

/** Say that something was recorded, with a button that plays it. */
function offer(file: string, seconds: number, ask: (command: Command) => Promise<Answer>): void {
  const line = make("div", `${file}: ${seconds.toFixed(1)} s recorded. `, { "data-kind": "good" });
  const play = make("button", "Play it");
  play.onclick = () => {
    void ask({ type: "OpenCell", name: file });
    line.remove();
  };
  line.append(play);
  find("messages").append(line);
  setTimeout(() => line.remove(), 12000);
}
