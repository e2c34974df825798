// The arm by the axes of its joints: directions and places at zero; other ones give other rows.
import { make } from "../dom";
import type { Answer, ArmAxes, AxisRow, Command } from "../messages";
import type { Draft } from "./draft";

const KINDS = ["revolute", "prismatic", "fixed"];

export class AxesTable {
  readonly root = make("div", "", { class: "arm-axes" });
  /** The description with other axes. */
  onText: (text: string) => void = () => undefined;
  private body = make("tbody");
  private note = make("p", "", { class: "bad", role: "status" });
  private of = "";
  private fills = 0;

  constructor(
    private request: (command: Command) => Promise<Answer>,
    private draft: () => Draft,
  ) {
    const scroll = make("div", "", { class: "arm-scroll" });
    const table = make("table", "", { class: "arm-rows", "aria-label": "Axes of the joints" });
    const head = make("tr");
    for (const title of ["#", "Kind", "Direction x, y, z", "Place x, y, z [m]"]) head.append(make("th", title, { scope: "col" }));
    table.append(head, this.body);
    scroll.append(table);
    const line = make("div", "", { class: "row" });
    const apply = make("button", "Apply", { id: "arm-axes-apply", title: "Place frames and rows for these axes" });
    const add = make("button", "Add an axis", { title: "One more joint at the end" });
    apply.onclick = () => void this.apply();
    add.onclick = () => this.add();
    line.append(apply, add, make("small", "In the world, all joints at zero. Rows are placed anew, comments of the text are lost.", { class: "muted" }));
    this.root.append(scroll, this.note, line);
  }

  /** Show the axes of the description, when the panel is seen. */
  async show(open: boolean): Promise<void> {
    const { text, symbols } = this.draft();
    const key = `${symbols}\n${text}`;
    if (!open || key === this.of) return;
    this.of = key;
    const answer = await this.request({ type: "ReadAxes", text, symbols });
    this.note.textContent = answer.problem;
    if (answer.result?.type === "ArmAxes") this.fill(answer.result);
  }

  private fill(axes: ArmAxes): void {
    this.fills += 1;
    this.root.dataset.fills = String(this.fills);
    this.body.replaceChildren(...axes.rows.map((row, number) => this.row(row, number)));
  }

  private row(axis: AxisRow, number: number): HTMLElement {
    const row = make("tr");
    const kind = make("select", "", { "aria-label": `kind of joint ${number + 1}` });
    kind.append(...KINDS.map((one) => make("option", one, { value: one })));
    kind.value = axis.kind;
    const direction = make("input", "", { "aria-label": `direction of axis ${number + 1}: x, y, z`, "data-axis": `${number}/direction` });
    const place = make("input", "", { "aria-label": `place of axis ${number + 1}: x, y, z [m]`, "data-axis": `${number}/place` });
    direction.value = axis.direction;
    place.value = axis.place;
    row.append(make("th", String(number + 1), { scope: "row", title: axis.name }));
    for (const field of [kind, direction, place]) {
      const cell = make("td");
      cell.append(field);
      row.append(cell);
    }
    return row;
  }

  private add(): void {
    const last = this.body.lastElementChild?.querySelectorAll("input");
    const row = { name: "", kind: "revolute", direction: last?.[0]?.value ?? "0, 0, 1", place: last?.[1]?.value ?? "0, 0, 0" };
    this.body.append(this.row(row, this.body.childElementCount));
  }

  private async apply(): Promise<void> {
    const lines = [...this.body.rows].map((row) =>
      [...row.querySelectorAll<HTMLInputElement | HTMLSelectElement>("input, select")].map((one) => one.value).join("; "),
    );
    const { text, symbols } = this.draft();
    const answer = await this.request({ type: "WriteAxes", text, symbols, axes: lines.join("\n") });
    this.note.textContent = answer.problem;
    if (answer.result?.type === "ArmText") this.onText(answer.result.text);
  }
}
