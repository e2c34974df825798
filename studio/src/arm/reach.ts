// Which places the tool reaches: a cloud, coloured by how well it moves there, whole or cut open.
import { BufferAttribute, BufferGeometry, Color, Points, PointsMaterial } from "three";
import { make } from "../dom";
import type { Answer, Command, SweptArm } from "../messages";
import type { Draft } from "./draft";
import { numbers, type Stage } from "./stage";

const SLICES = [
  ["none", "Hidden"],
  ["half", "Cut open"],
  ["slice", "Slice"],
  ["whole", "Whole"],
] as const;
type Shown = (typeof SLICES)[number][0];

export class Reach {
  readonly root = make("div", "", { class: "arm-reach" });
  private note = make("p", "", { class: "muted", role: "status" });
  private buttons = new Map<Shown, HTMLButtonElement>();
  private cloud: Points | null = null;
  private swept: SweptArm | null = null;
  private of = "";
  private shown: Shown = "none";

  constructor(
    private stage: Stage,
    private request: (command: Command) => Promise<Answer>,
    private draft: () => Draft,
  ) {
    const line = make("div", "", { class: "row", role: "group", "aria-label": "Cloud of reachable places" });
    for (const [name, title] of SLICES) {
      const button = make("button", title, { "data-reach": name, "aria-pressed": String(name === "none") });
      button.onclick = () => void this.show(name);
      this.buttons.set(name, button);
      line.append(button);
    }
    this.root.append(line, this.note);
  }

  /** How many places are drawn. */
  get count(): number {
    return this.cloud?.geometry.getAttribute("position").count ?? 0;
  }

  /** Another description is shown. */
  changed(): void {
    if (this.shown === "none") return;
    const { text, symbols } = this.draft();
    if (this.of !== `${symbols}\n${text}`) void this.show(this.shown);
  }

  private async show(shown: Shown): Promise<void> {
    this.shown = shown;
    for (const [name, button] of this.buttons) button.setAttribute("aria-pressed", String(name === shown));
    const { text, symbols } = this.draft();
    const key = `${symbols}\n${text}`;
    if (shown !== "none" && this.of !== key) {
      this.note.textContent = "sweeping …";
      const answer = await this.request({ type: "SweepArm", text, symbols });
      this.swept = answer.result?.type === "SweptArm" ? answer.result : null;
      this.of = this.swept === null ? "" : key;
      if (this.swept === null) this.note.textContent = answer.problem;
    }
    if (this.shown === shown) this.draw(shown);
  }

  private draw(shown: Shown): void {
    if (this.cloud !== null) {
      this.stage.view.overlay.remove(this.cloud);
      this.cloud.geometry.dispose();
      this.cloud = null;
    }
    this.stage.view.touch();
    const swept = this.swept;
    if (shown === "none" || swept === null) return;
    const points = numbers(swept.points);
    const values = numbers(swept.values);
    const places: number[] = [];
    const colours: number[] = [];
    const colour = new Color();
    for (let point = 0; point < values.length; point++) {
      const [x = 0, y = 0, z = 0] = points.subarray(3 * point, 3 * point + 3);
      if (shown === "half" && y < 0) continue;
      if (shown === "slice" && Math.abs(y) > swept.cell) continue;
      places.push(x, y, z);
      // from red, where the arm hardly moves, to blue
      colour.setHSL(0.6 * Math.sqrt(values[point] ?? 0), 0.75, 0.5);
      colours.push(colour.r, colour.g, colour.b);
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 3));
    const material = new PointsMaterial({ size: 0.5 * swept.cell, vertexColors: true, transparent: true, opacity: 0.8 });
    this.cloud = new Points(geometry, material);
    this.stage.view.overlay.add(this.cloud);
    this.note.textContent =
      `The tool reaches ${swept.volume.toPrecision(3)} m³, up to ${swept.reach.toFixed(2)} m from the base. ` +
      `Blue: it moves well there, red: hardly. ${swept.message}.`;
  }
}
