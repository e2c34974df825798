// All ways to reach the pose of the tool: named, with joint values, those beyond limits marked.
import { make } from "../dom";
import type { ArmMotor, PosedArm } from "../messages";
import { colourOf } from "./stage";
import { shownUnit, written } from "./units";

export class Solutions {
  readonly root = make("div", "", { class: "arm-solutions" });
  onTake: (joints: number[]) => void = () => undefined;
  /** A row is pointed at; -1: none. */
  onPoint: (solution: number) => void = () => undefined;
  private note = make("p", "", { class: "muted" });
  private body = make("tbody");
  private head = make("thead");
  private motors: ArmMotor[] = [];
  private last = "";

  constructor() {
    const scroll = make("div", "", { class: "arm-scroll" });
    const table = make("table", "", { "aria-label": "Solutions of this pose" });
    table.append(this.head, this.body);
    scroll.append(table);
    this.root.append(this.note, scroll);
    this.body.onmouseleave = () => this.onPoint(-1);
  }

  show(motors: ArmMotor[]): void {
    this.motors = motors;
    this.last = "";
    const row = make("tr");
    row.append(make("th", "solution", { scope: "col" }));
    motors.forEach(({ name, unit }, number) => {
      row.append(make("th", `${number + 1} [${shownUnit(unit)}]`, { scope: "col", title: name }));
    });
    this.head.replaceChildren(row);
  }

  place(posed: PosedArm): void {
    this.note.textContent = this.said(posed);
    const key = JSON.stringify(posed.solutions);
    if (key === this.last) return;
    this.last = key;
    this.body.replaceChildren(
      ...posed.solutions.map((one, number) => {
        const row = make("tr", "", { "aria-selected": String(one.current), "data-solution": String(number) });
        const take = make("button", one.name, { class: "arm-take", title: "Take this solution" });
        const outside = one.outside.length > 0;
        take.onclick = () => this.onTake(one.joints);
        take.onfocus = () => this.onPoint(number);
        row.onmouseenter = () => this.onPoint(number);
        const first = make("td");
        const mark = make("i", "", { class: "arm-mark" });
        mark.dataset.colour = colourOf(number);
        mark.style.setProperty("--mark", one.current ? "var(--ink)" : colourOf(number));
        first.append(mark, take);
        if (outside) first.append(make("small", "limits", { class: "bad", title: "Some joints would be beyond their limits" }));
        row.append(first);
        one.joints.forEach((value, joint) => {
          const motor = this.motors[joint];
          const bad = one.outside.includes(joint);
          const cell = make("td", written(value, motor?.unit ?? "rad"), bad ? { class: "bad", title: "beyond its limits" } : {});
          row.append(cell);
        });
        return row;
      }),
    );
  }

  private said(posed: PosedArm): string {
    const count = posed.solutions.length;
    const inside = posed.solutions.filter((one) => one.outside.length === 0).length;
    const words = count === 1 ? "1 solution" : `${count} solutions`;
    const limits = inside === count ? "" : `, ${inside} within the limits`;
    const how = posed.preparing
      ? "by numbers; the closed form is being derived …"
      : posed.method === "closed"
        ? "in closed form"
        : "by numbers";
    return `${words}${limits}, ${how}`;
  }
}
