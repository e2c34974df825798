// The text of the cell: applied, taken back, saved; errors lead to their place. What has not been
// applied is kept on this machine, so that neither a reload nor a lost server loses it.
import { find, keep, kept, make, say } from "./dom";
import type { Answer, CellStatus, CellText, Command, TextProblem } from "./messages";

export class Editor {
  private area = find<HTMLTextAreaElement>("text");
  private file = find<HTMLInputElement>("file");
  private problems = find("problems");
  private known = "";
  private first = true;

  constructor(private ask: (command: Command) => Promise<Answer>) {
    this.area.oninput = () => keep("draft", JSON.stringify([this.known, this.area.value]));
    this.area.onkeydown = (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void this.apply();
    };
    find("apply").onclick = () => void this.apply();
    find("undo").onclick = () => void ask({ type: "UndoEdit" });
    find("redo").onclick = () => void ask({ type: "RedoEdit" });
    find("save").onclick = () => void this.save();
  }

  text(message: CellText): void {
    const unsaved = this.area.value !== this.known && !this.first;
    this.known = message.text;
    if (message.file !== "") this.file.value = message.file;
    if (this.first) this.restore();
    else if (!unsaved) this.area.value = message.text;
    this.first = false;
  }

  status(status: CellStatus): void {
    find<HTMLButtonElement>("undo").disabled = !status.can_undo;
    find<HTMLButtonElement>("redo").disabled = !status.can_redo;
  }

  private restore(): void {
    this.area.value = this.known;
    const [of, draft] = JSON.parse(kept("draft") ?? "[null,null]") as [string | null, string | null];
    if (of !== this.known || draft === null || draft === this.known) return;
    this.area.value = draft;
    find<HTMLDetailsElement>("panel-text").open = true;
    say("Your text that was not applied is still here.");
  }

  private async apply(): Promise<void> {
    const text = this.area.value;
    const answer = await this.ask({ type: "RewriteCell", text });
    this.mark(answer.problems);
    if (answer.problem !== "") return;
    this.known = text;
    keep("draft", "[null,null]");
  }

  private async save(): Promise<void> {
    const name = this.file.value.trim();
    const file = name.endsWith(".env") ? name : `${name}.env`;
    if (this.area.value !== this.known) await this.apply();
    const answer = await this.ask({ type: "SaveCell", file });
    if (answer.problem === "") say(`saved as ${file}`);
  }

  private mark(problems: TextProblem[]): void {
    this.problems.replaceChildren();
    for (const problem of problems) {
      const hint = problem.expected === "" ? "" : ` – expected ${problem.expected}`;
      const button = make("button", `line ${problem.line}: ${problem.message}${hint}`);
      button.onclick = () => this.go(problem);
      const item = make("li");
      item.append(button);
      this.problems.append(item);
    }
    const first = problems[0];
    if (first !== undefined) this.go(first);
  }

  private go(problem: TextProblem): void {
    const lines = this.area.value.split("\n").slice(0, problem.line - 1);
    const start = lines.reduce((sum, line) => sum + line.length + 1, 0) + problem.column - 1;
    this.area.focus();
    this.area.setSelectionRange(start, start + problem.length);
    const height = this.area.scrollHeight / Math.max(1, this.area.value.split("\n").length);
    this.area.scrollTop = Math.max(0, (problem.line - 4) * height);
  }
}
