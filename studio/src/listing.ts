// The lines of the robot program that steers a robot; the one that is under way stands out.
import { make } from "./dom";
import type { Answer, Command } from "./messages";

export class Listing {
  readonly root = make("ol", "", { class: "listing", tabindex: "0" });
  /** The line that is under way, in one line. */
  readonly present = make("div", "", { class: "present" });
  private lines: string[] = [];
  private marked = 0;

  constructor(robot: number, ask: (command: Command) => Promise<Answer>) {
    this.root.setAttribute("aria-label", `Program of robot ${robot}`);
    this.present.dataset.line = String(robot);
    void ask({ type: "ReadRobotProgram", robot }).then(({ result }) => {
      if (result?.type !== "FileText") return;
      this.lines = result.text.split("\n");
      if (this.lines.at(-1) === "") this.lines.pop();
      this.root.replaceChildren(...this.lines.map((line) => make("li", line)));
      const marked = this.marked;
      this.marked = 0;
      this.mark(marked);
    });
  }

  /** Show which line is under way; 0: none is. */
  mark(line: number): void {
    if (line === this.marked) return;
    this.root.children[this.marked - 1]?.removeAttribute("aria-current");
    this.marked = line;
    const one = this.root.children[line - 1];
    this.present.textContent = line > 0 ? `line ${line}: ${this.lines[line - 1]?.trim() ?? ""}` : "";
    if (!(one instanceof HTMLElement)) return;
    one.setAttribute("aria-current", "step");
    // only the list is scrolled, not the page
    const { offsetTop, offsetHeight } = one;
    const { scrollTop, clientHeight } = this.root;
    const top = offsetTop - this.root.offsetTop;
    if (top < scrollTop || top + offsetHeight > scrollTop + clientHeight) {
      this.root.scrollTop = top - clientHeight / 2;
    }
  }
}
