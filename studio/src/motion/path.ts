// The planned path in the picture: blends, slowed places and contacts in colour.
import { make } from "../dom";
import { legendEntry } from "../legend";
import type { Overlay } from "../lines";
import type { Motion } from "../player";

/** Colours of the path: as planned, in a blend, held back by a joint, slowed near a body. */
const MARKS = ["#2f81f7", "#f08c00", "#9c36b5", "#e6c700"];
const LEGEND = ["as planned", "blend", "slowed by a joint", "slowed near a body"];
const CONTACT = "#e03131";

/** Draw the way of the tool, in a scene of some size [m]. */
export function drawPath(overlay: Overlay, { plan, tool, marks }: Motion, size: number): void {
  overlay.clear();
  const end = plan.touch === null ? Infinity : (plan.touch.time / plan.duration) * (plan.samples - 1);
  overlay.way(tool, (row) => (row > end ? CONTACT : (MARKS[marks[row] ?? 0] ?? "#2f81f7")));
  if (plan.touch !== null) overlay.dot(plan.touch.point, 0.01 * size, CONTACT);
}

export function legend(): HTMLElement {
  const list = make("ul", "", { class: "legend path-legend" });
  list.append(...LEGEND.map((text, k) => legendEntry(MARKS[k] ?? "", text)), legendEntry(CONTACT, "contact"));
  return list;
}
