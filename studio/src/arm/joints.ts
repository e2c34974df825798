// A slider and a number for every joint, with its limits.
import { make } from "../dom";
import type { ArmMotor, SeenArm } from "../messages";
import { digits, fromShown, shownUnit, span, toShown, written } from "./units";

interface Row {
  motor: ArmMotor;
  slider: HTMLInputElement;
  field: HTMLInputElement;
}

export class Joints {
  readonly root = make("div", "", { class: "arm-joints" });
  /** Somebody wants the joints elsewhere [rad or m]. */
  onMove: (joints: number[]) => void = () => undefined;
  private rows: Row[] = [];
  private values: number[] = [];

  show(seen: SeenArm): void {
    this.root.replaceChildren();
    this.rows = seen.motors.map((motor, number) => this.row(motor, number, seen.size));
  }

  place(joints: number[]): void {
    this.values = [...joints];
    this.rows.forEach(({ motor, slider, field }, number) => {
      const value = joints[number] ?? 0;
      if (document.activeElement !== slider) slider.value = String(value);
      if (document.activeElement !== field) field.value = written(value, motor.unit);
      const outside =
        (motor.low !== null && value < motor.low - 1e-6) || (motor.high !== null && value > motor.high + 1e-6);
      field.setAttribute("aria-invalid", String(outside));
    });
  }

  private row(motor: ArmMotor, number: number, size: number): Row {
    const unit = shownUnit(motor.unit);
    const [low, high] = span(motor, size);
    const limits =
      motor.low === null && motor.high === null
        ? "no limits"
        : `${written(low, motor.unit)} to ${written(high, motor.unit)} ${unit}`;
    const label = make("label", motor.name, { for: `arm-joint-${number}`, title: `${motor.name}: ${limits}` });
    const slider = make("input", "", {
      id: `arm-joint-${number}`,
      type: "range",
      min: String(low),
      max: String(high),
      step: "any",
      title: limits,
      "aria-label": `${motor.name} [${unit}], ${limits}`,
    });
    const field = make("input", "", {
      type: "number",
      step: motor.unit === "rad" ? "1" : "0.01",
      title: limits,
      "aria-label": `${motor.name} as a number [${unit}]`,
    });
    const send = (value: number) => {
      if (!Number.isFinite(value)) return;
      const next = [...this.values];
      next[number] = value;
      this.values = next;
      this.onMove(next);
    };
    slider.oninput = () => {
      field.value = written(Number(slider.value), motor.unit);
      send(Number(slider.value));
    };
    field.oninput = () => {
      if (field.value === "") return;
      const value = fromShown(Number(field.value), motor.unit);
      slider.value = String(value);
      send(value);
    };
    field.onblur = () => {
      const value = this.values[number] ?? 0;
      field.value = toShown(value, motor.unit).toFixed(digits(motor.unit));
    };
    const line = make("div", "", { class: "arm-joint" });
    const ends = make("small", limits, { class: "muted" });
    line.append(label, slider, field, make("span", unit, { class: "unit" }), ends);
    this.root.append(line);
    return { motor, slider, field };
  }
}
