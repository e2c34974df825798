// Solids as meshes: all that hang on one body are one mesh with colours at its corners, except
// those that change: symbols of motors, bars that stretch, glass.
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  DoubleSide,
  FrontSide,
  Matrix4,
  Mesh,
  MeshLambertMaterial,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { ViewedSolid } from "./messages";

const STRIPE = 0.72; // brightness of a ball's darker sectors

export function fromTriangles(numbers: number[]): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(numbers), 3));
  geometry.computeVertexNormals();
  return geometry;
}

function template(solid: ViewedSolid): BufferGeometry {
  const [x, y, z] = solid.size;
  switch (solid.kind) {
    case "box":
      return new BoxGeometry(x, y, z).toNonIndexed();
    case "cylinder":
      // three's cylinders stand along y, ours along z
      return new CylinderGeometry(x, x, z, 28).rotateX(Math.PI / 2).toNonIndexed();
    case "mesh":
      return fromTriangles(solid.triangles);
    default:
      return new SphereGeometry(x, 28, 16).toNonIndexed();
  }
}

/** Return the shape of a solid in its body's frame, coloured. */
export function shape(solid: ViewedSolid): BufferGeometry {
  const geometry = template(solid);
  geometry.deleteAttribute("uv");
  const places = geometry.getAttribute("position");
  const colours = new Float32Array(3 * places.count);
  const colour = new Color(solid.colour);
  for (let corner = 0; corner < places.count; corner++) {
    let bright = 1;
    if (solid.kind === "ball") {
      const first = corner - (corner % 3);
      let odd = 0;
      for (const get of ["getX", "getY", "getZ"] as const) {
        if (places[get](first) + places[get](first + 1) + places[get](first + 2) > 0) odd += 1;
      }
      bright = odd % 2 === 1 ? STRIPE : 1;
    }
    colours.set([colour.r * bright, colour.g * bright, colour.b * bright], 3 * corner);
  }
  geometry.setAttribute("color", new BufferAttribute(colours, 3));
  if (solid.kind !== "mesh") {
    const [w, x, y, z] = solid.quaternion;
    const turn = new Quaternion(x, y, z, w);
    const one = new Vector3(1, 1, 1);
    geometry.applyMatrix4(new Matrix4().compose(new Vector3(...solid.position), turn, one));
  }
  return geometry;
}

export function isPlain(solid: ViewedSolid): boolean {
  return solid.alpha >= 1 && solid.stretch === null && solid.motor < 0;
}

const PLAIN = new MeshLambertMaterial({ vertexColors: true });

export function merged(solids: ViewedSolid[]): Mesh {
  const mesh = new Mesh(mergeGeometries(solids.map(shape)), PLAIN);
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}

export function single(solid: ViewedSolid): Mesh {
  const glass = solid.alpha < 1;
  const material = new MeshLambertMaterial({
    color: glass || solid.motor >= 0 ? solid.colour : 0xffffff,
    vertexColors: !glass && solid.motor < 0,
    transparent: glass,
    opacity: solid.alpha,
    depthWrite: !glass,
    side: glass ? DoubleSide : FrontSide,
  });
  const rigid = solid.stretch === null ? solid : atOrigin(solid);
  const mesh = new Mesh(shape(rigid), material);
  mesh.castShadow = mesh.receiveShadow = !glass;
  return mesh;
}

/** Return a bar of length 1 in the origin, to be placed and stretched. */
function atOrigin(solid: ViewedSolid): ViewedSolid {
  const [x, y] = solid.size;
  return { ...solid, position: [0, 0, 0], quaternion: [1, 0, 0, 0], size: [x, y, 1] };
}
