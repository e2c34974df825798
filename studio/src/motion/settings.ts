// What every motion keeps to: defaults of the table, speeds near bodies, distances.
import { make } from "../dom";
import type { MotionRules } from "../messages";
import { type Cells, type Column, SETTINGS } from "./sheet";

const RULES: Column[] = [
  { key: "speed", label: "Joint speed [%]", hint: "Of motions in joint space, in per cent of the limits" },
  { key: "margin", label: "Keep away [mm]", hint: "What comes nearer to a body counts as contact" },
  { key: "near", label: "Slow distance [mm]", hint: "Up to here the speed is reduced most" },
  { key: "nearSpeed", label: "Speed there [%]", hint: "Of the planned speed" },
  { key: "far", label: "Free distance [mm]", hint: "From here on the speed is not reduced" },
  { key: "farSpeed", label: "Speed there [%]", hint: "Of the planned speed" },
];
export const USUAL: Cells = {
  speed: "50",
  margin: "0",
  near: "20",
  nearSpeed: "20",
  far: "100",
  farSpeed: "100",
  slow: "yes",
  self: "yes",
};

export function rulesOf(cells: Cells): MotionRules {
  const number = (key: string) => Number(cells[key] || USUAL[key]);
  return {
    speed: number("speed") / 100,
    margin: number("margin") / 1000,
    self_check: cells.self !== "no",
    slow: cells.slow !== "no",
    near: number("near") / 1000,
    near_speed: number("nearSpeed") / 100,
    far: number("far") / 1000,
    far_speed: number("farSpeed") / 100,
  };
}

export class Settings {
  readonly element = make("div");
  onEdit: () => void = () => undefined;
  table: Cells = {};
  rules: Cells = { ...USUAL };

  show(table: Cells, rules: Cells): void {
    this.table = { ...table };
    this.rules = { ...USUAL, ...rules };
    this.element.replaceChildren(
      make("h3", "For rows that do not say it themselves"),
      form(SETTINGS, this.table, "setting", () => this.onEdit()),
      make("h3", "Safety"),
      this.switch("slow", "motion-slow", "drive slower near bodies"),
      this.switch("self", "motion-self", "hold the arm against itself"),
      form(RULES, this.rules, "rule", () => this.onEdit()),
    );
  }

  private switch(key: string, id: string, text: string): HTMLElement {
    const box = make("input", "", { type: "checkbox", id });
    box.checked = this.rules[key] !== "no";
    box.onchange = () => {
      this.rules[key] = box.checked ? "yes" : "no";
      this.onEdit();
    };
    const label = make("label", "", { class: "field" });
    label.append(box, make("span", text));
    return label;
  }
}

function form(columns: Column[], cells: Cells, id: string, edited: () => void): HTMLElement {
  const box = make("div", "", { class: "form" });
  for (const { key, label, hint, choices } of columns) {
    const attributes = { id: `motion-${id}-${key}`, title: hint };
    let control: HTMLInputElement | HTMLSelectElement;
    if (choices === undefined) control = make("input", "", { ...attributes, type: "number", step: "any", min: "0" });
    else {
      control = make("select", "", attributes);
      control.append(...choices.map((one) => make("option", one)));
    }
    control.value = cells[key] ?? choices?.[0] ?? "";
    control.oninput = () => {
      cells[key] = control.value;
      edited();
    };
    const line = make("label", "", { title: hint });
    line.append(make("span", label), control);
    box.append(line);
  }
  return box;
}
