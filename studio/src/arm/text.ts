// The description as it is written; complaints lead to their line.
import { make } from "../dom";
import type { ArmProblem } from "../messages";

const PAUSE = 350; // [ms] after the last key

export class TextPanel {
  readonly root = make("div", "", { class: "arm-text" });
  onText: (text: string) => void = () => undefined;
  private area = make("textarea", "", {
    id: "arm-text",
    spellcheck: "false",
    "aria-label": "Description of the arm as TOML",
  });
  private problems = make("ol", "", { class: "problems", "aria-live": "polite" });
  private timer = 0;

  constructor() {
    this.area.oninput = () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.send(), PAUSE);
    };
    this.area.onchange = () => this.send();
    this.root.append(this.problems, this.area);
  }

  show(text: string): void {
    if (this.timer === 0 && this.area.value !== text) this.area.value = text;
  }

  complain(problems: ArmProblem[]): void {
    this.problems.replaceChildren(
      ...problems.map((problem) => {
        const item = make("li");
        const where = problem.line > 0 ? `line ${problem.line}: ` : "";
        const button = make("button", `${where}${problem.message}`);
        button.onclick = () => this.go(problem.line);
        item.append(button);
        return item;
      }),
    );
  }

  private send(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.onText(this.area.value);
  }

  private go(line: number): void {
    const lines = this.area.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    this.area.focus();
    this.area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
    this.area.scrollTop = Math.max(0, (line - 4) * (this.area.scrollHeight / Math.max(1, lines.length)));
  }
}
