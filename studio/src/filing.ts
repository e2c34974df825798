// A line to open a file below the folder and to save one there.
import { make, say } from "./dom";
import type { Studio } from "./views";

export interface FileLine {
  element: HTMLElement;
  /** Look again which files there are. */
  refresh(): void;
}

/**
 * Make such a line.
 *
 * @param what Such as "bodies", for those who listen.
 * @param endings Of the files, the first is added to names without one.
 */
export function fileLine(
  studio: Studio,
  what: string,
  endings: string[],
  opened: (text: string, file: string) => void,
  content: (file: string) => string | Promise<string>,
): FileLine {
  const list = make("select", "", { "aria-label": `Open ${what}` });
  const name = make("input", "", {
    placeholder: `${what}${endings[0] ?? ""}`,
    "aria-label": `File to save ${what} to`,
  });
  const save = make("button", "Save", { type: "button" });
  const element = make("div", "", { class: "row file-line" });
  element.append(list, name, save);
  const refresh = async () => {
    const answer = await studio.ask({ type: "ListFiles", endings });
    const files = answer.result?.type === "FileList" ? answer.result.files : [];
    list.replaceChildren(make("option", "Open …", { value: "" }));
    list.append(...files.map((file) => make("option", file, { value: file })));
  };
  list.onfocus = () => void refresh();
  list.onchange = async () => {
    const file = list.value;
    list.value = "";
    if (file === "") return;
    const answer = await studio.request({ type: "ReadFile", file });
    if (answer.result?.type !== "FileText") return;
    name.value = file;
    opened(answer.result.text, file);
  };
  const write = async () => {
    const typed = name.value.trim() || `${what}${endings[0] ?? ""}`;
    const file = endings.some((ending) => typed.endsWith(ending)) ? typed : `${typed}${endings[0] ?? ""}`;
    const text = await content(file);
    if (text === "") return;
    const answer = await studio.request({ type: "WriteFile", file, text });
    if (answer.problem === "") {
      name.value = file;
      say(`${what} saved: ${file}`, "good");
      void refresh();
    }
  };
  save.onclick = () => void write();
  name.onkeydown = (event) => {
    if (event.key === "Enter") void write();
  };
  void refresh();
  return { element, refresh: () => void refresh() };
}

/** Fill a list with the arms of the library, those below the folder and those of packages. */
export async function armChoices(studio: Studio, list: HTMLSelectElement, chosen: string): Promise<void> {
  const answer = await studio.ask({ type: "ListArms" });
  const others = new Map<string, string[]>();
  for (const one of answer.result?.type === "ArmChoices" ? answer.result.choices : []) {
    if (one.group !== "Files" && !one.group.startsWith("Package ")) continue;
    others.set(one.group, [...(others.get(one.group) ?? []), one.name]);
  }
  const groups: [string, string[]][] = [["Library", studio.greeting?.arms ?? []], ...others];
  list.replaceChildren();
  for (const [label, names] of groups) {
    const group = make("optgroup", "", { label });
    group.append(...names.map((one) => make("option", one, { value: one })));
    if (names.length > 0) list.append(group);
  }
  if (!groups.some(([, names]) => names.includes(chosen))) {
    list.append(make("option", chosen, { value: chosen }));
  }
  list.value = chosen;
}
