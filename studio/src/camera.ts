// The camera: left drag turns about the focus, shift and left drag moves the focus, right drag up
// and down and the wheel zoom; one finger turns, two move and zoom.
import { PerspectiveCamera, Vector3 } from "three";
import type { ViewedCamera } from "./messages";

const LOW = -0.05;
const HIGH = Math.PI / 2 - 0.01;

/** What takes a drag away from the camera. */
export interface Grip {
  move(x: number, y: number, event: PointerEvent): void;
  end(): void;
}

export class Orbit {
  readonly camera = new PerspectiveCamera(32, 1, 0.01, 200);
  readonly focus = new Vector3();
  distance = 3;
  azimuth = -1;
  elevation = 0.5;
  /** Whether drags move it; not while something else in the picture is dragged. */
  enabled = true;
  onChange: () => void = () => undefined;
  onClick: (x: number, y: number) => void = () => undefined;
  /** Asked when a pointer goes down: what is dragged; null: the camera is. */
  onGrab: (x: number, y: number, event: PointerEvent) => Grip | null = () => null;
  private grip: Grip | null = null;
  private pointers = new Map<number, { x: number; y: number }>();
  private moved = 0;

  constructor(private element: HTMLElement) {
    this.camera.up.set(0, 0, 1);
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.drag(event));
    element.addEventListener("pointerup", (event) => this.up(event));
    element.addEventListener("pointercancel", (event) => {
      this.pointers.delete(event.pointerId);
      this.grip?.end();
      this.grip = null;
    });
    element.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * 0.001));
    });
    element.addEventListener("keydown", (event) => this.key(event));
  }

  look(at: ViewedCamera): void {
    this.focus.set(...at.target);
    // it was chosen for a picture of 4 to 3; a narrower one needs more distance
    this.distance = at.distance * Math.max(1, 4 / 3 / this.camera.aspect);
    this.azimuth = at.azimuth;
    this.elevation = at.elevation;
    this.apply();
  }

  apply(): void {
    const flat = Math.cos(this.elevation) * this.distance;
    this.camera.position.set(
      this.focus.x + flat * Math.cos(this.azimuth),
      this.focus.y + flat * Math.sin(this.azimuth),
      this.focus.z + Math.sin(this.elevation) * this.distance,
    );
    this.camera.near = this.distance / 200;
    this.camera.far = this.distance * 40;
    this.camera.lookAt(this.focus);
    this.camera.updateProjectionMatrix();
    this.onChange();
  }

  /** Let go of the pointers that it follows. */
  release(): void {
    this.pointers.clear();
  }

  private turn(dx: number, dy: number): void {
    this.azimuth -= dx * 0.008;
    this.elevation = Math.min(HIGH, Math.max(LOW, this.elevation + dy * 0.008));
    this.apply();
  }

  private shift(dx: number, dy: number): void {
    const scale = (this.distance * 0.58) / this.element.clientHeight;
    const right = new Vector3().setFromMatrixColumn(this.camera.matrix, 0);
    const up = new Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    this.focus.addScaledVector(right, -dx * scale).addScaledVector(up, dy * scale);
    this.apply();
  }

  private zoom(factor: number): void {
    this.distance = Math.min(100, Math.max(0.05, this.distance * factor));
    this.apply();
  }

  private down(event: PointerEvent): void {
    if (!this.enabled) return;
    this.element.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.moved = 0;
    this.grip?.end();
    const alone = this.pointers.size === 1 && event.button === 0 && !event.shiftKey;
    this.grip = alone ? this.onGrab(event.offsetX, event.offsetY, event) : null;
  }

  private drag(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) return;
    const dx = event.clientX - before.x;
    const dy = event.clientY - before.y;
    this.moved += Math.abs(dx) + Math.abs(dy);
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId);
    const other = others[0]?.[1];
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.grip !== null) {
      if (this.moved >= 4) this.grip.move(event.offsetX, event.offsetY, event);
      return;
    }
    if (other !== undefined) {
      const was = Math.hypot(before.x - other.x, before.y - other.y);
      const is = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      if (is > 0 && was > 0) this.zoom(was / is);
      this.shift(dx / 2, dy / 2);
    } else if (event.buttons & 2) this.zoom(Math.exp(dy * 0.006));
    else if (event.shiftKey) this.shift(dx, dy);
    else this.turn(dx, dy);
  }

  private up(event: PointerEvent): void {
    if (!this.pointers.delete(event.pointerId)) return;
    const held = this.grip;
    this.grip = null;
    held?.end();
    if (held !== null && this.moved >= 4) return;
    if (this.moved < 4 && event.button === 0) this.onClick(event.offsetX, event.offsetY);
  }

  private key(event: KeyboardEvent): void {
    const step = 20;
    const ways: Record<string, [number, number]> = {
      ArrowLeft: [step, 0],
      ArrowRight: [-step, 0],
      ArrowUp: [0, step],
      ArrowDown: [0, -step],
    };
    const way = ways[event.key];
    if (way !== undefined) {
      event.preventDefault();
      if (event.shiftKey) this.shift(...way);
      else this.turn(...way);
    } else if (event.key === "+") this.zoom(0.9);
    else if (event.key === "-") this.zoom(1.1);
  }
}
