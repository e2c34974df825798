// The picture of the arm: its bodies, frames, ghosts, and handles at its tool.
import { Vector3 } from "three";
import { Axes } from "../axes";
import { keep, kept, make } from "../dom";
import { Ghosts } from "../ghosts";
import { Gizmo, type Place } from "../gizmo";
import type { PosedArm, SeenArm } from "../messages";
import { followTheme } from "../theme";
import { View } from "../view";

/** Colours by which ghosts and rows of the table are told apart. */
export const COLOURS = [
  "#2f81f7", "#e8590c", "#2b8a3e", "#c2255c", "#7048e8", "#0c8599", "#f08c00", "#5c7cfa",
  "#a61e4d", "#66a80f", "#1098ad", "#845ef7",
]; // prettier-ignore

export function colourOf(solution: number): string {
  return COLOURS[solution % COLOURS.length] ?? "#2f81f7";
}

export function numbers(text: string): Float32Array {
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

export class Stage {
  readonly root = make("section", "", { class: "arm-stage", "aria-label": "Picture of the arm" });
  readonly bar = make("div", "", { class: "arm-bar", role: "toolbar", "aria-label": "Picture" });
  readonly status = make("output", "", { class: "arm-status" });
  readonly view: View;
  readonly gizmo: Gizmo;
  onGhost: (solution: number) => void = () => undefined;
  private ghosts: Ghosts;
  private axes: Axes;
  private canvas = make("canvas", "", {
    id: "arm-canvas",
    tabindex: "0",
    "aria-label": "Arm: drag to turn the picture, shift and drag to move it, wheel to zoom, drag the handles to move the tool",
  });
  private version = 0;
  private ghostsShown = kept("arm ghosts") !== "hidden";
  private turning = false;
  private local = false;

  constructor() {
    this.root.append(this.canvas, this.bar, this.status);
    this.view = new View(this.canvas);
    followTheme(this.view);
    this.ghosts = new Ghosts(this.view);
    this.axes = new Axes(this.view);
    this.gizmo = new Gizmo(this.view, this.canvas);
    this.view.orbit.onClick = (x, y) => {
      const { clientWidth, clientHeight } = this.canvas;
      const hit = this.ghosts.at(x, y, clientWidth, clientHeight);
      if (hit >= 0) this.onGhost(hit);
    };
    this.buttons();
  }

  /** Show another arm. */
  show(seen: SeenArm): void {
    if (seen.geometry === null) return;
    this.version += 1;
    const geometry = { ...seen.geometry, version: this.version };
    this.view.show(geometry);
    this.ghosts.show(geometry);
    this.axes.scale(0.11 * seen.size);
  }

  /** Move it. */
  place(posed: PosedArm, marked: number): void {
    const rows = numbers(posed.bodies);
    const count = rows.length / 7;
    const places = new Float32Array(3 * count);
    const turns = new Float32Array(4 * count);
    for (let body = 0; body < count; body++) {
      places.set(rows.subarray(7 * body, 7 * body + 3), 3 * body);
      turns.set(rows.subarray(7 * body + 3, 7 * body + 7), 4 * body);
    }
    const none = { step: 0, epoch: 0, time: 0, travels: new Float32Array(), marks: new Uint8Array() };
    this.view.place({ version: this.version, places, turns, ...none });
    this.axes.place(numbers(posed.frames));
    this.gizmo.put(posed.tool);
    this.shade(posed, marked);
  }

  /** Draw the other solutions; one of them may be marked. */
  shade(posed: PosedArm, marked: number): void {
    const all = numbers(posed.ghosts);
    const step = posed.solutions.length === 0 ? 0 : all.length / posed.solutions.length;
    const others = posed.solutions
      .map((one, number) => ({ one, number }))
      .filter(({ one, number }) => !one.current && (this.ghostsShown || number === marked));
    const rows = new Float32Array(others.length * step);
    others.forEach(({ number }, row) => rows.set(all.subarray(number * step, (number + 1) * step), row * step));
    this.shown = others.map(({ number }) => number);
    const colours = others.map(({ number }) => (marked >= 0 && number !== marked ? "#9aa7b4" : colourOf(number)));
    this.ghosts.place(rows, colours);
  }

  /** Numbers of the solutions that are drawn as ghosts. */
  shown: number[] = [];

  get ghostCount(): number {
    return this.ghosts.count;
  }

  /** Say where a point of the world is on the page [pixel]. */
  seenAt(x: number, y: number, z: number): [number, number] {
    const point = new Vector3(x, y, z).project(this.view.orbit.camera);
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    return [left + ((point.x + 1) / 2) * width, top + ((1 - point.y) / 2) * height];
  }

  private buttons(): void {
    const modes = make("span", "", { role: "group", "aria-label": "Handles" });
    const move = make("button", "Move", { title: "Handles that move the tool (T)" });
    const turn = make("button", "Turn", { title: "Handles that turn the tool (R)" });
    const space = make("button", "Tool axes", { title: "Handles along the axes of the tool or of the world (X)" });
    const apply = () => {
      move.setAttribute("aria-pressed", String(!this.turning));
      turn.setAttribute("aria-pressed", String(this.turning));
      space.setAttribute("aria-pressed", String(this.local));
      this.gizmo.mode(this.turning ? "rotate" : "translate", this.local ? "local" : "world");
      this.view.touch();
    };
    const set = (turning: boolean) => {
      this.turning = turning;
      apply();
    };
    move.onclick = () => set(false);
    turn.onclick = () => set(true);
    space.onclick = () => {
      this.local = !this.local;
      apply();
    };
    this.canvas.addEventListener("keydown", (event) => {
      if (event.key === "t") set(false);
      else if (event.key === "r") set(true);
      else if (event.key === "x") space.click();
    });
    modes.append(move, turn, space);
    this.bar.append(
      modes,
      this.toggle("Ghosts", "The other solutions", "arm ghosts", true, (on) => {
        this.ghostsShown = on;
        this.onShade();
      }),
      this.toggle("Frames", "Axes of all joints: x red, y green, z blue", "arm frames", false, (on) =>
        this.axes.show(on),
      ),
    );
    apply();
  }

  /** Asked to draw the ghosts anew. */
  onShade: () => void = () => undefined;

  /** Make a button that stays pressed, also over a reload. */
  toggle(text: string, hint: string, name: string, first: boolean, set: (on: boolean) => void): HTMLElement {
    const button = make("button", text, { title: hint });
    const press = (on: boolean) => {
      button.setAttribute("aria-pressed", String(on));
      keep(name, on ? "shown" : "hidden");
      set(on);
    };
    button.onclick = () => press(button.getAttribute("aria-pressed") !== "true");
    const last = kept(name);
    const begin = last === null ? first : last === "shown";
    button.setAttribute("aria-pressed", String(begin));
    queueMicrotask(() => set(begin));
    return button;
  }
}

export type { Place };
