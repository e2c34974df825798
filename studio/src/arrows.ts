// Contact points and forces: a dot where two touch and an arrow along the force, longer for more.
import {
  ConeGeometry,
  CylinderGeometry,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";

const MOST = 300;
const UP = new Vector3(0, 1, 0);

export class Arrows {
  readonly group = new Group();
  /** How many are shown. */
  count = 0;
  private dots: InstancedMesh;
  private shafts: InstancedMesh;
  private heads: InstancedMesh;

  constructor(colour: string) {
    const material = new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity: 0.9 });
    const shaft = new CylinderGeometry(0.5, 0.5, 1, 8).translate(0, 0.5, 0);
    this.dots = new InstancedMesh(new SphereGeometry(1, 10, 8), material, MOST);
    this.shafts = new InstancedMesh(shaft, material, MOST);
    this.heads = new InstancedMesh(new ConeGeometry(1, 2.4, 10), material, MOST);
    for (const mesh of [this.dots, this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 10;
      mesh.count = 0;
      this.group.add(mesh);
    }
  }

  /** Show points [m] and the vectors at them, in a scene of some size [m]. */
  set(points: number[], vectors: number[], size: number): void {
    const width = size * 0.004;
    this.count = Math.min(points.length / 3, MOST);
    for (let k = 0; k < this.count; k++) {
      const point = new Vector3().fromArray(points, 3 * k);
      const force = new Vector3().fromArray(vectors, 3 * k);
      const strength = force.length();
      // a newton is seen, and a thousand do not fill the picture
      const length = size * 0.02 * Math.log2(1 + strength);
      const turn = new Quaternion();
      if (strength > 0) turn.setFromUnitVectors(UP, force.divideScalar(strength));
      const tip = new Vector3(0, length, 0).applyQuaternion(turn).add(point);
      const thick = new Vector3(width, width, width);
      this.dots.setMatrixAt(k, new Matrix4().compose(point, turn, thick));
      this.shafts.setMatrixAt(k, new Matrix4().compose(point, turn, new Vector3(width, length, width)));
      const head = strength > 0 ? thick.multiplyScalar(1.4) : new Vector3();
      this.heads.setMatrixAt(k, new Matrix4().compose(tip, turn, head));
    }
    for (const mesh of [this.dots, this.shafts, this.heads]) {
      mesh.count = this.count;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}
