// The 3-D view: made of a geometry, moved by frames of poses.
import {
  Box3,
  CanvasTexture,
  Color,
  DirectionalLight,
  Group,
  HemisphereLight,
  Mesh,
  MeshLambertMaterial,
  Object3D,
  PCFShadowMap,
  PlaneGeometry,
  Quaternion,
  Raycaster,
  Scene,
  SRGBColorSpace,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { Orbit } from "./camera";
import { FlatRenderer } from "./flat";
import type { Poses } from "./frames";
import type { ViewedBelt, ViewedGeometry, ViewedSolid } from "./messages";
import { fromTriangles, isPlain, merged, single } from "./solids";

const SLOW = 45; // [ms] from one picture to the next, beyond which it is drawn with fewer dots
const MOVING = new Color("#f2b01e");
const FAST = new Color("#d6336c");
const CHOSEN = new Color("#2f81f7");

const PATIENCE = 400; // [ms] for the first frame of poses
const SHADE = 600; // [ms] between the first picture and the first with shadows

interface Stretched {
  mesh: Mesh;
  solid: ViewedSolid;
}

interface Belt {
  belt: ViewedBelt;
  marks: Mesh[];
}

export class View {
  readonly orbit: Orbit;
  /** What a view adds to the picture: ghosts, lines, frames; it stays when the geometry changes. */
  readonly overlay = new Group();
  onChoose: (name: string | null) => void = () => undefined;
  drawn = 0;
  markMoving = true;
  markFast = true;
  private renderer: WebGLRenderer | FlatRenderer;
  private scene = new Scene();
  private world = new Group();
  private sun = new DirectionalLight(0xffffff, 2.2);
  private bodies: Group[] = [];
  private stretched: Stretched[] = [];
  private symbols = new Map<number, Mesh[]>();
  private belts: Belt[] = [];
  private named = new Map<string, Mesh[]>();
  private zones: Mesh[] = [];
  private zonesShown = true;
  private poses: Poses | null = null;
  private geometry: ViewedGeometry | null = null;
  private followed: string | null = null;
  private shifted: { name: string; offset: Vector3 } | null = null;
  private stale = true;
  private hurried = false;
  private coarse = false;
  private patience = 0; // [ms] until which a first frame of poses is waited for

  constructor(private canvas: HTMLCanvasElement) {
    const software = isSoftware();
    this.renderer = rendererOf(canvas, !software);
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    if (this.renderer instanceof WebGLRenderer) {
      this.renderer.shadowMap.enabled = true;
      this.renderer.shadowMap.type = PCFShadowMap;
    }
    const dots = software ? 1024 : 2048;
    this.sun.shadow.mapSize.set(dots, dots);
    this.scene.add(this.world, this.overlay, new HemisphereLight(0xffffff, 0x8090a0, 1.6), this.sun, this.sun.target);
    this.orbit = new Orbit(canvas);
    this.orbit.onChange = () => this.touch();
    this.orbit.onClick = (x, y) => this.pick(x, y);
    new ResizeObserver(() => this.fit()).observe(canvas);
    this.fit();
    let last = 0;
    const draw = (now: number) => {
      requestAnimationFrame(draw);
      const slow = last > 0 && now - last > SLOW;
      last = 0;
      if (slow && this.hurried && !this.coarse) this.sharpen(true);
      // a picture of nothing, or of things that are not where they belong, costs as much as a good one
      const ready = this.geometry !== null && (this.poses !== null || performance.now() > this.patience);
      if (!this.stale || !ready) return;
      last = now;
      this.stale = false;
      this.renderer.render(this.scene, this.orbit.camera);
      this.drawn += 1;
      if (this.drawn === 1) setTimeout(() => this.shade(), SHADE);
    };
    requestAnimationFrame(draw);
  }

  /** Let the sun cast shadows: not in the first picture, which is to come quickly. */
  private shade(): void {
    this.sun.castShadow = true;
    this.touch();
  }

  /** Have the picture drawn anew. */
  touch(): void {
    this.stale = true;
  }

  /** Draw as fast as it goes, while something is dragged: shadows stay where they are. */
  hurry(on: boolean): void {
    if (this.renderer instanceof WebGLRenderer) this.renderer.shadowMap.autoUpdate = !on;
    if (!on && this.coarse) this.sharpen(false);
    this.hurried = on;
    this.touch();
  }

  /** Draw with fewer dots, where the machine is too slow for all of them. */
  private sharpen(coarse: boolean): void {
    this.coarse = coarse;
    this.renderer.setPixelRatio(coarse ? 0.6 : Math.min(devicePixelRatio, 2));
    this.fit();
  }

  sky(colour: string): void {
    this.scene.background = new Color(colour);
    this.touch();
  }

  /** Show another geometry; the camera stays unless there is another title. */
  show(geometry: ViewedGeometry): void {
    const fresh = this.geometry === null || this.geometry.title !== geometry.title;
    this.geometry = geometry;
    this.clear();
    this.shifted = null;
    this.bodies = geometry.bodies.map(() => new Group());
    for (const body of this.bodies) this.world.add(body);
    this.addSolids(geometry.solids);
    this.belts = geometry.belts.map((belt) => this.addBelt(belt));
    this.addFloor(geometry);
    this.light(geometry);
    if (fresh) this.orbit.look(geometry.camera);
    this.poses = null;
    this.patience = performance.now() + PATIENCE;
    this.touch();
  }

  /** Move everything to where a frame says it is. */
  place(poses: Poses): void {
    if (this.geometry === null || poses.version !== this.geometry.version) return;
    this.poses = poses;
    this.bodies.forEach((body, number) => {
      body.position.fromArray(poses.places, 3 * number);
      const [w = 1, x = 0, y = 0, z = 0] = poses.turns.subarray(4 * number, 4 * number + 4);
      body.quaternion.set(x, y, z, w).normalize();
    });
    this.displace();
    for (const one of this.stretched) this.stretch(one);
    this.belts.forEach((belt, number) => run(belt, poses.travels[number] ?? 0));
    this.mark(poses.marks);
    this.goAlong();
    this.touch();
  }

  /** Show trigger zones and light barriers, or not. */
  showZones(shown: boolean): void {
    this.zonesShown = shown;
    for (const mesh of this.zones) mesh.visible = shown;
    this.touch();
  }

  /** Go with a thing or robot; null: stand. */
  follow(name: string | null): void {
    this.followed = name;
    this.goAlong();
  }

  /** Make something stand out. */
  choose(name: string | null): void {
    for (const [key, meshes] of this.named) {
      for (const mesh of meshes) {
        const material = mesh.material as MeshLambertMaterial;
        if (key === name && !material.userData.own) {
          mesh.material = material.clone();
          (mesh.material as MeshLambertMaterial).userData = { own: true, before: material };
          (mesh.material as MeshLambertMaterial).emissive = CHOSEN.clone().multiplyScalar(0.45);
        } else if (key !== name && material.userData.own) {
          mesh.material = material.userData.before as MeshLambertMaterial;
        }
      }
    }
    this.touch();
  }

  /** Say where a thing is, or the last body of a robot. */
  placeOf(name: string): Vector3 | null {
    const bodies = this.geometry?.bodies ?? [];
    const number = bodies.map((body) => body.owner).lastIndexOf(name);
    return number < 0 || this.poses === null
      ? null
      : new Vector3().fromArray(this.poses.places, 3 * number);
  }

  /** Say where in the picture something is seen [pixel]: a place at which a click chooses it. */
  onScreen(name: string): [number, number] | null {
    const whole = new Box3();
    const middles: Vector3[] = [];
    for (const mesh of this.named.get(name) ?? []) {
      const box = new Box3().setFromObject(mesh);
      whole.union(box);
      middles.push(box.getCenter(new Vector3()));
    }
    if (whole.isEmpty()) return null;
    const places = [whole.getCenter(new Vector3()), ...middles].map((middle): [number, number] => {
      const { x, y } = middle.project(this.orbit.camera);
      return [((x + 1) / 2) * this.canvas.clientWidth, ((1 - y) / 2) * this.canvas.clientHeight];
    });
    return places.find(([x, y]) => this.under(x, y)?.name === name) ?? null;
  }

  private goAlong(): void {
    const place = this.followed === null ? null : this.placeOf(this.followed);
    if (place === null) return;
    this.orbit.focus.copy(place);
    this.orbit.apply();
  }

  private clear(): void {
    this.world.traverse((one) => {
      if (one instanceof Mesh) (one as Mesh).geometry.dispose();
    });
    this.world.clear();
    this.stretched = [];
    this.zones = [];
    this.symbols.clear();
    this.named.clear();
  }

  private carrier(body: number): Object3D {
    return body < 0 ? this.world : (this.bodies[body] ?? this.world);
  }

  private addSolids(solids: ViewedSolid[]): void {
    const plain = new Map<string, ViewedSolid[]>();
    for (const solid of solids) {
      if (isPlain(solid)) {
        const key = `${solid.body} ${solid.name}`;
        plain.set(key, [...(plain.get(key) ?? []), solid]);
        continue;
      }
      const mesh = single(solid);
      if (solid.stretch === null) this.carrier(solid.body).add(mesh);
      else {
        this.world.add(mesh);
        this.stretched.push({ mesh, solid });
      }
      if (solid.motor >= 0) {
        this.symbols.set(solid.motor, [...(this.symbols.get(solid.motor) ?? []), mesh]);
      }
      this.enter(solid.name, mesh);
      this.watch(solid, mesh);
    }
    for (const group of plain.values()) {
      const first = group[0];
      if (first === undefined) continue;
      const mesh = merged(group);
      this.carrier(first.body).add(mesh);
      this.enter(first.name, mesh);
      this.watch(first, mesh);
    }
  }

  private watch(solid: ViewedSolid, mesh: Mesh): void {
    if (solid.role !== "zone" && solid.role !== "barrier") return;
    this.zones.push(mesh);
    mesh.visible = this.zonesShown;
  }

  private enter(name: string, mesh: Mesh): void {
    mesh.userData.name = name;
    this.named.set(name, [...(this.named.get(name) ?? []), mesh]);
  }

  private stretch({ mesh, solid }: Stretched): void {
    if (solid.stretch === null) return;
    const own = this.carrier(solid.body);
    const other = this.carrier(solid.stretch.body);
    const start = new Vector3(...solid.stretch.start).applyQuaternion(own.quaternion).add(own.position);
    const end = new Vector3(...solid.stretch.end).applyQuaternion(other.quaternion).add(other.position);
    const [w, x, y, z] = solid.quaternion;
    const turn = own.quaternion.clone().multiply(new Quaternion(x, y, z, w));
    const way = end.clone().sub(start);
    const length = way.length();
    mesh.position.copy(start).add(end).multiplyScalar(0.5);
    mesh.scale.set(1, 1, Math.max(length, 1e-6));
    if (length > 1e-9) {
      const now = new Vector3(0, 0, 1).applyQuaternion(turn);
      turn.premultiply(new Quaternion().setFromUnitVectors(now, way.divideScalar(length)));
    }
    mesh.quaternion.copy(turn);
  }

  private addBelt(belt: ViewedBelt): Belt {
    const shape = fromTriangles(belt.triangles);
    const material = new MeshLambertMaterial({ color: belt.colour });
    const count = Math.ceil((2 * belt.middle) / belt.pitch) + 2;
    const marks = Array.from({ length: count }, () => new Mesh(shape, material));
    this.world.add(...marks);
    const made = { belt, marks };
    run(made, 0);
    return made;
  }

  private addFloor(geometry: ViewedGeometry): void {
    const floor = geometry.floor;
    if (floor === null) return;
    const [x0, y0] = floor.low;
    const [x1, y1] = floor.high;
    const material = new MeshLambertMaterial({ color: 0xffffff });
    const mesh = new Mesh(new PlaneGeometry(x1 - x0, y1 - y0), material);
    mesh.position.set((x0 + x1) / 2, (y0 + y1) / 2, -5e-4);
    mesh.receiveShadow = true;
    this.world.add(mesh);
    if (floor.picture === "") return;
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = image.width;
      canvas.height = image.height;
      canvas.getContext("2d")?.drawImage(image, 0, 0);
      material.map = new CanvasTexture(canvas);
      material.map.colorSpace = SRGBColorSpace;
      material.map.anisotropy = 4;
      material.needsUpdate = true;
      this.touch();
    };
    image.src = `data:image/png;base64,${floor.picture}`;
  }

  private light(geometry: ViewedGeometry): void {
    const size = Math.max(geometry.camera.distance, 0.5);
    const middle = new Vector3(...geometry.camera.target);
    this.sun.target.position.copy(middle);
    this.sun.position.copy(middle).add(new Vector3(-0.35, -0.55, 1).multiplyScalar(size));
    const shadow = this.sun.shadow.camera;
    shadow.left = shadow.bottom = -0.7 * size;
    shadow.right = shadow.top = 0.7 * size;
    shadow.near = 0.01 * size;
    shadow.far = 4 * size;
    shadow.updateProjectionMatrix();
    this.sun.shadow.bias = -5e-4;
  }

  private mark(marks: Uint8Array): void {
    for (const [motor, meshes] of this.symbols) {
      const mark = marks[motor] ?? 0;
      const fast = mark === 2 && this.markFast;
      const colour = fast ? FAST : mark > 0 && this.markMoving ? MOVING : null;
      for (const mesh of meshes) {
        const material = mesh.material as MeshLambertMaterial;
        if (material.userData.own) continue;
        material.emissive.copy(colour ?? new Color(0)).multiplyScalar(colour === null ? 0 : 0.55);
      }
    }
  }

  /** Return the ray through a place of the picture [pixel]. */
  ray(x: number, y: number): Raycaster {
    const point = new Vector2(
      (2 * x) / this.canvas.clientWidth - 1,
      1 - (2 * y) / this.canvas.clientHeight,
    );
    const ray = new Raycaster();
    ray.setFromCamera(point, this.orbit.camera);
    return ray;
  }

  /** Return what is seen at a place of the picture [pixel], and where it was hit [m]. */
  under(x: number, y: number): { name: string; point: Vector3 } | null {
    const hits = this.ray(x, y).intersectObject(this.world);
    const hit = hits.find((one) => one.object.userData.name && one.object.visible);
    return hit === undefined ? null : { name: String(hit.object.userData.name), point: hit.point };
  }

  /** Show something elsewhere for a while; null: where it is. */
  shift(name: string | null, offset = new Vector3()): void {
    const before = this.shifted?.name;
    this.shifted = name === null ? null : { name, offset: offset.clone() };
    for (const mesh of this.named.get(name ?? before ?? "") ?? []) {
      if (mesh.parent === this.world) mesh.position.copy(name === null ? new Vector3() : offset);
    }
    if (this.poses !== null) this.place(this.poses);
  }

  private displace(): void {
    const shifted = this.shifted;
    if (shifted === null) return;
    this.geometry?.bodies.forEach((body, number) => {
      if (body.owner === shifted.name) this.bodies[number]?.position.add(shifted.offset);
    });
  }

  private pick(x: number, y: number): void {
    this.onChoose(this.under(x, y)?.name ?? null);
  }

  private fit(): void {
    const width = Math.max(this.canvas.clientWidth, 1);
    const height = Math.max(this.canvas.clientHeight, 1);
    this.renderer.setSize(width, height, false);
    this.orbit.camera.aspect = width / height;
    this.orbit.camera.updateProjectionMatrix();
    this.touch();
  }
}

/** Put the marks of a belt where its travel brings them. */
function run({ belt, marks }: Belt, travel: number): void {
  const first = ((travel % belt.pitch) + belt.pitch) % belt.pitch;
  marks.forEach((mark, number) => {
    const place = first + (number - 1) * belt.pitch;
    mark.visible = place >= belt.half && place <= 2 * belt.middle - belt.half;
    mark.position.set(...belt.way).multiplyScalar(place - belt.middle);
  });
}

/** Return what draws: WebGL, or polygons where the browser has none or the server wishes it so. */
function rendererOf(canvas: HTMLCanvasElement, antialias: boolean): WebGLRenderer | FlatRenderer {
  const wished = document.querySelector<HTMLMetaElement>('meta[name="render"]')?.content;
  const context =
    wished === "native" ? null : canvas.getContext("webgl2", { antialias, alpha: true, stencil: false });
  return context === null ? new FlatRenderer(canvas) : new WebGLRenderer({ canvas, context, antialias });
}

/** Say whether pictures are drawn without a graphics card, as in tests and on some servers. */
function isSoftware(): boolean {
  const context = new OffscreenCanvas(1, 1).getContext("webgl2");
  if (context === null) return false;
  const names = context.getExtension("WEBGL_debug_renderer_info");
  const name: unknown = context.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER);
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(String(name));
}
