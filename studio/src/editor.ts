// The text of the cell: checked as it is typed, applied, taken back, saved; errors are marked at
// their lines. What was not applied or not saved is kept on this machine, so that neither a reload
// nor a lost server loses it.
import { find, keep, kept, make, say } from "./dom";
import { Gutter } from "./gutter";
import type { Answer, CellStatus, CellText, Command, TextProblem } from "./messages";

const PAUSE = 350; // [ms] of typing no more, before the text is checked

/** What was typed, and on top of which text. */
interface Draft {
  of: string;
  text: string;
}

/** What was applied and not saved, and the text that the cell began with. */
interface Applied {
  title: string;
  base: string;
  text: string;
}

export class Editor {
  private area = find<HTMLTextAreaElement>("text");
  private file = find<HTMLInputElement>("file");
  private problems = find("problems");
  private gutter = new Gutter(this.area);
  private known = "";
  private applied: Applied | null = read<Applied>("applied");
  private fresh = true;
  private timer = 0;

  constructor(
    private ask: (command: Command) => Promise<Answer>,
    private quietly: (command: Command) => Promise<Answer>,
  ) {
    this.area.oninput = () => this.typed();
    this.area.onkeydown = (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void this.apply();
      if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        void this.save();
      }
    };
    find("apply").onclick = () => void this.apply();
    find("undo").onclick = () => void ask({ type: "UndoEdit" });
    find("redo").onclick = () => void ask({ type: "RedoEdit" });
    find("save").onclick = () => void this.save();
    find("panel-text").addEventListener("toggle", () => this.gutter.number());
  }

  /** The server is there, perhaps another one. */
  connected(): void {
    this.fresh = true;
  }

  text(message: CellText, title: string): void {
    const typed = this.area.value !== this.known ? this.area.value : null;
    const same = this.applied !== null && this.applied.title === title;
    if (this.fresh) this.restore(message, title, typed);
    else {
      const base = same && this.applied !== null ? this.applied.base : message.text;
      this.remember({ title, base, text: message.text });
      if (typed === null || !same) this.area.value = message.text;
    }
    this.known = message.text;
    this.fresh = false;
    if (message.file !== "") this.file.value = message.file;
    this.gutter.number();
    this.tell();
  }

  status(status: CellStatus): void {
    find<HTMLButtonElement>("undo").disabled = !status.can_undo;
    find<HTMLButtonElement>("redo").disabled = !status.can_redo;
  }

  /** The first text of a server: bring back what it does not have. */
  private restore(message: CellText, title: string, typed: string | null): void {
    const draft = typed === null ? read<Draft>("draft") : { of: this.known, text: typed };
    const applied = this.applied?.title === title ? this.applied : null;
    const lost = applied !== null && applied.base === message.text && applied.text !== message.text;
    let mine: string | null = null;
    if (draft !== null && (draft.of === message.text || (lost && draft.of === applied.text))) {
      mine = draft.text;
    } else if (lost) mine = applied.text;
    this.area.value = message.text;
    if (mine !== null && mine !== message.text) {
      this.area.value = mine;
      keep("draft", JSON.stringify({ of: message.text, text: mine }));
      find<HTMLDetailsElement>("panel-text").open = true;
      say("Your text that was not applied or saved is still here.");
    }
    const base = applied !== null ? applied.base : message.text;
    if (!lost) this.remember({ title, base, text: message.text });
  }

  private remember(applied: Applied): void {
    if (document.documentElement.hasAttribute("data-recording")) return; // nothing of it is edited
    this.applied = applied;
    keep("applied", JSON.stringify(applied));
  }

  private typed(): void {
    keep("draft", JSON.stringify({ of: this.known, text: this.area.value }));
    this.gutter.number();
    this.tell();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.check(), PAUSE);
  }

  /** Say at the panel's title what has not been applied or saved. */
  private tell(): void {
    const open = this.area.value !== this.known;
    const unsaved = this.applied !== null && this.applied.base !== this.known;
    find("text-state").textContent = open ? "not applied" : unsaved ? "not saved" : "";
  }

  private async check(): Promise<void> {
    const text = this.area.value;
    const answer = await this.quietly({ type: "CheckCell", text });
    if (this.area.value === text) this.list(answer.problems);
  }

  private async apply(): Promise<boolean> {
    const text = this.area.value;
    const answer = await this.ask({ type: "RewriteCell", text });
    this.list(answer.problems);
    const first = answer.problems[0];
    if (first !== undefined) this.go(first);
    if (answer.problem !== "") return false;
    keep("draft", "null");
    this.tell();
    return true;
  }

  private async save(): Promise<void> {
    const name = this.file.value.trim();
    if (name === "") {
      say("give a file to save to, such as mine.env");
      this.file.focus();
      return;
    }
    const file = name.endsWith(".env") ? name : `${name}.env`;
    if (this.area.value !== this.known && !(await this.apply())) return;
    const answer = await this.ask({ type: "SaveCell", file });
    if (answer.problem !== "") return;
    if (this.applied !== null) this.remember({ ...this.applied, base: this.known, text: this.known });
    this.tell();
    say(`saved as ${file}`, "good");
  }

  private list(problems: TextProblem[]): void {
    this.gutter.mark(problems);
    this.problems.replaceChildren();
    for (const problem of problems) {
      const hint = problem.expected === "" ? "" : ` – expected ${problem.expected}`;
      const button = make("button", `line ${problem.line}: ${problem.message}${hint}`);
      button.onclick = () => this.go(problem);
      const item = make("li");
      item.append(button);
      this.problems.append(item);
    }
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

function read<T>(name: string): T | null {
  try {
    return JSON.parse(kept(name) ?? "null") as T | null;
  } catch {
    return null;
  }
}
