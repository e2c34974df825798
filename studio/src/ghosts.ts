// Ghosts: one arm drawn many times, glassy, each in a configuration and colour of its own. The
// geometry is made once; a new configuration is a few matrices.
import {
  type BufferGeometry,
  Color,
  DynamicDrawUsage,
  InstancedMesh,
  Matrix4,
  MeshLambertMaterial,
  Quaternion,
  Raycaster,
  Vector2,
  Vector3,
} from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { ViewedGeometry, ViewedSolid } from "./messages";
import { shape } from "./solids";
import type { View } from "./view";

const MOST = 24;
const WIDTH = 7; // numbers of a place: x y z w x y z

interface Carried {
  mesh: InstancedMesh;
  body: number;
  /** The bar, when its length changes. */
  bar: ViewedSolid | null;
}

export class Ghosts {
  private carried: Carried[] = [];
  private bodies = 0;
  private material = new MeshLambertMaterial({
    transparent: true,
    opacity: 0.34,
    depthWrite: false,
  });

  constructor(private view: View) {}

  /** How many are seen. */
  count = 0;

  /** Take another arm; nothing is seen until `place`. */
  show(geometry: ViewedGeometry): void {
    for (const { mesh } of this.carried) {
      this.view.overlay.remove(mesh);
      mesh.geometry.dispose();
      mesh.dispose();
    }
    this.bodies = geometry.bodies.length;
    const rigid = new Map<number, ViewedSolid[]>();
    this.carried = [];
    for (const solid of geometry.solids) {
      if (solid.role !== "robot" || solid.body < 0) continue;
      if (solid.stretch === null) rigid.set(solid.body, [...(rigid.get(solid.body) ?? []), solid]);
      else this.add(shape(atOrigin(solid)), solid.body, solid);
    }
    for (const [body, solids] of rigid) {
      const merged = mergeGeometries(solids.map(shape)) as BufferGeometry | null;
      if (merged !== null) this.add(merged, body, null);
    }
    this.count = 0;
  }

  /** Show configurations: the places of all bodies for each, one after the other. */
  place(rows: Float32Array, colours: string[]): void {
    const step = this.bodies * WIDTH;
    this.count = Math.min(MOST, step === 0 ? 0 : Math.floor(rows.length / step));
    const colour = new Color();
    for (const { mesh, body, bar } of this.carried) {
      mesh.count = this.count;
      mesh.visible = this.count > 0;
      for (let ghost = 0; ghost < this.count; ghost++) {
        const own = rows.subarray(ghost * step, (ghost + 1) * step);
        mesh.setMatrixAt(ghost, bar === null ? matrix(own, body) : stretched(own, bar));
        mesh.setColorAt(ghost, colour.set(colours[ghost] ?? "#ffffff"));
      }
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor !== null) mesh.instanceColor.needsUpdate = true;
      mesh.boundingSphere = null;
    }
    this.view.touch();
  }

  /** Say which ghost is at a point of the canvas; -1: none. */
  at(x: number, y: number, width: number, height: number): number {
    const ray = new Raycaster();
    ray.setFromCamera(
      new Vector2((2 * x) / width - 1, 1 - (2 * y) / height),
      this.view.orbit.camera,
    );
    const hits = ray.intersectObjects(this.carried.map((one) => one.mesh).filter((one) => one.visible));
    return hits[0]?.instanceId ?? -1;
  }

  private add(geometry: BufferGeometry, body: number, bar: ViewedSolid | null): void {
    geometry.deleteAttribute("color");
    const mesh = new InstancedMesh(geometry, this.material, MOST);
    mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    mesh.frustumCulled = false;
    mesh.visible = false;
    mesh.count = 0;
    this.view.overlay.add(mesh);
    this.carried.push({ mesh, body, bar });
  }
}

/** Return a bar of length 1 in the origin, to be placed and stretched. */
function atOrigin(solid: ViewedSolid): ViewedSolid {
  const [x, y] = solid.size;
  return { ...solid, position: [0, 0, 0], quaternion: [1, 0, 0, 0], size: [x, y, 1] };
}

function parts(rows: Float32Array, body: number): [Vector3, Quaternion] {
  if (body < 0) return [new Vector3(), new Quaternion()];
  const [x = 0, y = 0, z = 0, w = 1, i = 0, j = 0, k = 0] = rows.subarray(WIDTH * body, WIDTH * (body + 1));
  return [new Vector3(x, y, z), new Quaternion(i, j, k, w)];
}

export function matrix(rows: Float32Array, body: number): Matrix4 {
  const [place, turn] = parts(rows, body);
  return new Matrix4().compose(place, turn.normalize(), new Vector3(1, 1, 1));
}

function stretched(rows: Float32Array, solid: ViewedSolid): Matrix4 {
  if (solid.stretch === null) return new Matrix4();
  const [own, turn] = parts(rows, solid.body);
  const [other, otherTurn] = parts(rows, solid.stretch.body);
  const start = new Vector3(...solid.stretch.start).applyQuaternion(turn).add(own);
  const end = new Vector3(...solid.stretch.end).applyQuaternion(otherTurn).add(other);
  const way = end.clone().sub(start);
  const length = Math.max(way.length(), 1e-6);
  const along = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), way.divideScalar(length));
  return new Matrix4().compose(start.add(end).multiplyScalar(0.5), along, new Vector3(1, 1, length));
}
