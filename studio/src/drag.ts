// Dragging in the 3-D view: the chosen thing, fixed body or robot goes along with the mouse, on a
// level plane, with Alt upright. Things go in the world at once; at a halt the text follows, too.
import { Plane, Vector3 } from "three";
import type { Grip } from "./camera";
import type { Answer, Command, ViewedGeometry } from "./messages";
import type { View } from "./view";

type Place = [number, number, number];

/** What is asked when something is dragged, and of which roles. */
export interface Hands {
  /** Roles of solids that go in the world at once. */
  placed: Set<string>;
  /** Roles of those that are moved when they are let go. */
  shifted: Set<string>;
  place(name: string, position: Place): Command;
  rest(name: string, position: Place, running: boolean): Command;
  shift(name: string, offset: Place): Command;
}

/** Those of a cell. */
export const CELL: Hands = {
  placed: new Set(["thing"]),
  shifted: new Set(["obstacle", "belt", "robot"]),
  place: (name, position) => ({ type: "PlaceThing", name, position }),
  rest: (name, position, running) =>
    running ? { type: "PlaceThing", name, position } : { type: "MoveBody", name, position, angle: null },
  shift: (name, offset) => ({ type: "ShiftBody", name, offset }),
};

export class Dragging {
  /** Whether time passes. */
  running = false;
  private geometry: ViewedGeometry | null = null;
  chosen: string | null = null;
  private busy = false;

  constructor(
    private view: View,
    private ask: (command: Command) => Promise<Answer>,
    private hands: Hands = CELL,
  ) {
    view.orbit.onGrab = (x, y) => this.grab(x, y);
  }

  show(geometry: ViewedGeometry): void {
    this.geometry = geometry;
  }

  choose(name: string | null): void {
    this.chosen = name;
  }

  private grab(x: number, y: number): Grip | null {
    const name = this.chosen;
    const hit = name === null ? null : this.view.under(x, y);
    if (name === null || hit === null || hit.name !== name) return null;
    if (document.documentElement.hasAttribute("data-recording")) return null;
    const solid = this.geometry?.solids.find((one) => one.name === name);
    if (solid === undefined) return null;
    const { placed, shifted } = this.hands;
    if (!placed.has(solid.role) && !shifted.has(solid.role)) return null;
    const start = placed.has(solid.role) ? this.view.placeOf(name) : null;
    return this.grip(name, hit.point, start);
  }

  private grip(name: string, from: Vector3, start: Vector3 | null): Grip {
    const offset = new Vector3();
    let last: Vector3 | null = null;
    return {
      move: (x, y, event) => {
        const to = this.on(from, x, y, event.altKey && start !== null);
        if (to === null) return;
        offset.copy(to).sub(from);
        last = start === null ? from : start.clone().add(offset);
        if (start !== null) this.place(name, last);
        else this.view.shift(name, offset);
      },
      end: () => {
        if (last === null) return;
        if (start === null) void this.settle(name, offset);
        else void this.rest(name, last);
      },
    };
  }

  /** Where the mouse is on the plane through a point: level, or upright and facing the eye. */
  private on(from: Vector3, x: number, y: number, upright: boolean): Vector3 | null {
    const normal = new Vector3(0, 0, 1);
    if (upright) {
      normal.copy(this.view.orbit.camera.position).sub(from).setZ(0).normalize();
    }
    const plane = new Plane().setFromNormalAndCoplanarPoint(normal, from);
    const ray = this.view.ray(x, y).ray;
    const hit = ray.intersectPlane(plane, new Vector3());
    if (hit === null || hit.distanceTo(from) > 20) return null;
    return upright ? new Vector3(from.x, from.y, hit.z) : hit;
  }

  /** Put a thing somewhere in the world; one question at a time, a mouse is faster. */
  private place(name: string, at: Vector3): void {
    if (this.busy) return;
    this.busy = true;
    void this.ask(this.hands.place(name, [at.x, at.y, at.z])).then(() => {
      this.busy = false;
    });
  }

  private async rest(name: string, at: Vector3): Promise<void> {
    await this.ask(this.hands.rest(name, [round(at.x), round(at.y), round(at.z)], this.running));
  }

  private async settle(name: string, way: Vector3): Promise<void> {
    await this.ask(this.hands.shift(name, [round(way.x), round(way.y), 0]));
    this.view.shift(null);
  }
}

/** To a millimetre: what is dragged need not be written with more digits. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
