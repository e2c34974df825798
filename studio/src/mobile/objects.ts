// The bodies and robots of a scene, with what can be said of them while time stands.
import { make } from "../dom";
import type { Command, EditMobileObject, MobileObject, MobileOpened } from "../messages";

const TYPES = ["immovable", "movable", "robot", "robot with gripper"];

export class MobileObjects {
  readonly element = make("div");
  /** Called when one is chosen in the list. */
  onChoose: (name: string | null) => void = () => undefined;
  private list = make("select", "", { id: "mobile-objects", size: "8", "aria-label": "Bodies and robots" });
  private form = make("fieldset", "", { id: "mobile-object", class: "mobile-object", "aria-label": "Attributes" });
  private complaint = make("p", "", { class: "complaint", id: "mobile-object-problem", role: "alert" });
  private hint = make("p", "", { class: "muted", id: "mobile-object-hint" });
  private objects: MobileObject[] = [];
  private programs: string[] = [];
  private chosen: string | null = null;
  private written = "";

  constructor(private change: (command: Command) => Promise<string>) {
    this.list.onchange = () => {
      this.choose(this.list.value);
      this.onChoose(this.list.value);
    };
    this.element.append(this.list, this.form, this.complaint, this.hint);
    this.lock(false);
  }

  /** Show what is open; other: it is another scene. */
  show(opened: MobileOpened, other: boolean): void {
    this.objects = opened.objects;
    this.programs = opened.programs;
    if (other || !this.objects.some((one) => one.name === this.chosen)) this.chosen = this.objects[0]?.name ?? null;
    this.list.replaceChildren(
      ...this.objects.map((one) => {
        const star = one.changed.length > 0 ? " *" : "";
        return make("option", `${one.name} – ${one.kind}${star}`, { value: one.name });
      }),
    );
    this.choose(this.chosen);
  }

  choose(name: string | null): void {
    const object = this.objects.find((one) => one.name === name);
    if (object === undefined) return;
    this.chosen = object.name;
    this.list.value = object.name;
    const now = JSON.stringify(object);
    if (now === this.written) return; // what is being typed stays
    this.written = now;
    this.complaint.textContent = "";
    this.form.replaceChildren(...this.rows(object));
  }

  /** Attributes are changed while time stands. */
  lock(running: boolean): void {
    this.form.disabled = running;
    this.hint.textContent = running
      ? "Stop the time to change attributes."
      : "Type, mass, density and friction put the scene back to its beginning. An empty number: as the file says.";
  }

  private rows(object: MobileObject): HTMLElement[] {
    const robot = object.kind.startsWith("robot");
    const rows = [this.row(object, "type", choice(TYPES, object.kind), "")];
    if (object.kind !== "immovable") {
      rows.push(this.row(object, "mass", field(object.mass), "kg"));
      rows.push(this.row(object, "density", field(object.density), "kg/m³"));
    }
    rows.push(this.row(object, "friction", field(object.friction), "0 to 1"));
    if (robot) {
      rows.push(this.row(object, "active", choice(["true", "false"], String(object.active)), ""));
      const program = make("input", "", { list: "mobile-programs", placeholder: "none: it stands", spellcheck: "false" });
      program.value = object.program;
      const known = make("datalist", "", { id: "mobile-programs" });
      known.append(...this.programs.map((one) => make("option", "", { value: one })));
      rows.push(this.row(object, "program", program, ""), known);
    }
    return rows;
  }

  private row(
    object: MobileObject,
    attribute: EditMobileObject["attribute"],
    control: HTMLInputElement | HTMLSelectElement,
    unit: string,
  ): HTMLElement {
    control.id = `mobile-${attribute}`;
    const label = make("label", "", { class: "mobile-attribute" });
    const changed = object.changed.includes(attribute) ? " *" : "";
    label.append(make("span", `${attribute}${changed}`), control, make("span", unit, { class: "muted" }));
    control.onchange = () => void this.send(object.name, attribute, control);
    return label;
  }

  private async send(
    name: string,
    attribute: EditMobileObject["attribute"],
    control: HTMLInputElement | HTMLSelectElement,
  ): Promise<void> {
    this.written = ""; // what comes back is written even where it is what was there
    const problem = await this.change({ type: "EditMobileObject", name, attribute, value: control.value });
    this.complaint.textContent = problem;
    control.setAttribute("aria-invalid", String(problem !== ""));
  }
}

function field(value: number): HTMLInputElement {
  const input = make("input", "", { inputmode: "decimal", spellcheck: "false" });
  input.value = String(Number(value.toPrecision(6)));
  return input;
}

function choice(names: string[], chosen: string): HTMLSelectElement {
  const list = make("select");
  list.append(...names.map((name) => make("option", name, { value: name })));
  list.value = chosen;
  return list;
}
