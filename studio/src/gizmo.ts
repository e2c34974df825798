// Handles by which something is moved and turned in the picture.
import { Object3D } from "three";
import { TransformControls } from "three/addons/controls/TransformControls.js";
import type { View } from "./view";

export type Place = [number, number, number, number, number, number, number];

export class Gizmo {
  /** Called while it is dragged, with x y z [m] and w x y z. */
  onDrag: (place: Place) => void = () => undefined;
  onEnd: () => void = () => undefined;
  dragging = false;
  private held = new Object3D();
  private controls: TransformControls;

  constructor(view: View, canvas: HTMLCanvasElement) {
    this.controls = new TransformControls(view.orbit.camera, canvas);
    this.controls.setSize(0.85);
    view.overlay.add(this.held, this.controls.getHelper());
    this.controls.attach(this.held);
    this.controls.addEventListener("change", () => {
      // while it is dragged an answer follows at once, and one picture is enough
      if (!this.dragging) view.touch();
    });
    this.controls.addEventListener("axis-changed", (event) => {
      if (!this.dragging) view.orbit.enabled = event.value === null;
    });
    this.controls.addEventListener("dragging-changed", (event) => {
      this.dragging = event.value === true;
      view.orbit.enabled = !this.dragging;
      view.hurry(this.dragging);
      if (this.dragging) view.orbit.release();
      else this.onEnd();
    });
    this.controls.addEventListener("objectChange", () => this.onDrag(this.place));
  }

  get place(): Place {
    const { position, quaternion } = this.held;
    return [position.x, position.y, position.z, quaternion.w, quaternion.x, quaternion.y, quaternion.z];
  }

  /** Put it somewhere, unless somebody holds it. */
  put(place: number[]): void {
    if (this.dragging) return;
    const [x = 0, y = 0, z = 0, w = 1, i = 0, j = 0, k = 0] = place;
    this.held.position.set(x, y, z);
    this.held.quaternion.set(i, j, k, w);
    this.held.updateMatrixWorld();
  }

  mode(mode: "translate" | "rotate", space: "world" | "local"): void {
    this.controls.setMode(mode);
    this.controls.setSpace(space);
  }

  show(shown: boolean): void {
    this.controls.getHelper().visible = shown;
    this.controls.enabled = shown;
  }
}
