// Where the tool is, in the coordinates of the world, by its angles, and in cylindrical ones.
import { make } from "../dom";
import type { StagePosed } from "../messages";
import { shown } from "../numbers";
import { direction } from "./control";

export function showTool(root: HTMLElement, pose: StagePosed): void {
  const [x = 0, y = 0, z = 0, a = 0, b = 0, c = 0] = pose.tool;
  const leans = pose.inclination === null ? "" : ` · inclination ${shown(pose.inclination[0], "rad")}`;
  const free = pose.distance === null ? "" : `${(1000 * pose.distance).toFixed(0)} mm to the nearest body`;
  const kind = pose.contact === "" ? "muted" : "complaint";
  root.replaceChildren(
    make("span", `Tool x ${shown(x, "m")} · y ${shown(y, "m")} · z ${shown(z, "m")}`),
    make("span", `a ${shown(a, "rad")} · b ${shown(b, "rad")} · c ${shown(c, "rad")}${leans}`),
    make("span", `r ${shown(Math.hypot(x, y), "m")} · h ${shown(z, "m")} · φ ${shown(direction(x, y), "rad")}`),
    make("span", pose.contact === "" ? free : pose.contact, { class: kind, id: "motion-contact" }),
  );
}
