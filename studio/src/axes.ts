// Frames as three coloured axes each: x red, y green, z blue.
import {
  Color,
  CylinderGeometry,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  Vector3,
} from "three";
import { matrix } from "./ghosts";
import type { View } from "./view";

const MOST = 80;
const WAYS: [string, Vector3][] = [
  ["#e0403a", new Vector3(1, 0, 0)],
  ["#3aa657", new Vector3(0, 1, 0)],
  ["#3578d4", new Vector3(0, 0, 1)],
];

export class Axes {
  private meshes: InstancedMesh[] = [];
  private turned: Matrix4[] = [];
  private rows: Float32Array = new Float32Array();
  private seen = false;
  private length = 0.1;

  constructor(private view: View) {
    for (const [colour, way] of WAYS) {
      // three's cylinders stand along y, with their middle in the origin
      const geometry = new CylinderGeometry(0.035, 0.035, 1, 8).translate(0, 0.5, 0);
      const material = new MeshBasicMaterial({ color: new Color(colour), depthTest: false });
      const mesh = new InstancedMesh(geometry, material, MOST);
      mesh.frustumCulled = false;
      mesh.renderOrder = 2;
      mesh.visible = false;
      this.meshes.push(mesh);
      const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), way);
      this.turned.push(new Matrix4().makeRotationFromQuaternion(turn));
      view.overlay.add(mesh);
    }
  }

  /** Choose how long the axes are [m]. */
  scale(length: number): void {
    this.length = length;
    this.place(this.rows);
  }

  show(seen: boolean): void {
    this.seen = seen;
    this.place(this.rows);
  }

  /** Put the frames at places x y z w x y z, one after the other. */
  place(rows: Float32Array): void {
    this.rows = rows;
    const count = Math.min(MOST, Math.floor(rows.length / 7));
    const size = new Matrix4().makeScale(this.length, this.length, this.length);
    this.meshes.forEach((mesh, way) => {
      mesh.visible = this.seen && count > 0;
      mesh.count = count;
      for (let frame = 0; frame < count; frame++) {
        const turned = this.turned[way] ?? new Matrix4();
        mesh.setMatrixAt(frame, matrix(rows, frame).multiply(turned).multiply(size));
      }
      mesh.instanceMatrix.needsUpdate = true;
    });
    this.view.touch();
  }
}
