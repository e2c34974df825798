// The tabs of the view of motions, one panel each.
import { make } from "../dom";

const TABS: [string, string][] = [
  ["control", "Control"],
  ["trajectories", "Trajectories"],
  ["help", "Helppoints"],
  ["bodies", "Bodies"],
  ["settings", "Settings"],
];

export class Tabs {
  readonly element = make("div", "", { class: "motion-tabs" });
  onOpen: (name: string) => void = () => undefined;
  private panels = new Map<string, HTMLElement>();
  private shown = "control";

  constructor() {
    const bar = make("div", "", { class: "row", role: "tablist", "aria-label": "Motion" });
    this.element.append(bar);
    for (const [name, title] of TABS) {
      const tab = make("button", title, { type: "button", role: "tab", id: `motion-tab-${name}`, "aria-controls": `motion-${name}` });
      tab.onclick = () => this.open(name);
      bar.append(tab);
      const panel = make("div", "", { role: "tabpanel", id: `motion-${name}`, "aria-labelledby": `motion-tab-${name}` });
      this.panels.set(name, panel);
      this.element.append(panel);
    }
    bar.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const at = TABS.findIndex(([name]) => name === this.shown);
      const next = TABS[(at + step + TABS.length) % TABS.length]?.[0] ?? "control";
      this.open(next);
      document.getElementById(`motion-tab-${next}`)?.focus();
    };
  }

  /** Put something on the panel of a tab. */
  fill(name: string, ...content: HTMLElement[]): void {
    this.panels.get(name)?.append(...content);
  }

  open(name: string): void {
    this.shown = name;
    this.onOpen(name);
    for (const [one, panel] of this.panels) {
      panel.hidden = one !== name;
      const tab = document.getElementById(`motion-tab-${one}`);
      tab?.setAttribute("aria-selected", String(one === name));
      if (tab !== null) tab.tabIndex = one === name ? 0 : -1;
    }
  }
}
