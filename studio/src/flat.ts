// Draws a scene without a graphics library of the browser: triangles as polygons of a plain canvas,
// the farthest first. Slower and plainer than WebGL, and works everywhere.
import {
  type BufferAttribute,
  type BufferGeometry,
  Color,
  DoubleSide,
  InstancedMesh,
  type InterleavedBufferAttribute,
  LineSegments,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  type Object3D,
  type PerspectiveCamera,
  PlaneGeometry,
  Points,
  type Scene,
  Vector3,
} from "three";

type Numbers = BufferAttribute | InterleavedBufferAttribute;

const SUN = new Vector3(-0.35, -0.55, 1).normalize();
const DARK = 0.55; // brightness of what the sun does not reach
const TILES = 24; // pieces along each edge of the floor

interface Face {
  depth: number;
  corners: number[];
  style: string;
  alpha: number;
}

export class FlatRenderer {
  private pen: CanvasRenderingContext2D | null;
  private ratio = 1;
  private width = 1;
  private height = 1;
  private faces: Face[] = [];
  private read: { image: HTMLCanvasElement; dots: ImageData | null } | null = null;

  constructor(private canvas: HTMLCanvasElement) {
    this.pen = canvas.getContext("2d");
  }

  setPixelRatio(ratio: number): void {
    this.ratio = ratio;
  }

  setSize(width: number, height: number): void {
    this.width = Math.max(1, Math.round(width * this.ratio));
    this.height = Math.max(1, Math.round(height * this.ratio));
    this.canvas.width = this.width;
    this.canvas.height = this.height;
  }

  render(scene: Scene, camera: PerspectiveCamera): void {
    const { pen } = this;
    if (pen === null) return;
    scene.updateMatrixWorld();
    camera.updateMatrixWorld();
    const seen = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    pen.globalAlpha = 1;
    pen.fillStyle = scene.background instanceof Color ? scene.background.getStyle() : "#dfe6ec";
    pen.fillRect(0, 0, this.width, this.height);
    const layers: [Mesh[], Mesh[], Mesh[]] = [[], [], []]; // floor, solids, what stands before all
    const lines: Object3D[] = [];
    scene.traverseVisible((one) => {
      if (one instanceof LineSegments || one instanceof Points || "isLineSegments2" in one) lines.push(one);
      else if (one instanceof Mesh) {
        const material = one.material as MeshLambertMaterial;
        const layer = one.geometry instanceof PlaneGeometry ? 0 : material.depthTest ? 1 : 2;
        layers[layer].push(one as Mesh);
      }
    });
    for (const mesh of layers[0]) this.floor(mesh, seen);
    this.paint(pen);
    for (const meshes of [layers[1], layers[2]]) {
      for (const mesh of meshes) this.add(mesh, seen);
      this.paint(pen);
    }
    for (const line of lines) this.line(pen, line, seen);
    pen.globalAlpha = 1;
  }

  /** Fill all faces that were added, the farthest first. */
  private paint(pen: CanvasRenderingContext2D): void {
    this.faces.sort((one, other) => other.depth - one.depth);
    for (const { corners, style, alpha } of this.faces) {
      pen.globalAlpha = alpha;
      pen.fillStyle = pen.strokeStyle = style;
      pen.beginPath();
      pen.moveTo(corners[0] ?? 0, corners[1] ?? 0);
      for (let k = 2; k < corners.length; k += 2) pen.lineTo(corners[k] ?? 0, corners[k + 1] ?? 0);
      pen.closePath();
      pen.fill();
      if (alpha === 1) pen.stroke(); // no seams between neighbours
    }
    this.faces = [];
  }

  private add(mesh: Mesh, seen: Matrix4): void {
    if (!(mesh instanceof InstancedMesh)) {
      this.triangles(mesh, mesh.matrixWorld, seen, null);
      return;
    }
    const own = new Matrix4();
    const tint = new Color();
    for (let number = 0; number < mesh.count; number++) {
      mesh.getMatrixAt(number, own);
      if (mesh.instanceColor !== null) mesh.getColorAt(number, tint);
      this.triangles(mesh, own.premultiply(mesh.matrixWorld), seen, mesh.instanceColor === null ? null : tint);
    }
  }

  private triangles(mesh: Mesh, world: Matrix4, seen: Matrix4, tint: Color | null): void {
    const geometry = mesh.geometry as BufferGeometry;
    const material = mesh.material as MeshLambertMaterial | MeshBasicMaterial;
    const places = geometry.getAttribute("position");
    const colours = material.vertexColors ? geometry.getAttribute("color") : undefined;
    const { index } = geometry;
    const count = Math.min(index?.count ?? places.count, geometry.drawRange.start + geometry.drawRange.count);
    const plain = material instanceof MeshBasicMaterial;
    const alpha = material.transparent ? material.opacity : 1;
    const corners = [new Vector3(), new Vector3(), new Vector3()] as const;
    const [a, b, c] = corners;
    const normal = new Vector3();
    const edge = new Vector3();
    const colour = new Color();
    for (let k = geometry.drawRange.start; k + 2 < count; k += 3) {
      corners.forEach((corner, n) => corner.fromBufferAttribute(places, index?.getX(k + n) ?? k + n).applyMatrix4(world));
      normal.subVectors(b, a).cross(edge.subVectors(c, a)).normalize();
      const flat = this.projected(corners, seen);
      if (flat === null) continue;
      const [x0 = 0, y0 = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0] = flat.corners;
      const front = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0) < 0; // y runs down
      if (!front && material.side !== DoubleSide) continue;
      const first = index?.getX(k) ?? k;
      if (colours !== undefined) colour.setRGB(colours.getX(first), colours.getY(first), colours.getZ(first));
      else colour.copy(material.color);
      if (tint !== null) colour.multiply(tint);
      const light = plain ? 1 : DARK + (1 - DARK) * Math.max(0, (front ? 1 : -1) * normal.dot(SUN));
      colour.multiplyScalar(light);
      if (material instanceof MeshLambertMaterial) colour.add(material.emissive);
      this.faces.push({ ...flat, style: colour.getStyle(), alpha });
    }
  }

  /** The floor in pieces, each with the colour that its picture has there. */
  private floor(mesh: Mesh, seen: Matrix4): void {
    const { width, height } = (mesh.geometry as PlaneGeometry).parameters;
    const material = mesh.material as MeshLambertMaterial;
    const image = material.map?.image as unknown;
    const dots = image instanceof HTMLCanvasElement ? this.dots(image) : null;
    for (let row = 0; row < TILES; row++) {
      for (let column = 0; column < TILES; column++) {
        const at = (u: number, v: number) =>
          new Vector3((u / TILES - 0.5) * width, (v / TILES - 0.5) * height, 0).applyMatrix4(mesh.matrixWorld);
        const corners = [at(column, row), at(column + 1, row), at(column + 1, row + 1), at(column, row + 1)];
        const flat = this.projected(corners, seen);
        if (flat === null) continue;
        let style = "#e6e9ec";
        if (dots !== null) {
          const x = Math.min(dots.width - 1, Math.floor(((column + 0.5) / TILES) * dots.width));
          const y = Math.min(dots.height - 1, Math.floor((1 - (row + 0.5) / TILES) * dots.height));
          const place = 4 * (y * dots.width + x);
          style = `rgb(${dots.data[place]},${dots.data[place + 1]},${dots.data[place + 2]})`;
        }
        this.faces.push({ ...flat, style, alpha: 1 });
      }
    }
  }

  /** Return the dots of the floor's picture; it is read once. */
  private dots(image: HTMLCanvasElement): ImageData | null {
    if (this.read?.image !== image) {
      const dots = image.getContext("2d")?.getImageData(0, 0, image.width, image.height) ?? null;
      this.read = { image, dots };
    }
    return this.read.dots;
  }

  /** Return corners in the picture [dots]; null: something of it is behind the eye. */
  private projected(corners: readonly Vector3[], seen: Matrix4): { corners: number[]; depth: number } | null {
    const e = seen.elements;
    const found: number[] = [];
    let depth = 0;
    for (const { x, y, z } of corners) {
      const w = e[3] * x + e[7] * y + e[11] * z + e[15];
      if (w <= 1e-6) return null;
      const px = (e[0] * x + e[4] * y + e[8] * z + e[12]) / w;
      const py = (e[1] * x + e[5] * y + e[9] * z + e[13]) / w;
      found.push(((px + 1) / 2) * this.width, ((1 - py) / 2) * this.height);
      depth += w / corners.length;
    }
    return { corners: found, depth };
  }

  private line(pen: CanvasRenderingContext2D, one: Object3D, seen: Matrix4): void {
    const { geometry, material } = one as unknown as { geometry: BufferGeometry; material: { color?: Color } };
    const wide = geometry.getAttribute("instanceStart") as Numbers | undefined;
    const starts = wide ?? (geometry.getAttribute("position") as Numbers);
    const ends = wide === undefined ? starts : (geometry.getAttribute("instanceEnd") as Numbers);
    const tints = geometry.getAttribute(wide === undefined ? "color" : "instanceColorStart") as Numbers | undefined;
    const dots = one instanceof Points;
    const tint = new Color();
    const [from, to] = [new Vector3(), new Vector3()];
    pen.globalAlpha = dots ? 0.5 : 1;
    pen.lineWidth = (wide === undefined ? 1 : 3) * this.ratio;
    const step = wide === undefined && !dots ? 2 : 1;
    for (let k = 0; k < starts.count; k += step) {
      from.fromBufferAttribute(starts, k).applyMatrix4(one.matrixWorld);
      to.fromBufferAttribute(ends, wide === undefined ? Math.min(k + 1, ends.count - 1) : k).applyMatrix4(one.matrixWorld);
      const flat = this.projected(dots ? [from] : [from, to], seen);
      if (flat === null) continue;
      if (tints === undefined) tint.copy(material.color ?? tint);
      else tint.setRGB(tints.getX(k), tints.getY(k), tints.getZ(k));
      pen.strokeStyle = pen.fillStyle = tint.getStyle();
      const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = flat.corners;
      if (dots) {
        pen.fillRect(x0 - 1.5, y0 - 1.5, 3, 3);
        continue;
      }
      pen.beginPath();
      pen.moveTo(x0, y0);
      pen.lineTo(x1, y1);
      pen.stroke();
    }
    pen.lineWidth = 1;
  }
}
