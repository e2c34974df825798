// The views: the cell, and those that are loaded when they are first opened.
import { find, keep, kept, make, say } from "./dom";
import type { Answer, Command, Greeting } from "./messages";

export type ViewName = Greeting["view"];

/** What the page gives a view. */
export interface Studio {
  /** Ask the server; what is refused has been said to the person already. */
  request(command: Command): Promise<Answer>;
  /** Ask the server; the view says itself what is refused. */
  ask(command: Command): Promise<Answer>;
  /** What can be opened, once the server has said it. */
  readonly greeting: Greeting | null;
  /** Show another view, with what it is to show there. */
  open(view: ViewName, subject?: string): void;
}

/** A view that has been loaded. */
export interface StudioView {
  /** It is seen; the subject is a name or file, empty: stay with what there is. */
  show(subject: string): void;
  /** Another view is seen. */
  hide(): void;
}

/** What the module of a view exports as `open`. */
export type OpenView = (root: HTMLElement, studio: Studio) => StudioView;

interface Entry {
  name: ViewName;
  title: string;
  hint: string;
  /** Loads the module; null: it is part of the page. */
  load: (() => Promise<{ open: OpenView }>) | null;
}

const ENTRIES: Entry[] = [
  { name: "cell", title: "Cell", hint: "A cell that runs", load: null },
  { name: "arm", title: "Arm", hint: "Describe an arm and move it", load: () => import("./arm/arm") },
  {
    name: "motion",
    title: "Motion",
    hint: "Drive, teach and plan motions of an arm",
    load: () => import("./motion/motion"),
  },
  {
    name: "space",
    title: "Space",
    hint: "Maps of joint values, free paths, reach",
    load: () => import("./space/space"),
  },
  {
    name: "program",
    title: "Program",
    hint: "Write robot programs, run them, step forwards and back",
    load: () => import("./program/program"),
  },
  {
    name: "mobile",
    title: "Mobile",
    hint: "Scenes of mobile robots: run them, change what is in them",
    load: () => import("./mobile/mobile"),
  },
];

export class Views {
  private loaded = new Map<ViewName, Promise<StudioView | null>>();
  private shown: ViewName = "cell";

  constructor(private studio: Studio) {
    const bar = find("views");
    for (const [index, entry] of ENTRIES.entries()) {
      const tab = make("button", entry.title, {
        id: `tab-${entry.name}`,
        role: "tab",
        title: `${entry.hint} (Alt+${index + 1})`,
        "aria-controls": `view-${entry.name}`,
      });
      tab.onclick = () => this.open(entry.name, "");
      bar.append(tab);
    }
    bar.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const next = ENTRIES.findIndex((one) => one.name === this.shown) + step;
      const entry = ENTRIES[(next + ENTRIES.length) % ENTRIES.length];
      if (entry === undefined) return;
      this.open(entry.name, "");
      find(`tab-${entry.name}`).focus();
    };
    addEventListener("keydown", (event) => {
      const entry = event.altKey ? ENTRIES[Number(event.key) - 1] : undefined;
      if (entry === undefined) return;
      event.preventDefault();
      this.open(entry.name, "");
    });
    this.mark();
  }

  /** Open what the server was started with, or else the view that was seen last. */
  begin(greeting: Greeting): void {
    const last = ENTRIES.find((one) => one.name === kept("view"))?.name ?? "cell";
    if (greeting.view === "cell" && greeting.subject === "") this.open(last, "");
    else this.open(greeting.view, greeting.subject);
  }

  /** Show a view; it is loaded when it has not been. */
  open(name: ViewName, subject: string): void {
    const entry = ENTRIES.find((one) => one.name === name);
    if (entry === undefined) return;
    const before = this.shown;
    this.shown = name;
    keep("view", name);
    this.mark();
    if (before !== name) void this.loaded.get(before)?.then((view) => view?.hide());
    if (entry.load === null) return;
    const root = this.root(name);
    const load = entry.load;
    const view = this.loaded.get(name) ?? this.load(name, load, root);
    this.loaded.set(name, view);
    void view.then((one) => {
      if (this.shown === name) one?.show(subject);
    });
  }

  private async load(
    name: ViewName,
    load: () => Promise<{ open: OpenView }>,
    root: HTMLElement,
  ): Promise<StudioView | null> {
    try {
      return (await load()).open(root, this.studio);
    } catch (error) {
      this.loaded.delete(name);
      say(`this view could not be loaded: ${String(error)}`);
      return null;
    }
  }

  private root(name: ViewName): HTMLElement {
    const there = document.getElementById(`view-${name}`);
    if (there !== null) return there;
    const made = make("main", "", { id: `view-${name}`, role: "tabpanel" });
    find("view-cell").after(made);
    return made;
  }

  private mark(): void {
    document.documentElement.dataset.view = this.shown;
    for (const { name } of ENTRIES) {
      const tab = find(`tab-${name}`);
      tab.setAttribute("aria-selected", String(name === this.shown));
      tab.tabIndex = name === this.shown ? 0 : -1;
      const panel = document.getElementById(`view-${name}`);
      if (panel !== null) panel.hidden = name !== this.shown;
    }
  }
}
