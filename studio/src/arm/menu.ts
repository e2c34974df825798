// What one starts from, where it is saved, and the way back.
import { armName } from "../arm_name";
import { make, say } from "../dom";
import type { ArmChoice } from "../messages";
import type { Draft } from "./draft";

const SAVED = /^[^#:]*\.(toml|xml|urdf)$/;

export class Menu {
  readonly root = make("div", "", { class: "arm-menu", role: "toolbar", "aria-label": "Arm" });
  onOpen: (name: string) => void = () => undefined;
  onUndo: () => void = () => undefined;
  onRedo: () => void = () => undefined;
  onSave: (file: string) => void = () => undefined;
  onCell: () => void = () => undefined;
  private list = make("select", "", { id: "arm-open", "aria-label": "Start from an arm" });
  private undo = make("button", "Undo", { id: "arm-undo", title: "Take back the last edit (Ctrl+Z)" });
  private redo = make("button", "Redo", { id: "arm-redo", title: "Make it again (Ctrl+Y)" });
  private file = make("input", "", {
    id: "arm-file",
    placeholder: "mine.toml",
    "aria-label": "File to save to: .toml, .xml or .urdf",
    title: "Ends in .toml, .xml or .urdf",
  });
  private state = make("span", "", { class: "muted", id: "arm-state" });

  constructor(private draft: Draft) {
    const save = make("button", "Save", { id: "arm-save", title: "Save below the folder the studio was started in" });
    const cell = make("button", "Put it into a cell", { id: "arm-cell", title: "Open a cell with this arm" });
    this.list.onchange = () => {
      if (this.list.value !== "") this.onOpen(this.list.value);
      this.list.value = "";
    };
    this.undo.onclick = () => this.onUndo();
    this.redo.onclick = () => this.onRedo();
    save.onclick = () => this.save();
    cell.onclick = () => this.onCell();
    this.file.onkeydown = (event) => {
      if (event.key === "Enter") this.save();
    };
    const files = make("span", "", { class: "arm-files" });
    files.append(this.file, save);
    this.root.append(this.list, armName(this.list, "arm-name"), this.undo, this.redo, files, cell, this.state);
  }

  choices(choices: ArmChoice[]): void {
    this.list.replaceChildren(make("option", "Start from …", { value: "" }));
    const groups = new Map<string, ArmChoice[]>();
    for (const one of choices) groups.set(one.group, [...(groups.get(one.group) ?? []), one]);
    for (const [label, members] of groups) {
      const group = make("optgroup", "", { label });
      group.append(...members.map((one) => make("option", one.title, { value: one.name })));
      this.list.append(group);
    }
  }

  refresh(): void {
    this.undo.disabled = !this.draft.canUndo;
    this.redo.disabled = !this.draft.canRedo;
    this.state.textContent = this.draft.changed ? "unsaved" : "";
    if (document.activeElement === this.file) return;
    const { name, file } = this.draft;
    // what is one arm of a tree, or a robot of a package, is saved beside it as TOML
    const plain = (file || name || "mine").replace(/^.*:/, "").replace(/#.*$/, "").replace(/(\.urdf)?\.\w+$/, "");
    this.file.value = SAVED.test(file) ? file : `${plain}.toml`;
  }

  private save(): void {
    const name = this.file.value.trim();
    if (name === "") return say("give the file a name, such as mine.toml");
    this.onSave(SAVED.test(name) ? name : `${name}.toml`);
  }
}
