// Curves of a motion over time with their limits; the cursor shows the arm at that time.
import uPlot from "uplot";
import { make } from "../dom";
import { legendEntry } from "../legend";
import type { StagedJoint } from "../messages";
import { scale, shownUnit, unpacked } from "../numbers";
import type { Motion } from "../player";

type Quantity = "position" | "velocity" | "acceleration" | "jerk" | "force";

const QUANTITIES: [Quantity, string][] = [
  ["position", ""],
  ["velocity", "/s"],
  ["acceleration", "/s²"],
  ["jerk", "/s³"],
  ["force", ""],
];
const COLOURS = ["#3b82c4", "#e8590c", "#2b9a66", "#c2559d", "#8a63d2", "#b88a00", "#4aa8c7", "#d6336c"];

function colourOf(joint: number): string {
  return COLOURS[joint % COLOURS.length] ?? "#888888";
}

export class Curves {
  readonly element = make("section", "", { class: "curves", "aria-label": "Curves" });
  /** The time under the cursor [s]; null: it has left. */
  onCursor: (time: number | null) => void = () => undefined;
  private quantity = make("select", "", { id: "motion-quantity", "aria-label": "Quantity" });
  private joint = make("select", "", { id: "motion-joint", "aria-label": "Joint" });
  private names = make("ul", "", { class: "legend curve-legend" });
  private said = make("span", "", { class: "muted", id: "motion-curve-said" });
  private box = make("div", "", { class: "plot", id: "motion-plot" });
  private plot: uPlot | null = null;
  private motion: Motion | null = null;
  private joints: StagedJoint[] = [];
  private moved = false;

  constructor() {
    this.quantity.append(...QUANTITIES.map(([name]) => make("option", name)));
    this.quantity.value = "velocity";
    const row = make("div", "", { class: "row" });
    row.append(this.quantity, this.joint, this.said, this.names);
    this.element.append(row, this.box);
    this.quantity.onchange = this.joint.onchange = () => this.draw();
    new ResizeObserver(() => this.fit()).observe(this.box);
    new MutationObserver(() => this.draw()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    this.box.onpointerleave = () => {
      this.moved = false;
      this.onCursor(null);
    };
    this.box.onpointermove = () => (this.moved = true);
  }

  arm(joints: StagedJoint[]): void {
    this.joints = joints;
    this.joint.replaceChildren(make("option", "all joints", { value: "-1" }));
    this.joint.append(...joints.map((joint, k) => make("option", joint.name, { value: String(k) })));
    this.show(null);
  }

  show(motion: Motion | null): void {
    this.motion = motion;
    this.draw();
  }

  /** Show a moment by the cursor [s]. */
  at(time: number): void {
    if (this.plot === null || this.moved) return;
    this.plot.setCursor({ left: this.plot.valToPos(time, "x"), top: 10 }, false);
  }

  private draw(): void {
    this.plot?.destroy();
    this.plot = null;
    this.names.replaceChildren();
    const motion = this.motion;
    if (motion === null) {
      this.said.textContent = "Plan or run a motion to see its curves.";
      return;
    }
    const name = this.quantity.value as Quantity;
    const packed = motion.plan[name];
    if (packed === "") {
      this.said.textContent = "The masses of this arm are not known.";
      return;
    }
    const rows = unpacked(packed);
    const { samples, duration } = motion.plan;
    const only = Number(this.joint.value);
    const shown = this.joints.map((_, k) => k).filter((k) => only < 0 || k === only);
    const share = only < 0 && name !== "position" && shown.every((k) => this.limit(name, k) !== null);
    const data: number[][] = [Array.from({ length: samples }, (_, k) => (duration * k) / (samples - 1))];
    const series: uPlot.Series[] = [{ label: "t [s]" }];
    for (const k of shown) {
      const factor = share ? 100 / (this.limit(name, k) ?? 1) : this.factor(name, k);
      data.push(Array.from({ length: samples }, (_, row) => (rows[row * motion.joints + k] ?? 0) * factor));
      series.push({ label: this.joints[k]?.name ?? "", stroke: colourOf(k), width: 1.6 });
    }
    this.names.replaceChildren(...shown.map((k) => legendEntry(colourOf(k), this.joints[k]?.name ?? "")));
    for (const limit of share ? [-100, 100] : this.limits(name, only)) {
      data.push(new Array<number>(samples).fill(limit));
      series.push({ label: "limit", stroke: "#d6336c", width: 1, dash: [6, 4] });
    }
    const unit = share ? "% of the limits" : this.unit(name, only);
    this.said.textContent = `${name} [${unit}], ${duration.toFixed(2)} s`;
    const style = getComputedStyle(document.documentElement);
    const axis: uPlot.Axis = {
      stroke: style.getPropertyValue("--muted").trim(),
      grid: { stroke: style.getPropertyValue("--line").trim(), width: 1 },
      ticks: { show: false },
      font: "12px system-ui, sans-serif",
      size: 34,
    };
    this.plot = new uPlot(
      {
        width: Math.max(this.box.clientWidth, 100),
        height: Math.max(this.box.clientHeight, 60),
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, y: false },
        scales: { x: { time: false } },
        series,
        axes: [axis, { ...axis, size: 52 }],
        hooks: {
          setCursor: [
            (plot) => {
              const { left } = plot.cursor;
              if (this.moved && left !== undefined && left >= 0) this.onCursor(plot.posToVal(left, "x"));
            },
          ],
        },
      },
      data as uPlot.AlignedData,
      this.box,
    );
  }

  private fit(): void {
    this.plot?.setSize({ width: Math.max(this.box.clientWidth, 100), height: Math.max(this.box.clientHeight, 60) });
  }

  private limit(name: Quantity, k: number): number | null {
    const joint = this.joints[k];
    return joint === undefined || name === "position" ? null : joint[name];
  }

  private limits(name: Quantity, only: number): number[] {
    const joint = this.joints[only];
    if (joint === undefined) return [];
    if (name === "position") {
      return [joint.low, joint.high].flatMap((end) => (end === null ? [] : [end * scale(joint.unit)]));
    }
    const most = joint[name];
    return most === null ? [] : [-most * this.factor(name, only), most * this.factor(name, only)];
  }

  private factor(name: Quantity, k: number): number {
    return name === "force" ? 1 : scale(this.joints[k]?.unit ?? "rad");
  }

  private unit(name: Quantity, only: number): string {
    const units = only < 0 ? [...new Set(this.joints.map((joint) => joint.unit))] : [this.joints[only]?.unit ?? "rad"];
    const per = QUANTITIES.find(([one]) => one === name)?.[1] ?? "";
    const shown = units.map((unit) => (name === "force" ? (unit === "rad" ? "N m" : "N") : `${shownUnit(unit)}${per}`));
    return shown.join(" or ");
  }
}
