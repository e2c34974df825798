// Sliders for the joints of an arm, each with a field for the exact value.
import { make } from "./dom";
import type { StagedJoint } from "./messages";
import { scale, shownUnit } from "./numbers";

/** Where a slider of a joint without limits ends [rad or m]. */
const FAR: Record<string, number> = { rad: Math.PI, m: 1 };

export class JointSliders {
  values: number[] = [];
  onInput: (values: number[]) => void = () => undefined;
  private rows: { slider: HTMLInputElement; field: HTMLInputElement; row: HTMLElement }[] = [];
  private joints: StagedJoint[] = [];

  constructor(private root: HTMLElement) {
    root.classList.add("joints");
  }

  show(joints: StagedJoint[], values: number[]): void {
    this.joints = joints;
    this.values = [...values];
    this.rows = joints.map((joint, number) => this.row(joint, number));
    this.root.replaceChildren(...this.rows.map(({ row }) => row));
    this.set(values);
  }

  /** Show other values, without telling. */
  set(values: ArrayLike<number>): void {
    this.values = Array.from(values);
    this.rows.forEach(({ slider, field }, number) => {
      const value = (this.values[number] ?? 0) * scale(this.joints[number]?.unit ?? "rad");
      slider.value = String(value);
      if (document.activeElement !== field) field.value = String(Math.round(value * 100) / 100);
    });
  }

  /** Show only some of the joints. */
  only(shown: (joint: number) => boolean): void {
    this.rows.forEach(({ row }, number) => (row.hidden = !shown(number)));
  }

  private row(joint: StagedJoint, number: number): (typeof this.rows)[number] {
    const factor = scale(joint.unit);
    const low = Math.ceil((joint.low ?? -(FAR[joint.unit] ?? 1)) * factor * 100) / 100;
    const high = Math.floor((joint.high ?? FAR[joint.unit] ?? 1) * factor * 100) / 100;
    const unit = shownUnit(joint.unit);
    const limits = { min: String(low), max: String(high) };
    const name = `${joint.name} [${unit}]`;
    const slider = make("input", "", { type: "range", step: "any", "aria-label": name, ...limits });
    const field = make("input", "", { type: "number", step: "any", "aria-label": `${name}, exactly` });
    const row = make("label", "", { class: "joint", title: `${low} to ${high} ${unit}` });
    row.append(make("span", joint.name), slider, field, make("span", unit));
    const put = (text: string) => {
      const value = Number(text);
      const good = text.trim() !== "" && value >= low && value <= high;
      field.setCustomValidity(good ? "" : `${joint.name}: ${low} to ${high} ${unit}`);
      if (!good) {
        field.reportValidity();
        return;
      }
      this.values[number] = value / factor;
      this.onInput([...this.values]);
    };
    slider.oninput = () => {
      field.value = String(Math.round(Number(slider.value) * 100) / 100);
      put(slider.value);
    };
    field.onchange = () => {
      put(field.value);
      if (field.validity.valid) slider.value = field.value;
    };
    return { slider, field, row };
  }
}
