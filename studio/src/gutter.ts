// Line numbers beside a text area, with a mark at every line that is wrong.
import { make } from "./dom";
import type { TextProblem } from "./messages";

export class Gutter {
  private lines = make("div", "", { class: "gutter", "aria-hidden": "true" });
  private shown = -1;
  private marked = new Map<number, string>();

  constructor(private area: HTMLTextAreaElement) {
    const frame = make("div", "", { class: "code" });
    area.before(frame);
    frame.append(this.lines, area);
    area.wrap = "off";
    area.addEventListener("scroll", () => (this.lines.scrollTop = area.scrollTop));
  }

  /** Number the lines anew; to be called when the text has changed. */
  number(): void {
    const count = this.area.value.split("\n").length;
    if (count !== this.shown) {
      this.shown = count;
      this.lines.replaceChildren(
        ...Array.from({ length: count }, (_, line) => make("div", String(line + 1))),
        make("div", " ", { class: "tail" }),
      );
      this.paint();
    }
    this.lines.scrollTop = this.area.scrollTop;
  }

  mark(problems: TextProblem[]): void {
    this.marked.clear();
    for (const { line, message } of problems) {
      const before = this.marked.get(line);
      this.marked.set(line, before === undefined ? message : `${before}\n${message}`);
    }
    this.number();
    this.paint();
  }

  private paint(): void {
    [...this.lines.children].forEach((one, index) => {
      const message = this.marked.get(index + 1);
      one.classList.toggle("wrong", message !== undefined);
      (one as HTMLElement).title = message ?? "";
    });
  }
}
