// The description as a form: fields with units and immediate complaints. What is typed goes into
// the text, where everything else stays as it was written.
import { make } from "../dom";
import type { ArmForm, ArmProblem, EditArm, FormColumn, FormTable } from "../messages";

export type ArmEdit = EditArm["action"];

const PAUSE = 250; // [ms] after the last key
const WIDEST = 24; // characters of a column

export class Form {
  readonly root = make("div", "", { class: "arm-form" });
  /** Somebody wants a change. */
  onEdit: (action: ArmEdit, place: string, value: string) => void = () => undefined;
  onSymbols: (symbols: string) => void = () => undefined;
  private inputs = new Map<string, HTMLInputElement | HTMLSelectElement>();
  private notes = new Map<string, HTMLElement>();
  private made = "";
  private timers = new Map<string, number>();
  private symbols = make("div", "", { class: "arm-fields" });
  private general = make("div", "", { class: "arm-fields" });
  private joints = make("div");
  private others = make("p", "", { class: "bad" });
  private table = 0;
  private form: ArmForm | null = null;

  constructor() {
    this.root.append(this.others, this.joints, this.symbols, this.general);
  }

  /** Show the fields; null: leave them, the text cannot be read. */
  show(form: ArmForm | null, problems: ArmProblem[]): void {
    if (form !== null) {
      this.form = form;
      const shape = JSON.stringify([
        this.table,
        form.fields.map((one) => one.place),
        form.tables.map((one) => [one.title, one.rows.length]),
      ]);
      if (shape !== this.made) this.build(form);
      this.made = shape;
      this.fill(form);
    }
    this.root.classList.toggle("stale", form === null);
    this.complain(problems);
  }

  /** Show fields for the symbols of the arm. */
  showSymbols(names: string[], text: string): void {
    const values = new Map(
      text.split(/[,;]/).map((part) => {
        const [name = "", value = ""] = part.split("=");
        return [name.trim(), value.trim()] as const;
      }),
    );
    if (this.symbols.dataset.names !== names.join(" ")) {
      this.symbols.dataset.names = names.join(" ");
      this.symbols.replaceChildren();
      if (names.length > 0) this.symbols.append(make("h3", "Numbers for symbols, to draw it"));
      for (const name of names) {
        const label = make("label");
        const input = make("input", "", { "data-symbol": name, placeholder: "0.3", "aria-label": `number for ${name} [m or rad]` });
        input.value = values.get(name) ?? "";
        input.oninput = () => {
          const inputs = [...this.symbols.querySelectorAll<HTMLInputElement>("input")];
          const given = inputs.filter((one) => one.value.trim() !== "");
          this.onSymbols(given.map((one) => `${one.dataset.symbol} = ${one.value.trim()}`).join(", "));
        };
        label.append(make("span", name), input, make("small", "m or rad", { class: "muted" }));
        this.symbols.append(label);
      }
      const note = make("p", "", { class: "bad", "data-note": "symbols" });
      this.symbols.append(note);
      this.notes.set("symbols", note);
    }
  }

  /** Go to a field. */
  go(place: string): boolean {
    const [, array = "", field = ""] = /^(\w+)\/\d+\/(.+)$/.exec(place) ?? [];
    const number =
      this.form?.tables.findIndex(
        (table) => table.array === array && table.columns.some((one) => one.field === field),
      ) ?? -1;
    if (number >= 0 && number !== this.table && this.form !== null) {
      this.table = number;
      this.build(this.form);
      this.fill(this.form);
    }
    const input = this.inputs.get(place);
    input?.focus();
    return input !== undefined;
  }

  private build(form: ArmForm): void {
    this.inputs.clear();
    for (const key of [...this.notes.keys()]) if (key !== "symbols") this.notes.delete(key);
    this.general.replaceChildren(make("h3", "The arm as a whole"));
    for (const field of form.fields) {
      const label = make("label", "", { title: field.hint });
      const input = this.input(field.place, field.label, field.hint, field.choices);
      const note = make("small", "", { class: "bad" });
      this.notes.set(field.place, note);
      label.append(make("span", field.label), input, make("small", field.hint, { class: "muted" }), note);
      this.general.append(label);
    }
    const tabs = make("div", "", { class: "row", role: "tablist", "aria-label": "Tables of the description" });
    form.tables.forEach((table, number) => {
      const tab = make("button", table.title, { role: "tab", "aria-selected": String(number === this.table) });
      tab.onclick = () => {
        this.table = number;
        this.build(form);
        if (this.form !== null) this.fill(this.form);
      };
      tabs.append(tab);
    });
    const table = form.tables[this.table] ?? form.tables[0];
    this.joints.replaceChildren(tabs);
    if (table !== undefined) this.joints.append(this.rows(table), this.adding(table));
  }

  private rows(table: FormTable): HTMLElement {
    const scroll = make("div", "", { class: "arm-scroll" });
    const made = make("table", "", { class: "arm-rows", "aria-label": table.title });
    const head = make("tr");
    head.append(make("th", "#", { scope: "col" }));
    table.columns.forEach((column, number) => {
      const cell = make("th", column.label, { scope: "col", title: column.hint });
      // as wide as what stands in it, within reason: what does not fit is scrolled to
      const longest = Math.max(column.label.length, ...table.rows.map((row) => row[number]?.length ?? 0));
      cell.style.minWidth = `${0.46 * Math.min(WIDEST, longest + (column.choices.length > 0 ? 4 : 2))}rem`;
      head.append(cell);
    });
    head.append(make("th", "", { "aria-label": "order" }));
    const thead = make("thead");
    thead.append(head);
    const body = make("tbody");
    const named = table.columns.some((one) => one.field === "name");
    const names = this.names(table.array);
    table.rows.forEach((_, number) => {
      const row = make("tr");
      const name = names[number] ?? "";
      row.append(make("th", named || name === "" ? String(number + 1) : name, { scope: "row", title: name }));
      for (const column of table.columns) row.append(this.cell(table.array, column, number));
      row.append(this.order(table, number));
      const below = make("tr", "", { class: "arm-complaint" });
      const cell = make("td", "", { colspan: String(table.columns.length + 2) });
      const note = make("div", "", { class: "bad" });
      this.notes.set(`${table.array}/${number}`, note);
      cell.append(note);
      below.append(cell);
      body.append(row, below);
    });
    made.append(thead, body);
    scroll.append(made);
    const hints = table.columns.map((one) => `${one.label}: ${one.hint}`).join(" · ");
    scroll.append(make("p", hints, { class: "muted arm-hints" }));
    return scroll;
  }

  /** Names of the rows of an array, as its first table has them. */
  private names(array: string): string[] {
    const table = this.form?.tables.find((one) => one.array === array);
    return table?.columns[0]?.field === "name" ? table.rows.map((row) => row[0] ?? "") : [];
  }

  private cell(array: string, column: FormColumn, row: number): HTMLElement {
    const cell = make("td");
    const label = `${array} ${row + 1}, ${column.label} (${column.hint})`;
    cell.append(this.input(`${array}/${row}/${column.field}`, label, column.hint, column.choices));
    return cell;
  }

  private input(
    place: string,
    label: string,
    hint: string,
    choices: string[],
  ): HTMLInputElement | HTMLSelectElement {
    const common = { "aria-label": label, title: hint, "data-place": place };
    let made: HTMLInputElement | HTMLSelectElement;
    if (choices.length > 0) {
      made = make("select", "", common);
      made.append(make("option", place.includes("/") && !place.startsWith("motion") ? "" : "–", { value: "" }));
      made.append(...choices.map((one) => make("option", one, { value: one })));
      made.onchange = () => this.onEdit("set", place, made.value);
    } else {
      made = make("input", "", { ...common, spellcheck: "false", autocomplete: "off" });
      made.oninput = () => this.later(place, made);
      made.onchange = () => this.now(place, made);
    }
    this.inputs.set(place, made);
    return made;
  }

  private later(place: string, input: HTMLInputElement | HTMLSelectElement): void {
    clearTimeout(this.timers.get(place));
    this.timers.set(place, window.setTimeout(() => this.now(place, input), PAUSE));
  }

  private now(place: string, input: HTMLInputElement | HTMLSelectElement): void {
    clearTimeout(this.timers.get(place));
    this.timers.delete(place);
    if (input.dataset.known === input.value) return;
    input.dataset.known = input.value;
    this.onEdit("set", place, input.value);
  }

  private order(table: FormTable, row: number): HTMLElement {
    const { array } = table;
    const count = table.rows.length;
    const cell = make("td", "", { class: "arm-order" });
    const button = (text: string, hint: string, action: ArmEdit, usable: boolean) => {
      const made = make("button", text, { title: hint, "aria-label": `${hint} (${array} ${row + 1})` });
      made.disabled = !usable;
      made.onclick = () => this.onEdit(action, `${array}/${row}`, "");
      cell.append(made);
    };
    button("↑", "Earlier in the chain", "earlier", row > 0);
    button("↓", "Later in the chain", "later", row < count - 1);
    button("×", `Remove this ${array}`, "remove", count > 1 || array === "union" || array === "platform");
    return cell;
  }

  private adding(table: FormTable): HTMLElement {
    const { array, offers } = table;
    const line = make("div", "", { class: "row arm-add" });
    const after = make("select", "", { "aria-label": `behind which ${array}` });
    const names = this.names(array);
    table.rows.forEach((_, row) => after.append(make("option", names[row] || `${array} ${row + 1}`, { value: String(row) })));
    after.value = String(table.rows.length - 1);
    line.append(make("span", table.rows.length > 0 ? "Add behind" : "Add:", { class: "muted" }));
    if (table.rows.length > 0) line.append(after);
    for (const { kind, label, hint } of offers) {
      const button = make("button", label, { title: hint, [`data-add-${array}`]: kind });
      button.onclick = () => this.onEdit("add", `${array}/${after.value === "" ? -1 : after.value}`, kind);
      line.append(button);
    }
    return line;
  }

  private fill(form: ArmForm): void {
    const put = (place: string, text: string) => {
      const input = this.inputs.get(place);
      if (input === undefined || this.timers.has(place)) return;
      input.dataset.known = text;
      if (document.activeElement === input && input.value.trim() === text.trim()) return;
      if (document.activeElement === input && input instanceof HTMLInputElement) return;
      input.value = text;
    };
    for (const field of form.fields) put(field.place, field.text);
    const table = form.tables[this.table];
    table?.rows.forEach((row, number) =>
      row.forEach((text, column) => put(`${table.array}/${number}/${table.columns[column]?.field}`, text)),
    );
  }

  private complain(problems: ArmProblem[]): void {
    for (const note of this.notes.values()) note.textContent = "";
    for (const input of this.inputs.values()) input.removeAttribute("aria-invalid");
    const rest: string[] = [];
    for (const { place, message } of problems) {
      this.inputs.get(place)?.setAttribute("aria-invalid", "true");
      const row = /^\w+\/\d+/.exec(place)?.[0];
      const note = this.notes.get(place) ?? (row === undefined ? undefined : this.notes.get(row));
      if (note === undefined) rest.push(message);
      else note.textContent = note.textContent === "" ? message : `${note.textContent} · ${message}`;
    }
    this.others.textContent = rest.join(" · ");
  }
}
