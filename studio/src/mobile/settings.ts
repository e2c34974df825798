// Settings of a scene: listed, loaded and saved by name.
import { make, say } from "../dom";
import type { MobileOpened } from "../messages";
import type { Studio } from "../views";

export class MobileSettings {
  readonly element = make("div", "", { class: "row file-line" });
  private list = make("select", "", { id: "mobile-settings", "aria-label": "Load settings" });
  private name = make("input", "", {
    id: "mobile-settings-name",
    placeholder: "name",
    "aria-label": "Name to save the settings under",
  });

  constructor(
    private studio: Studio,
    load: (name: string) => void,
  ) {
    const save = make("button", "Save", { id: "mobile-save-settings", type: "button" });
    save.onclick = () => void this.save();
    this.list.onchange = () => load(this.list.value);
    this.element.append(this.list, this.name, save);
  }

  show(opened: MobileOpened): void {
    this.fill(opened.settings, opened.chosen);
    this.name.value = opened.chosen;
  }

  private fill(names: string[], chosen: string): void {
    this.list.replaceChildren(make("option", "as the file says", { value: "" }));
    this.list.append(...names.map((name) => make("option", name, { value: name })));
    this.list.value = chosen;
  }

  private async save(): Promise<void> {
    const answer = await this.studio.request({ type: "SaveMobileSettings", name: this.name.value });
    if (answer.result?.type !== "MobileSettingsSaved") return;
    this.fill(answer.result.settings, answer.result.name);
    say(`saved as ${answer.result.file}`, "good");
  }
}
