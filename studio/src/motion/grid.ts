// A table that is edited in place: cells, a row more, a row less, all of them.
import { make } from "../dom";
import type { Cells, Column } from "./sheet";

export class Grid {
  readonly element = make("div", "", { class: "grid-box" });
  /** Something was typed, added or deleted. */
  onEdit: () => void = () => undefined;
  onChoose: (row: number) => void = () => undefined;
  rows: Cells[] = [];
  chosen = -1;
  private body = make("tbody");
  private heads: HTMLElement[];
  private hidden = new Set<string>();

  /**
   * @param name For those who listen, such as "Trajectories".
   * @param fresh Makes a new row, after the last one.
   */
  constructor(
    private name: string,
    private columns: Column[],
    fresh: (last: Cells | undefined) => Cells,
    ...more: HTMLElement[]
  ) {
    const table = make("table", "", { class: "grid", "aria-label": name });
    const head = make("tr");
    this.heads = columns.map((one) => make("th", one.label, { title: one.hint }));
    head.append(make("th", "#"), ...this.heads, make("th"));
    const top = make("thead");
    top.append(head);
    table.append(top, this.body);
    const scroll = make("div", "", { class: "grid-scroll" });
    scroll.append(table);
    const add = make("button", "Add row", { type: "button", "data-do": "add" });
    const clear = make("button", "Delete all", { type: "button", "data-do": "clear" });
    add.onclick = () => this.put([...this.rows, fresh(this.rows.at(-1))]);
    clear.onclick = () => {
      if (this.rows.length === 0 || confirm(`Delete all ${this.rows.length} rows of ${name}?`)) this.put([]);
    };
    const row = make("div", "", { class: "row" });
    row.append(add, clear, ...more);
    this.element.append(row, scroll);
  }

  /** Show other rows, without telling. */
  show(rows: Cells[]): void {
    this.rows = rows.map((row) => ({ ...row }));
    this.chosen = Math.min(this.chosen, this.rows.length - 1);
    this.draw();
  }

  /** Leave out columns that are not needed; those that hold something are shown all the same. */
  leaveOut(keys: string[]): void {
    this.hidden = new Set(keys.filter((key) => this.rows.every((row) => (row[key] ?? "") === "")));
    this.draw();
  }

  /** Mark the row that something is wrong with; -1: none. */
  mark(wrong: number): void {
    [...this.body.children].forEach((one, number) => one.classList.toggle("wrong", number === wrong));
  }

  choose(row: number): void {
    this.chosen = row;
    [...this.body.children].forEach((one, number) => one.setAttribute("aria-selected", String(number === row)));
    this.onChoose(row);
  }

  put(rows: Cells[]): void {
    this.show(rows);
    this.onEdit();
  }

  private draw(): void {
    this.columns.forEach((column, k) => {
      const head = this.heads[k];
      if (head !== undefined) head.dataset.hidden = String(this.hidden.has(column.key));
    });
    this.body.replaceChildren(...this.rows.map((row, number) => this.line(row, number)));
    if (this.rows.length === 0) {
      const empty = make("tr");
      empty.append(make("td", "empty", { colspan: String(this.columns.length + 2), class: "muted" }));
      this.body.append(empty);
    }
  }

  private line(row: Cells, number: number): HTMLElement {
    const line = make("tr", "", { "aria-selected": String(number === this.chosen) });
    const label = make("td", String(number + 1), { class: "muted" });
    line.append(label, ...this.columns.map((column) => this.cell(row, number, column)));
    const tools = make("td", "", { class: "tools" });
    for (const [sign, title, change] of [
      ["↑", "Up", () => this.swap(number, number - 1)],
      ["↓", "Down", () => this.swap(number, number + 1)],
      ["✕", "Delete", () => this.put(this.rows.filter((_, at) => at !== number))],
    ] as const) {
      const button = make("button", sign, { type: "button", title: `${title} row ${number + 1}`, "aria-label": `${title} row ${number + 1} of ${this.name}` });
      button.onclick = (event) => {
        event.stopPropagation();
        change();
      };
      tools.append(button);
    }
    line.append(tools);
    line.onclick = () => this.choose(number);
    line.onfocus = () => this.choose(number);
    return line;
  }

  private cell(row: Cells, number: number, column: Column): HTMLElement {
    const attributes = { "aria-label": `${column.label}, row ${number + 1}`, "data-key": column.key };
    const box = make("td", "", { "data-hidden": String(this.hidden.has(column.key)) });
    let control: HTMLInputElement | HTMLSelectElement;
    if (column.choices !== undefined) {
      control = make("select", "", attributes);
      control.append(...column.choices.map((one) => make("option", one)));
    } else control = make("input", "", { ...attributes, inputmode: "text", autocomplete: "off", spellcheck: "false" });
    control.value = row[column.key] ?? "";
    control.oninput = () => {
      row[column.key] = control.value;
      this.onEdit();
    };
    box.append(control);
    return box;
  }

  private swap(one: number, other: number): void {
    const rows = [...this.rows];
    const [a, b] = [rows[one], rows[other]];
    if (a === undefined || b === undefined) return;
    rows[one] = b;
    rows[other] = a;
    this.put(rows);
  }
}
