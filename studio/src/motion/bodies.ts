// The bodies around the arm, edited one by one: sizes, places, triangles with their normals.
import { make } from "../dom";
import type { BodyRow } from "../messages";
import { cell } from "./sheet";

export interface EditedBody {
  kind: string;
  name: string;
  region: boolean;
  /** x y z [mm], a b c [°], sizes [mm] or normal. */
  position: string[];
  turn: string[];
  sizes: string[];
  /** Nine numbers for each triangle [mm]. */
  triangles: string[][];
}

const DEGREES = 180 / Math.PI;
const SIZES: Record<string, string[]> = {
  box: ["x", "y", "z"],
  sphere: ["radius"],
  cylinder: ["radius", "length"],
  capsule: ["radius", "length"],
  cone: ["radius", "length", "top radius"],
  half_space: ["normal x", "normal y", "normal z"],
  mesh: [],
};
const TITLES: Record<string, string> = { half_space: "plane", mesh: "triangle body" };

export function editedBodies(rows: BodyRow[]): EditedBody[] {
  return rows.map((row) => ({
    kind: row.kind,
    name: row.name,
    region: row.region,
    position: row.position.map((value) => cell(value, 1000)),
    turn: row.turn.map((value) => cell(value, DEGREES)),
    sizes: row.sizes.map((value) => cell(value, row.kind === "half_space" ? 1 : 1000)),
    triangles: Array.from({ length: row.corners.length / 9 }, (_, k) =>
      row.corners.slice(9 * k, 9 * k + 9).map((value) => cell(value, 1000)),
    ),
  }));
}

function quoted(text: string, unit: string): string {
  return JSON.stringify(Number.isFinite(Number(text)) && text.trim() !== "" ? `${text.trim()} ${unit}` : text.trim());
}

function numbers(texts: string[], unit: string): string {
  return `[${texts.map((text) => quoted(text, unit)).join(", ")}]`;
}

/** Return bodies as TOML; corners of triangles that are the same become one. */
export function bodiesText(bodies: EditedBody[]): string {
  if (bodies.length === 0) return "";
  const lines = ['kind = "bodies"'];
  for (const body of bodies) {
    lines.push("", "[[body]]", `kind = ${JSON.stringify(body.kind)}`);
    if (body.name.trim() !== "") lines.push(`name = ${JSON.stringify(body.name.trim())}`);
    if (body.region) lines.push("region = true");
    const [first = "", second = "", third = ""] = body.sizes;
    if (body.kind === "box") lines.push(`size = ${numbers(body.sizes, "mm")}`);
    else if (body.kind === "half_space") {
      const normal = body.sizes.map((text) => (Number.isFinite(Number(text)) && text.trim() !== "" ? String(Number(text)) : JSON.stringify(text)));
      lines.push(`normal = [${normal.join(", ")}]`);
    } else if (body.kind !== "mesh") lines.push(`radius = ${quoted(first, "mm")}`);
    if (["cylinder", "capsule", "cone"].includes(body.kind)) lines.push(`length = ${quoted(second, "mm")}`);
    if (body.kind === "cone") lines.push(`top_radius = ${quoted(third, "mm")}`);
    if (body.kind === "mesh") lines.push(...meshLines(body));
    lines.push(`position = ${numbers(body.position, "mm")}`);
    if (body.kind !== "half_space" && body.turn.some((text) => Number(text) !== 0)) {
      lines.push(`turn = ${numbers(body.turn, "deg")}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function meshLines(body: EditedBody): string[] {
  const known = new Map<string, number>();
  const faces = body.triangles.map((triangle) =>
    [0, 3, 6].map((at) => {
      const corner = numbers(triangle.slice(at, at + 3), "mm");
      if (!known.has(corner)) known.set(corner, known.size);
      return known.get(corner) ?? 0;
    }),
  );
  return [`vertices = [${[...known.keys()].join(", ")}]`, `faces = ${JSON.stringify(faces)}`];
}

/** The normal of a triangle by the right-hand rule; null: it has none. */
export function normalOf(triangle: string[]): [number, number, number] | null {
  const [ax = 0, ay = 0, az = 0, bx = 0, by = 0, bz = 0, cx = 0, cy = 0, cz = 0] = triangle.map(Number);
  const [ux, uy, uz] = [bx - ax, by - ay, bz - az];
  const [vx, vy, vz] = [cx - ax, cy - ay, cz - az];
  const normal: [number, number, number] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const size = Math.hypot(...normal);
  return size > 0 ? [normal[0] / size, normal[1] / size, normal[2] / size] : null;
}

/** Lines from the middles of triangles along their normals, two points each [m]; planes are seen as panes. */
export function normalStrokes(bodies: EditedBody[]): Float32Array {
  const lines: number[] = [];
  for (const body of bodies) {
    if (body.turn.some((text) => Number(text) !== 0)) continue; // a turned body's are in its table
    const at = body.position.map((text) => Number(text) / 1000);
    for (const triangle of body.triangles) {
      const normal = normalOf(triangle);
      const corners = triangle.map((text) => Number(text) / 1000);
      if (normal === null || !corners.every(Number.isFinite) || !at.every(Number.isFinite)) continue;
      const middle = [0, 1, 2].map((k) => (at[k] ?? 0) + ((corners[k] ?? 0) + (corners[3 + k] ?? 0) + (corners[6 + k] ?? 0)) / 3);
      lines.push(...middle, ...middle.map((value, k) => value + 0.06 * (normal[k] ?? 0)));
    }
  }
  return new Float32Array(lines);
}

/** A plane through three points [mm]; the origin is on its safe side. */
export function planeThrough(points: string[]): EditedBody | null {
  const normal = normalOf(points);
  const [x = 0, y = 0, z = 0] = points.map(Number);
  if (normal === null || ![x, y, z, ...normal].every(Number.isFinite)) return null;
  const side = normal[0] * x + normal[1] * y + normal[2] * z;
  const sign = side > 0 ? -1 : 1;
  return {
    kind: "half_space",
    name: "",
    region: false,
    position: points.slice(0, 3),
    turn: ["0", "0", "0"],
    sizes: normal.map((value) => cell(sign * value)),
    triangles: [],
  };
}

const NEW: Record<string, () => Partial<EditedBody>> = {
  box: () => ({ sizes: ["200", "200", "200"] }),
  sphere: () => ({ sizes: ["100"] }),
  cylinder: () => ({ sizes: ["80", "300"] }),
  cone: () => ({ sizes: ["100", "200", "0"] }),
  mesh: () => ({ triangles: wedge() }),
};

/** A body of four triangles to begin with. */
function wedge(): string[][] {
  const [o, x, y, z] = [
    ["0", "0", "0"],
    ["200", "0", "0"],
    ["0", "200", "0"],
    ["0", "0", "200"],
  ] as const;
  return [
    [...o, ...y, ...x],
    [...o, ...x, ...z],
    [...o, ...z, ...y],
    [...x, ...y, ...z],
  ];
}

export class BodyList {
  readonly element = make("div", "", { class: "bodies" });
  bodies: EditedBody[] = [];
  onEdit: () => void = () => undefined;
  private list = make("div");
  private plane = Array.from({ length: 9 }, () => make("input", "0", { class: "short", inputmode: "decimal" }));

  constructor(...more: HTMLElement[]) {
    const row = make("div", "", { class: "row" });
    for (const kind of Object.keys(NEW)) {
      const add = make("button", `+ ${TITLES[kind] ?? kind}`, { type: "button", "data-add-body": kind });
      add.onclick = () => this.add({ ...blank(kind), ...NEW[kind]?.() });
      row.append(add);
    }
    const clear = make("button", "Delete all", { type: "button" });
    clear.onclick = () => {
      if (this.bodies.length === 0 || confirm(`Delete all ${this.bodies.length} bodies?`)) this.put([]);
    };
    row.append(clear, ...more);
    this.element.append(row, this.planeForm(), this.list);
  }

  show(bodies: EditedBody[]): void {
    this.bodies = bodies;
    this.list.replaceChildren(...bodies.map((body, number) => this.card(body, number)));
    if (bodies.length === 0) this.list.append(make("p", "No bodies.", { class: "muted" }));
  }

  private put(bodies: EditedBody[]): void {
    this.show(bodies);
    this.onEdit();
  }

  private add(body: EditedBody): void {
    const names = new Set(this.bodies.map((one) => one.name));
    const title = TITLES[body.kind]?.split(" ")[0] ?? body.kind;
    for (let number = 1; body.name === "" || names.has(body.name); number++) body.name = `${title}${number}`;
    this.put([...this.bodies, body]);
  }

  private planeForm(): HTMLElement {
    const form = make("details", "", { class: "plane" });
    form.append(make("summary", "+ plane through three points [mm]"));
    ["P1", "P2", "P3"].forEach((name, k) => {
      const row = make("div", "", { class: "row" });
      row.append(make("span", name));
      "xyz".split("").forEach((axis, i) => {
        const field = this.plane[3 * k + i];
        if (field === undefined) return;
        field.value = k === i ? "500" : "0";
        field.setAttribute("aria-label", `${name} ${axis} [mm]`);
        row.append(field);
      });
      form.append(row);
    });
    const wrong = make("p", "", { class: "complaint", role: "alert" });
    const add = make("button", "Add plane", { type: "button", "data-add-body": "plane" });
    add.onclick = () => {
      const plane = planeThrough(this.plane.map((field) => field.value));
      wrong.textContent = plane === null ? "three points that are not on one line are needed" : "";
      if (plane !== null) this.add(plane);
    };
    form.append(make("p", "The side of the origin is the safe one.", { class: "muted" }), add, wrong);
    return form;
  }

  private card(body: EditedBody, number: number): HTMLElement {
    const card = make("fieldset", "", { class: "body-card" });
    const title = TITLES[body.kind] ?? body.kind.replace("_", " ");
    card.append(make("legend", title));
    const head = make("div", "", { class: "row" });
    const name = make("input", "", { "aria-label": `Name of body ${number + 1}`, placeholder: "name" });
    name.value = body.name;
    name.oninput = () => {
      body.name = name.value;
      this.onEdit();
    };
    const region = make("input", "", { type: "checkbox" });
    region.checked = body.region;
    region.onchange = () => {
      body.region = region.checked;
      this.onEdit();
    };
    const stay = make("label", "", { class: "field", title: "The arm must stay inside" });
    stay.append(region, make("span", "stay inside"));
    const remove = make("button", "✕", { type: "button", title: "Delete", "aria-label": `Delete body ${body.name}` });
    remove.onclick = () => this.put(this.bodies.filter((_, at) => at !== number));
    head.append(name, stay, remove);
    card.append(head);
    const sizes = SIZES[body.kind] ?? [];
    if (sizes.length > 0) card.append(this.fields(body.kind === "half_space" ? "" : "size [mm]", sizes, body.sizes));
    card.append(this.fields("place [mm]", ["x", "y", "z"], body.position));
    if (body.kind !== "half_space" && body.kind !== "sphere") {
      card.append(this.fields("turn [°]", ["a", "b", "c"], body.turn));
    }
    if (body.kind === "mesh") card.append(this.triangles(body));
    return card;
  }

  private fields(title: string, names: string[], values: string[]): HTMLElement {
    const row = make("div", "", { class: "row numbers" });
    if (title !== "") row.append(make("span", title, { class: "muted" }));
    names.forEach((name, k) => {
      const field = make("input", "", { class: "short", "aria-label": `${title} ${name}`, title: name, inputmode: "decimal" });
      field.value = values[k] ?? "0";
      field.oninput = () => {
        values[k] = field.value;
        this.onEdit();
      };
      const label = make("label", "", { class: "field" });
      label.append(make("span", name), field);
      row.append(label);
    });
    return row;
  }

  private triangles(body: EditedBody): HTMLElement {
    const box = make("details");
    box.append(make("summary", `${body.triangles.length} triangles with their normals`));
    const table = make("table", "", { class: "grid triangles", "aria-label": `Triangles of ${body.name}` });
    const head = make("tr");
    head.append(...["#", "corner 1 [mm]", "corner 2 [mm]", "corner 3 [mm]", "normal", ""].map((text) => make("th", text)));
    table.append(head);
    body.triangles.forEach((triangle, number) => {
      const line = make("tr");
      const normal = make("td", "", { class: "normal" });
      const tell = () => {
        const found = normalOf(triangle);
        normal.textContent = found === null ? "no area" : found.map((value) => value.toFixed(2)).join(" ");
        normal.classList.toggle("complaint", found === null);
      };
      line.append(make("td", String(number + 1), { class: "muted" }));
      for (const at of [0, 3, 6]) {
        const corner = make("td");
        const field = make("input", "", { "aria-label": `Corner ${at / 3 + 1} of triangle ${number + 1} [mm]` });
        field.value = triangle.slice(at, at + 3).join(" ");
        field.oninput = () => {
          const parts = field.value.trim().split(/[\s,;]+/);
          triangle.splice(at, 3, parts[0] ?? "", parts[1] ?? "", parts.slice(2).join(" "));
          tell();
          this.onEdit();
        };
        corner.append(field);
        line.append(corner);
      }
      const tools = make("td", "", { class: "tools" });
      const flip = make("button", "⇄", { type: "button", title: "Turn the normal round", "aria-label": `Flip triangle ${number + 1}` });
      flip.onclick = () => {
        triangle.push(...triangle.splice(3, 3));
        this.put(this.bodies);
      };
      const remove = make("button", "✕", { type: "button", title: "Delete", "aria-label": `Delete triangle ${number + 1}` });
      remove.onclick = () => {
        body.triangles.splice(number, 1);
        this.put(this.bodies);
      };
      tools.append(flip, remove);
      tell();
      line.append(normal, tools);
      table.append(line);
    });
    const add = make("button", "Add triangle", { type: "button" });
    add.onclick = () => {
      body.triangles.push(["0", "0", "0", "100", "0", "0", "0", "100", "0"]);
      this.put(this.bodies);
    };
    const scroll = make("div", "", { class: "grid-scroll" });
    scroll.append(table);
    box.append(scroll, add);
    box.open = body.triangles.length <= 12;
    return box;
  }
}

function blank(kind: string): EditedBody {
  return {
    kind,
    name: "",
    region: false,
    position: ["500", "0", "100"],
    turn: ["0", "0", "0"],
    sizes: [],
    triangles: [],
  };
}
