// An arm among bodies in a 3-D picture: staged once, then moved by rows of poses.
import type { StagePosed, ArmStaged, ViewedGeometry } from "./messages";
import { Overlay } from "./lines";
import { unpacked } from "./numbers";
import { followTheme } from "./theme";
import { View } from "./view";
import type { Studio } from "./views";

export class StagedArm {
  readonly view: View;
  staged: ArmStaged | null = null;
  private asked = 0;
  private touches: Overlay;

  constructor(
    private studio: Studio,
    canvas: HTMLCanvasElement,
  ) {
    this.view = new View(canvas);
    this.touches = new Overlay(this.view);
    followTheme(this.view);
  }

  /** Show an arm; null: it was refused, or asked for anew meanwhile. The problem is said by `fail`. */
  async show(arm: string, bodies: string, fail: (problem: string) => void): Promise<ArmStaged | null> {
    this.asked += 1;
    const asked = this.asked;
    const answer = await this.studio.ask({ type: "StageArm", arm, bodies });
    if (asked !== this.asked) return null;
    fail(answer.problem);
    if (answer.result?.type !== "ArmStaged") return null;
    this.staged = answer.result;
    const geometry: ViewedGeometry = { ...answer.result.geometry, type: "ViewedGeometry" };
    this.view.show(geometry);
    return answer.result;
  }

  /** Move all bodies to a row of poses. */
  place(rows: Float32Array, row = 0): void {
    const geometry = this.staged?.geometry;
    if (geometry === undefined) return;
    const count = geometry.bodies.length;
    this.touches.clear();
    const places = new Float32Array(3 * count);
    const turns = new Float32Array(4 * count);
    for (let body = 0; body < count; body++) {
      const at = 7 * (row * count + body);
      places.set(rows.subarray(at, at + 3), 3 * body);
      turns.set(rows.subarray(at + 3, at + 7), 4 * body);
    }
    this.view.place({
      version: geometry.version,
      step: 0,
      epoch: 0,
      time: 0,
      places,
      turns,
      travels: new Float32Array(0),
      marks: new Uint8Array(geometry.motors.length),
    });
  }

  /** Move all bodies to where they are for some joint values. */
  posed(pose: StagePosed): void {
    this.place(unpacked(pose.poses));
    const size = this.staged?.geometry.camera.distance ?? 1;
    if (pose.point !== null) this.touches.dot(pose.point, 0.008 * size, "#e03131");
  }
}

/** Ask the latest question only: while one is out, of those that come the last is kept. */
export class Latest<T> {
  private waiting: (() => Promise<T>) | null = null;
  private busy = false;

  constructor(private heard: (value: T) => void) {}

  ask(question: () => Promise<T>): void {
    this.waiting = question;
    if (!this.busy) void this.run();
  }

  private async run(): Promise<void> {
    this.busy = true;
    while (this.waiting !== null) {
      const question = this.waiting;
      this.waiting = null;
      const value = await question();
      if (this.waiting === null) this.heard(value);
    }
    this.busy = false;
  }
}
