// A table of trajectories as it is edited: what was typed, cell by cell, and the TOML it makes.
import type { StagePosed, TableContents } from "../messages";

export type Cells = Record<string, string>;

export interface Sheet {
  rows: Cells[];
  points: Cells[];
  settings: Cells;
  /** Of the joints of the arm, "rad" or "m". */
  units?: string[];
}

export interface Column {
  key: string;
  label: string;
  hint: string;
  choices?: string[];
  wide?: boolean;
}

export const KINDS = ["start", "linear", "circle", "bezier", "spline", "ptp"];
export const PROFILES = ["trapezoid", "sine", "quintic"];
export const SHAPES = ["smooth", "arc", "quadratic", "cubic"];
const DEGREES = 180 / Math.PI;
const NUMBER = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;

export const ROWS: Column[] = [
  { key: "kind", label: "Kind", hint: "How the tool gets there; start: where the table begins", choices: KINDS },
  { key: "x", label: "x [mm]", hint: "Goal" },
  { key: "y", label: "y [mm]", hint: "Goal" },
  { key: "z", label: "z [mm]", hint: "Goal" },
  { key: "inclination", label: "incl. [°]", hint: "Inclination of the tool above the horizon; or give a b c" },
  { key: "roll", label: "roll [°]", hint: "About the tool's own axis, with an inclination" },
  { key: "a", label: "a [°]", hint: "Orientation, about z; empty: kept" },
  { key: "b", label: "b [°]", hint: "Orientation, about the new y" },
  { key: "c", label: "c [°]", hint: "Orientation, about the newest x" },
  { key: "points", label: "points", hint: "Wished number of interpolated points" },
  { key: "help", label: "help", hint: "Name of the help points of a circle, bezier or spline" },
  { key: "speed", label: "v [m/s]", hint: "Speed of the tool; empty: as in the settings" },
  { key: "blend", label: "blend [mm]", hint: "Radius within which the corner is rounded; empty: as in the settings" },
  { key: "joints", label: "joints [°, mm]", hint: "Goal of a ptp as joint values, in place of a point: one for each joint, with commas between" },
  { key: "name", label: "name", hint: "Of the goal, for messages" },
];

export const POINTS: Column[] = [
  { key: "name", label: "Name", hint: "Several points of one name belong together, in their order" },
  { key: "x", label: "x [mm]", hint: "Place" },
  { key: "y", label: "y [mm]", hint: "Place" },
  { key: "z", label: "z [mm]", hint: "Place" },
];

export const SETTINGS: Column[] = [
  { key: "speed", label: "Speed [m/s]", hint: "Of the tool" },
  { key: "blend", label: "Blend radius [mm]", hint: "Accuracy with which corners are passed; 0: they are met exactly" },
  { key: "shape", label: "Blend shape", hint: "Curve that rounds a corner", choices: SHAPES },
  { key: "points", label: "Points", hint: "Of a trajectory" },
  { key: "acceleration", label: "Acceleration [m/s²]", hint: "Of the tool" },
  { key: "jerk", label: "Jerk [m/s³]", hint: "Of the tool" },
  { key: "profile", label: "Profile", hint: "Of the acceleration", choices: PROFILES },
];

/** Return a number with its unit, or what was typed, with a unit of its own perhaps, as TOML. */
function quantity(text: string, unit: string): string {
  const plain = text.trim();
  return JSON.stringify(NUMBER.test(plain) ? `${plain} ${unit}` : plain);
}

function bare(text: string): string {
  const plain = text.trim();
  return NUMBER.test(plain) ? plain.replace(/^\+/, "").replace(/^(-?)\./, "$10.").replace(/\.(e|$)/i, ".0$1") : JSON.stringify(plain);
}

function place(cells: Cells): string {
  return `point = [${["x", "y", "z"].map((key) => quantity(cells[key] ?? "", "mm")).join(", ")}]`;
}

function given(cells: Cells, key: string): boolean {
  return (cells[key] ?? "").trim() !== "";
}

/** Return joint values as they were typed, as TOML; plain numbers are ° or mm, as the joint turns or slides. */
function jointsLine(text: string, units: string[]): string {
  const separator = /[,;]/.test(text) ? /\s*[,;]\s*/ : /\s+/;
  const parts = text.trim().split(separator);
  return `joints = [${parts.map((part, k) => quantity(part, units[k] === "m" ? "mm" : "deg")).join(", ")}]`;
}

/** Return joint values [rad or m] as they are shown in a cell. */
export function jointsCell(q: number[], units: string[]): string {
  return q.map((value, k) => cell(value, units[k] === "m" ? 1000 : DEGREES)).join(", ");
}

function rowLines(row: Cells, units: string[]): string[] {
  const lines = ["", "[[trajectory]]", `kind = ${JSON.stringify(row.kind ?? "linear")}`];
  if (!given(row, "joints")) lines.push(place(row));
  else {
    lines.push(jointsLine(row.joints ?? "", units));
    // a row with both is sent with both, and complained of
    const spot = { x: row.x || "0", y: row.y || "0", z: row.z || "0" };
    if (["x", "y", "z"].some((key) => given(row, key))) lines.push(place(spot));
  }
  if (given(row, "inclination")) lines.push(`inclination = ${quantity(row.inclination ?? "", "deg")}`);
  if (given(row, "roll")) lines.push(`roll = ${quantity(row.roll ?? "", "deg")}`);
  if (["a", "b", "c"].some((key) => given(row, key))) {
    lines.push(`angles = [${["a", "b", "c"].map((key) => quantity(row[key] || "0", "deg")).join(", ")}]`);
  }
  if (given(row, "phi")) lines.push(`phi = ${quantity(row.phi ?? "", "deg")}`);
  if (given(row, "points")) lines.push(`points = ${bare(row.points ?? "")}`);
  if (given(row, "help")) lines.push(`help = ${JSON.stringify(row.help ?? "")}`);
  if (given(row, "speed")) lines.push(`speed = ${quantity(row.speed ?? "", "m/s")}`);
  if (given(row, "blend")) lines.push(`blend = ${quantity(row.blend ?? "", "mm")}`);
  if (given(row, "name")) lines.push(`name = ${JSON.stringify(row.name ?? "")}`);
  return lines;
}

/** Return what a table says of the speed near bodies, for its settings. */
function nearness(rules: Cells): string[] {
  const share = (key: string) => `${bare(String(Number(rules[key]) / 100))}`;
  return [
    `near = ${quantity(rules.near ?? "", "mm")}`,
    `near_speed = ${share("nearSpeed")}`,
    `far = ${quantity(rules.far ?? "", "mm")}`,
    `far_speed = ${share("farSpeed")}`,
  ];
}

/** Return the rules near bodies that a table holds; empty: it says nothing of them. */
export function rulesIn({ settings }: TableContents): Cells {
  const found: Cells = {};
  if (settings.near !== null) found.near = cell(settings.near, 1000);
  if (settings.near_speed !== null) found.nearSpeed = cell(settings.near_speed, 100);
  if (settings.far !== null) found.far = cell(settings.far, 1000);
  if (settings.far_speed !== null) found.farSpeed = cell(settings.far_speed, 100);
  if (Object.keys(found).length > 0) found.slow = "yes";
  return found;
}

/** Return a table as TOML; only some of its rows, or with rules near bodies, when they are given. */
export function sheetText(sheet: Sheet, rows: Cells[] = sheet.rows, rules: Cells | null = null): string {
  const { settings } = sheet;
  const lines = ["[settings]"];
  if (given(settings, "speed")) lines.push(`speed = ${quantity(settings.speed ?? "", "m/s")}`);
  if (given(settings, "blend")) lines.push(`blend = ${quantity(settings.blend ?? "", "mm")}`);
  if (given(settings, "shape")) lines.push(`shape = ${JSON.stringify(settings.shape ?? "")}`);
  if (given(settings, "points")) lines.push(`points = ${bare(settings.points ?? "")}`);
  if (given(settings, "acceleration")) lines.push(`acceleration = ${quantity(settings.acceleration ?? "", "m/s^2")}`);
  if (given(settings, "jerk")) lines.push(`jerk = ${quantity(settings.jerk ?? "", "m/s^3")}`);
  if (given(settings, "profile")) lines.push(`profile = ${JSON.stringify(settings.profile ?? "")}`);
  if (rules !== null && rules.slow !== "no") lines.push(...nearness(rules));
  for (const point of sheet.points) {
    lines.push("", "[[help_point]]", `name = ${JSON.stringify(point.name ?? "")}`, place(point));
  }
  for (const row of rows) lines.push(...rowLines(row, sheet.units ?? []));
  return `${lines.join("\n")}\n`;
}

/** A number as it is shown in a cell. */
export function cell(value: number | null, factor = 1): string {
  return value === null ? "" : String(Number((value * factor).toPrecision(9)));
}

/** Return a table as it is edited, for an arm whose joints have these units, "rad" or "m". */
export function sheetOf(table: TableContents, units: string[]): Sheet {
  const spot = (point: number[]): Cells => ({
    x: cell(point[0] ?? 0, 1000),
    y: cell(point[1] ?? 0, 1000),
    z: cell(point[2] ?? 0, 1000),
  });
  const { settings } = table;
  return {
    rows: table.rows.map((row) => ({
      kind: row.kind,
      ...(row.point === null ? { x: "", y: "", z: "" } : spot(row.point)),
      joints: row.joints === null ? "" : jointsCell(row.joints, units),
      inclination: cell(row.inclination, DEGREES),
      roll: row.roll === 0 ? "" : cell(row.roll, DEGREES),
      a: cell(row.angles?.[0] ?? null, DEGREES),
      b: cell(row.angles?.[1] ?? null, DEGREES),
      c: cell(row.angles?.[2] ?? null, DEGREES),
      phi: cell(row.phi, DEGREES),
      points: cell(row.points),
      help: row.help,
      speed: cell(row.speed),
      blend: cell(row.blend, 1000),
      name: row.name,
    })),
    points: table.help_points.map((point) => ({ name: point.name, ...spot(point.point) })),
    settings: {
      speed: cell(settings.speed),
      blend: cell(settings.blend, 1000),
      shape: settings.shape,
      points: cell(settings.points),
      acceleration: cell(settings.acceleration),
      jerk: cell(settings.jerk),
      profile: settings.profile,
    },
  };
}

/** A row that goes where the tool is: by its inclination for an arm with few joints, else by angles. */
export function rowAt(pose: StagePosed, kind: string, joints: number): Cells {
  const [x = 0, y = 0, z = 0, a = 0, b = 0, c = 0] = pose.tool.map((value, k) => (k < 3 ? 1000 : DEGREES) * value);
  const row: Cells = { kind, x: short(x), y: short(y), z: short(z) };
  const { inclination } = pose;
  if (inclination !== null && joints < 6) {
    row.inclination = short(inclination[0] * DEGREES);
    if (Math.abs(inclination[1]) > 1e-6) row.roll = short(inclination[1] * DEGREES);
  } else Object.assign(row, { a: short(a), b: short(b), c: short(c) });
  return row;
}

function short(value: number): string {
  return cell(Math.round(value * 1000) / 1000 + 0);
}

export const EMPTY: Sheet = {
  rows: [],
  points: [],
  settings: { speed: "0.25", blend: "0", shape: "smooth", points: "20", acceleration: "1", jerk: "10", profile: "trapezoid" },
};
