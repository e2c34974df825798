// Panels beside the picture: shown, hidden, moved up and down or dragged by their titles; all of it
// is remembered.
import { find, keep, kept, make } from "./dom";

const ORDER = "panels";
const HIDDEN = "hidden panels";

export class Panels {
  private side = find("panels");
  private menu = find("panel-menu");
  private hidden = new Set((kept(HIDDEN) ?? "").split(",").filter(Boolean));
  private dragged: HTMLElement | null = null;

  constructor() {
    const order = (kept(ORDER) ?? "").split(",");
    for (const id of order) {
      const panel = document.getElementById(id);
      if (panel?.parentElement === this.side) this.side.append(panel);
    }
    // panels that are newer than what was remembered come last
    for (const panel of this.all()) if (!order.includes(panel.id)) this.side.append(panel);
    for (const panel of this.all()) this.prepare(panel);
    this.list();
  }

  private all(): HTMLDetailsElement[] {
    return [...this.side.querySelectorAll<HTMLDetailsElement>(":scope > details")];
  }

  private prepare(panel: HTMLDetailsElement): void {
    const open = kept(panel.id);
    if (open !== null) panel.open = open === "open";
    panel.addEventListener("toggle", () => keep(panel.id, panel.open ? "open" : "closed"));
    panel.hidden = this.hidden.has(panel.id);
    const title = panel.querySelector("summary");
    if (title === null) return;
    const name = titleOf(panel);
    const tools = make("span", "", { class: "tools" });
    const acts: [string, string, () => void][] = [
      ["↑", `Move ${name} up`, () => this.move(panel, -1)],
      ["↓", `Move ${name} down`, () => this.move(panel, 1)],
      ["×", `Hide ${name}`, () => this.show(panel, false)],
    ];
    for (const [sign, label, act] of acts) {
      const button = make("button", sign, { type: "button", title: label, "aria-label": label });
      button.onclick = (event) => {
        event.preventDefault();
        act();
      };
      tools.append(button);
    }
    title.append(tools);
    title.draggable = true;
    title.ondragstart = (event) => {
      this.dragged = panel;
      event.dataTransfer?.setData("text/plain", name);
    };
    panel.ondragover = (event) => {
      if (this.dragged === null) return;
      event.preventDefault();
      const { top, height } = panel.getBoundingClientRect();
      if (event.clientY < top + Math.min(height, 60) / 2) panel.before(this.dragged);
      else panel.after(this.dragged);
    };
    title.ondragend = () => {
      this.dragged = null;
      this.remember();
    };
  }

  private move(panel: HTMLElement, way: -1 | 1): void {
    const seen = this.all().filter((one) => !one.hidden);
    const other = seen[seen.indexOf(panel as HTMLDetailsElement) + way];
    if (other === undefined) return;
    if (way < 0) other.before(panel);
    else other.after(panel);
    this.remember();
    panel.scrollIntoView({ block: "nearest" });
  }

  private show(panel: HTMLElement, shown: boolean): void {
    panel.hidden = !shown;
    if (shown) this.hidden.delete(panel.id);
    else this.hidden.add(panel.id);
    this.remember();
  }

  private remember(): void {
    keep(ORDER, this.all().map((panel) => panel.id).join(","));
    keep(HIDDEN, [...this.hidden].join(","));
    this.list();
  }

  /** The switches of all panels, in their order. */
  private list(): void {
    const box = this.menu.querySelector("div");
    box?.replaceChildren(
      ...this.all().map((panel) => {
        const label = make("label");
        const tick = make("input", "", { type: "checkbox", "data-panel": panel.id });
        tick.checked = !panel.hidden;
        tick.onchange = () => this.show(panel, tick.checked);
        label.append(tick, ` ${titleOf(panel)}`);
        return label;
      }),
    );
  }
}

function titleOf(panel: HTMLElement): string {
  return panel.dataset.title ?? panel.id;
}
