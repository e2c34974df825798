// Lines, dots and clouds in a 3-D picture: the way of a tool, where it touches, what it reaches.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  Group,
  LineBasicMaterial,
  LineSegments,
  type Material,
  Mesh,
  MeshBasicMaterial,
  Points,
  PointsMaterial,
  SphereGeometry,
} from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import type { View } from "./view";

const WIDE = 3; // [pixel]

/** Things that are drawn over the solids; cleared and made anew. */
export class Overlay {
  private group = new Group();

  constructor(private view: View) {
    view.overlay.add(this.group);
  }

  clear(): void {
    for (const one of this.group.children) {
      if (one instanceof Mesh || one instanceof LineSegments || one instanceof Points) {
        (one.geometry as BufferGeometry).dispose();
        for (const material of [one.material].flat()) (material as Material).dispose();
      }
    }
    this.group.clear();
    this.view.touch();
  }

  /** A line through points x y z [m], with a colour at each. */
  way(points: Float32Array, colourOf: (row: number) => string): void {
    const count = points.length / 3;
    const colours = new Float32Array(3 * count);
    for (let row = 0; row < count; row++) new Color(colourOf(row)).toArray(colours, 3 * row);
    const geometry = new LineGeometry();
    geometry.setPositions(points);
    geometry.setColors(colours);
    const material = new LineMaterial({ vertexColors: true, linewidth: WIDE, depthTest: false, transparent: true });
    const line = new Line2(geometry, material);
    line.renderOrder = 2;
    this.put(line);
  }

  /** Separate lines, two points x y z each [m]. */
  strokes(points: Float32Array, colour: string): void {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(points, 3));
    this.put(new LineSegments(geometry, new LineBasicMaterial({ color: colour })));
  }

  /** Points x y z [m] as dots of so many pixels. */
  marks(points: Float32Array, size: number, colour: string): void {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(points, 3));
    const material = new PointsMaterial({ size, color: colour, sizeAttenuation: false, depthTest: false });
    const drawn = new Points(geometry, material);
    drawn.renderOrder = 3;
    this.put(drawn);
  }

  /** A ball [m]. */
  dot(place: readonly number[], radius: number, colour: string): void {
    const mesh = new Mesh(
      new SphereGeometry(radius, 16, 12),
      new MeshBasicMaterial({ color: colour, depthTest: false, transparent: true }),
    );
    mesh.position.set(place[0] ?? 0, place[1] ?? 0, place[2] ?? 0);
    mesh.renderOrder = 3;
    this.put(mesh);
  }

  /** Points x y z [m], from blue (0) to yellow (1). */
  cloud(points: Float32Array, values: Float32Array, size: number): void {
    const colours = new Float32Array(points.length);
    const low = new Color("#3454b4");
    const high = new Color("#f5c542");
    values.forEach((value, row) => low.clone().lerp(high, value).toArray(colours, 3 * row));
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(points, 3));
    geometry.setAttribute("color", new BufferAttribute(colours, 3));
    const material = new PointsMaterial({
      size,
      vertexColors: true,
      transparent: true,
      opacity: 0.4,
      depthWrite: false,
    });
    this.put(new Points(geometry, material));
  }

  private put(one: Mesh | LineSegments | Points): void {
    this.group.add(one);
    this.view.touch();
  }
}
