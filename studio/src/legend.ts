// Legends: what a colour stands for. Patches are drawn, since the page allows no styles in texts.
import { make } from "./dom";

export function legendEntry(colour: string, text: string): HTMLElement {
  const entry = make("li");
  const patch = make("canvas", "", { width: "8", height: "8", "aria-hidden": "true" });
  const context = patch.getContext("2d");
  if (context !== null) {
    context.fillStyle = colour;
    context.fillRect(0, 0, 8, 8);
  }
  entry.append(patch, make("span", text));
  return entry;
}
