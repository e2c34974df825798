// A field for an arm that no list has: a file with its tip, a robot of an installed package.
import { make } from "./dom";

const HINT = "robot.urdf#tool0, rtb-data:irb140";

/**
 * Make a field beside a list: what is typed there and Enter is chosen as if it stood in the list.
 *
 * @param list Of arms; told by its change event.
 * @param id Of the field.
 */
export function armName(list: HTMLSelectElement, id: string): HTMLInputElement {
  const field = make("input", "", {
    id,
    class: "arm-name",
    placeholder: HINT,
    spellcheck: "false",
    autocomplete: "off",
    "aria-label": "Another arm: a file, or a robot of an installed package",
    title: `As on the command line: ${HINT}; then Enter`,
  });
  field.onkeydown = (event) => {
    const name = field.value.trim();
    if (event.key !== "Enter" || name === "") return;
    event.preventDefault();
    if (![...list.options].some((one) => one.value === name)) {
      list.append(make("option", name, { value: name }));
    }
    list.value = name;
    field.value = "";
    list.dispatchEvent(new Event("change"));
  };
  return field;
}
