// Where the tool is: place and angles, which can be typed as well.
import { make } from "../dom";
import type { Place } from "../gizmo";
import type { PosedArm } from "../messages";
import { angles, quaternion } from "./units";

const FIELDS = [
  ["x", "m", "Place of the tool along x of the world"],
  ["y", "m", "Place of the tool along y of the world"],
  ["z", "m", "Height of the tool"],
  ["A", "°", "Turn about z, first"],
  ["B", "°", "Turn about the new y, second"],
  ["C", "°", "Turn about the new x, third"],
] as const;
const DEGREES = 180 / Math.PI;

export class Tool {
  readonly root = make("div", "", { class: "arm-tool" });
  /** Somebody wants the tool elsewhere: x y z [m], w x y z. */
  onGoal: (goal: Place) => void = () => undefined;
  private fields: HTMLInputElement[] = [];
  private exact: number[] = [0, 0, 0, 0, 0, 0];
  private dexterity = make("meter", "", {
    min: "0",
    max: "0.25",
    low: "0.02",
    high: "0.05",
    optimum: "0.25",
    "aria-label": "How far from singular the arm is",
  });
  private remark = make("span", "", { class: "muted" });

  constructor() {
    FIELDS.forEach(([name, unit, hint], number) => {
      const label = make("label", "", { title: hint });
      const field = make("input", "", {
        type: "number",
        step: unit === "m" ? "0.01" : "1",
        "aria-label": `tool ${name} [${unit}]`,
      });
      field.oninput = () => {
        if (field.value === "") return;
        this.exact[number] = unit === "m" ? Number(field.value) : Number(field.value) / DEGREES;
        this.send();
      };
      label.append(make("span", name), field, make("span", unit, { class: "unit" }));
      this.fields.push(field);
      this.root.append(label);
    });
    const line = make("div", "", { class: "arm-dexterity", title: "Smallest by largest singular value of the Jacobian; 0 at a singularity" });
    line.append(make("span", "Dexterity"), this.dexterity, this.remark);
    this.root.append(line);
  }

  place(posed: PosedArm): void {
    const [x = 0, y = 0, z = 0, w = 1, i = 0, j = 0, k = 0] = posed.tool;
    this.exact = [x, y, z, ...angles([w, i, j, k])];
    this.fields.forEach((field, number) => {
      if (document.activeElement === field) return;
      const value = this.exact[number] ?? 0;
      const text = number < 3 ? value.toFixed(4) : (value * DEGREES).toFixed(2);
      field.value = Number(text) === 0 ? text.replace("-", "") : text;
    });
    this.dexterity.value = Math.min(0.25, posed.dexterity);
    const singular = posed.dexterity < 1e-6;
    this.remark.textContent = singular ? "singular" : posed.dexterity.toPrecision(2);
    this.remark.className = singular ? "bad" : "muted";
  }

  private send(): void {
    const [x = 0, y = 0, z = 0, a = 0, b = 0, c = 0] = this.exact;
    this.onGoal([x, y, z, ...quaternion([a, b, c])]);
  }
}
