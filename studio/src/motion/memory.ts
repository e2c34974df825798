// What the view of motions keeps over a reload: tables, bodies, positions and rules, by arm.
import { keep, kept } from "../dom";
import { USUAL } from "./settings";
import { type Cells, EMPTY, type Sheet } from "./sheet";

export interface Kept {
  arm: string;
  bodies: Record<string, string>;
  sheets: Record<string, Sheet>;
  q: Record<string, number[]>;
  taught: Record<string, number[][]>;
  rules: Cells;
  tab: string;
}

const FIRST: Kept = { arm: "five_axis", bodies: {}, sheets: {}, q: {}, taught: {}, rules: { ...USUAL }, tab: "control" };
/** What the five-axis arm begins with. */
export const EXAMPLE: Sheet = {
  ...EMPTY,
  settings: { ...EMPTY.settings, blend: "20" },
  points: [{ name: "H1", x: "380", y: "200", z: "320" }],
  rows: [
    { kind: "start", x: "400", y: "0", z: "300", inclination: "-35" },
    { kind: "circle", x: "300", y: "300", z: "300", inclination: "-30", help: "H1", speed: "0.15", blend: "30" },
    { kind: "linear", x: "300", y: "300", z: "200", inclination: "-30", speed: "0.2" },
  ],
};

export function remembered(): Kept {
  try {
    const given = JSON.parse(kept("motion") ?? "{}") as Partial<Kept>;
    return { ...structuredClone(FIRST), ...given };
  } catch {
    return structuredClone(FIRST);
  }
}

export function save(state: Kept): void {
  keep("motion", JSON.stringify(state));
}
