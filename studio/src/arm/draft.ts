// The description that is edited: its text, what it was before, and where it is kept. Neither a
// reload nor a server that goes away loses it.
import { keep, kept } from "../dom";

const MOST = 200; // steps that can be taken back
const KEPT = 20; // of them that survive a reload
const TOGETHER = 1500; // [ms] within which edits of one field count as one

interface Kept {
  text: string;
  saved: string;
  name: string;
  file: string;
  symbols: string;
  before: string[];
}

export class Draft {
  text = "";
  /** As it was opened or saved last. */
  saved = "";
  /** By which it was opened. */
  name = "";
  file = "";
  /** Numbers for its symbols, "a1 = 0.3, a2 = 0.25". */
  symbols = "";
  private before: string[] = [];
  private after: string[] = [];
  private field = "";
  private time = 0;

  constructor() {
    try {
      const old = JSON.parse(kept("arm") ?? "null") as Partial<Kept> | null;
      if (old === null || typeof old.text !== "string") return;
      this.text = old.text;
      this.saved = old.saved ?? "";
      this.name = old.name ?? "";
      this.file = old.file ?? "";
      this.symbols = old.symbols ?? "";
      this.before = Array.isArray(old.before) ? old.before : [];
    } catch {
      // what was kept is of another make
    }
  }

  get changed(): boolean {
    return this.text !== this.saved;
  }

  get canUndo(): boolean {
    return this.before.length > 0;
  }

  get canRedo(): boolean {
    return this.after.length > 0;
  }

  /** Begin with another description; the one before can be taken back. */
  open(name: string, text: string, file: string): void {
    if (this.text !== "" && this.text !== text) this.remember("");
    Object.assign(this, { name, text, saved: text, file, symbols: "" });
    this.keep();
  }

  /** Put another text in its place; edits of one field in a row are one step. */
  edit(text: string, field: string): void {
    if (text === this.text) return;
    this.remember(field);
    this.text = text;
    this.keep();
  }

  undo(): void {
    const last = this.before.pop();
    if (last === undefined) return;
    this.after.push(this.text);
    this.text = last;
    this.field = "";
    this.keep();
  }

  redo(): void {
    const next = this.after.pop();
    if (next === undefined) return;
    this.before.push(this.text);
    this.text = next;
    this.field = "";
    this.keep();
  }

  wasSaved(file: string): void {
    this.saved = this.text;
    this.file = this.name = file;
    this.keep();
  }

  keep(): void {
    const { text, saved, name, file, symbols } = this;
    const before = this.before.slice(-KEPT);
    keep("arm", JSON.stringify({ text, saved, name, file, symbols, before } satisfies Kept));
  }

  private remember(field: string): void {
    const now = Date.now();
    const same = field !== "" && field === this.field && now - this.time < TOGETHER;
    this.field = field;
    this.time = now;
    if (!same) this.before = [...this.before, this.text].slice(-MOST);
    this.after = [];
  }
}
