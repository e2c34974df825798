// What happens among mobile robots: chosen by kind, emptied, saved.
import { keep, kept, make, say } from "../dom";
import type { MobileLine, MobileMoment, MobileOpened } from "../messages";
import type { Studio } from "../views";

const MOST = 400; // lines that are shown
const KEPT = 5000; // that are remembered for the filters

export class MobileLog {
  readonly element = make("div");
  /** Number of events that are known here. */
  known = 0;
  private number = -1;
  private kinds: string[] = [];
  private hidden = new Set((kept("hidden mobile events") ?? "").split(",").filter(Boolean));
  private lines: MobileLine[] = [];
  private filters = make("div", "", { class: "row", id: "mobile-filters", role: "group", "aria-label": "Kinds of events" });
  private list = make("ol", "", { class: "log", id: "mobile-log", tabindex: "0", "aria-label": "Log" });
  private missed = make("p", "", { class: "muted", id: "mobile-missed" });
  private file = make("input", "", { id: "mobile-log-file", placeholder: "run.log", "aria-label": "File to save the log to" });

  constructor(private studio: Studio) {
    const clear = make("button", "Clear", { id: "mobile-clear", type: "button" });
    clear.onclick = () => void studio.request({ type: "ClearMobileLog" });
    const save = make("button", "Save", { id: "mobile-save-log", type: "button", title: "Save what the filters show" });
    save.onclick = () => void this.save();
    const row = make("div", "", { class: "row file-line" });
    row.append(this.file, save, clear);
    this.element.append(this.filters, this.list, this.missed, row);
  }

  get count(): number {
    return this.list.childElementCount;
  }

  show(opened: MobileOpened): void {
    if (this.kinds.join() !== opened.kinds.join()) {
      this.kinds = opened.kinds;
      this.filters.replaceChildren(...this.kinds.map((kind) => this.filter(kind)));
    }
    this.file.placeholder = `${opened.scene.replace(/^.*\//, "").replace(/\.[a-z]+$/, "")}.log`;
    this.empty(-1);
  }

  /** Take what is news to somebody who knew some events of this log. */
  hear(moment: MobileMoment, knew: number): void {
    if (moment.log !== this.number) this.empty(moment.log);
    if (knew !== this.known) return; // it was counted from a log of before
    this.known = moment.known;
    this.lines = [...this.lines, ...moment.lines].slice(-KEPT);
    for (const line of moment.lines) this.write(line);
    this.missed.textContent = moment.missed > 0 ? `The first ${moment.missed} events are not kept any more.` : "";
  }

  private empty(number: number): void {
    this.number = number;
    this.known = 0;
    this.lines = [];
    this.list.replaceChildren();
  }

  private filter(kind: string): HTMLElement {
    const button = make("button", kind, { type: "button", "aria-pressed": String(!this.hidden.has(kind)) });
    button.onclick = () => {
      if (!this.hidden.delete(kind)) this.hidden.add(kind);
      button.setAttribute("aria-pressed", String(!this.hidden.has(kind)));
      keep("hidden mobile events", [...this.hidden].join(","));
      this.list.replaceChildren();
      for (const line of this.lines) this.write(line);
      this.list.scrollTop = this.list.scrollHeight;
    };
    return button;
  }

  private write(line: MobileLine): void {
    if (this.hidden.has(line.kind)) return;
    const atEnd = this.list.scrollTop + this.list.clientHeight > this.list.scrollHeight - 20;
    this.list.append(make("li", `${line.time.toFixed(2)} s  ${line.kind}  ${line.text}`, { "data-kind": line.kind }));
    while (this.list.childElementCount > MOST) this.list.firstElementChild?.remove();
    if (atEnd) this.list.scrollTop = this.list.scrollHeight;
  }

  private async save(): Promise<void> {
    const file = this.file.value.trim() || this.file.placeholder;
    const kinds = this.kinds.filter((kind) => !this.hidden.has(kind));
    if (kinds.length === 0) {
      say("every kind of event is hidden: nothing would be saved");
      return;
    }
    const answer = await this.studio.request({ type: "SaveMobileLog", file, kinds });
    if (answer.problem === "") say(`saved as ${file.endsWith(".log") ? file : `${file}.log`}`, "good");
  }
}
