// The view of mobile robots: a scene at work, its objects, settings and log.
import { keep, kept, make, say } from "../dom";
import { Dragging, type Hands } from "../drag";
import { FrameReader, type Poses } from "../frames";
import type { Answer, Command, MobileMoment, MobileOpened, ViewedGeometry } from "../messages";
import { Overlay } from "../lines";
import { unpacked } from "../numbers";
import { followTheme } from "../theme";
import { View } from "../view";
import type { Studio, StudioView } from "../views";
import { MobileLog } from "./log";
import { MobileObjects } from "./objects";
import { MobileSettings } from "./settings";
import { MobileTransport } from "./transport";

const OFTEN = 30; // [ms] between two looks while time passes
const SELDOM = 250; // [ms] while it stands

const RAY = "#e8590c";
const MEASURED = 5; // [pixel] of the point that a sensor measures

/** Bodies and robots go along with the mouse, also while time passes. */
const HANDS: Hands = {
  placed: new Set(["thing", "robot"]),
  shifted: new Set(),
  place: (name, position) => ({ type: "PlaceMobileObject", name, position }),
  rest: (name, position) => ({ type: "PlaceMobileObject", name, position }),
  shift: (name, position) => ({ type: "PlaceMobileObject", name, position }),
};

export function open(root: HTMLElement, studio: Studio): StudioView {
  return new MobileView(root, studio);
}

class MobileView implements StudioView {
  private view: View;
  private scenes = make("select", "", { id: "mobile-scene", "aria-label": "Scene" });
  private physics = make("button", "Physics", {
    id: "mobile-physics",
    type: "button",
    title: "Off: robots pass through everything. The scene goes back to its beginning.",
  });
  private follow = make("button", "Follow the landscape", {
    id: "mobile-follow",
    type: "button",
    title: "Without physics: robots keep to the surface below them. The scene goes back to its beginning.",
  });
  private rays = make("button", "Sensor rays", { id: "mobile-rays", type: "button" });
  private problem = make("p", "", { class: "complaint", id: "mobile-problem", role: "alert" });
  private lines: Overlay;
  private dragging: Dragging;
  private transport: MobileTransport;
  private objects: MobileObjects;
  private settings: MobileSettings;
  private log: MobileLog;
  private opened: MobileOpened | null = null;
  private latest: MobileMoment | null = null;
  private poses: Poses | null = null;
  private shown = false;
  private looking = 0; // number of the loop that looks on: an older one ends
  private asked = 0; // number of the last scene asked for

  constructor(
    root: HTMLElement,
    private studio: Studio,
  ) {
    const stage = make("section", "", { class: "staged mobile-stage", "aria-label": "Scene" });
    const canvas = make("canvas", "", {
      id: "mobile-canvas",
      tabindex: "0",
      "aria-label": "3-D view: drag to turn, shift and drag to move, wheel to zoom, click to choose, then drag it",
    });
    this.view = new View(canvas);
    followTheme(this.view);
    this.lines = new Overlay(this.view);
    this.dragging = new Dragging(this.view, (command) => this.put(command), HANDS);
    this.transport = new MobileTransport((command) => void this.steer(command));
    stage.append(canvas, this.transport.element);
    const row = make("div", "", { class: "row" });
    row.append(this.physics, this.follow, this.rays);
    this.objects = new MobileObjects((command) => this.change(command));
    this.objects.onChoose = (name) => {
      this.view.choose(name);
      this.dragging.choose(name);
    };
    this.view.onChoose = (name) => {
      this.view.choose(name);
      this.dragging.choose(name);
      this.objects.choose(name);
    };
    this.settings = new MobileSettings(studio, (name) => void this.load(this.opened?.scene ?? "", name, true));
    this.log = new MobileLog(studio);
    const aside = make("aside");
    aside.append(
      panel("Scene", this.scenes, row, this.problem),
      panel("Settings", this.settings.element),
      panel("Objects", this.objects.element),
      panel("Log", this.log.element),
    );
    root.append(stage, aside);
    this.wire();
    Object.defineProperty(window, "armwerkMobile", { configurable: true, get: () => this.seen });
  }

  /** What tests and curious people may look at. */
  get seen() {
    return {
      opened: this.opened,
      moment: this.latest,
      places: this.poses === null ? [] : [...this.poses.places],
      rays: this.measured,
      drawn: this.view.drawn,
      lines: this.log.count,
      at: (name: string) => this.view.onScreen(name),
    };
  }

  /** What the distance sensors measure: start, end [m], and whether something is there. */
  private get measured(): number[][] {
    const numbers = this.latest === null ? [] : [...unpacked(this.latest.rays)];
    return Array.from({ length: numbers.length / 7 }, (_, row) => numbers.slice(7 * row, 7 * row + 7));
  }

  /** Draw rays up to the points that are measured, and these points. */
  private drawRays(): void {
    this.lines.clear();
    if (!pressed(this.rays)) return;
    const rows = this.measured;
    if (rows.length === 0) return;
    this.lines.strokes(new Float32Array(rows.flatMap((row) => row.slice(0, 6))), RAY);
    const met = rows.filter((row) => (row[6] ?? 0) > 0).flatMap((row) => row.slice(3, 6));
    if (met.length > 0) this.lines.marks(new Float32Array(met), MEASURED, RAY);
  }

  show(subject: string): void {
    this.shown = true;
    if (this.opened === null || subject !== "") void this.load(subject, "", false);
    else void this.look();
  }

  hide(): void {
    this.shown = false;
    this.looking += 1;
    if (this.latest?.running === true) void this.studio.ask({ type: "SteerMobile", action: "stop" });
  }

  private wire(): void {
    this.scenes.onchange = () => void this.load(this.scenes.value, "", true);
    this.physics.onclick = () => this.switch(!pressed(this.physics), pressed(this.follow));
    this.follow.onclick = () => this.switch(pressed(this.physics), !pressed(this.follow));
    const draw = (on: boolean) => {
      press(this.rays, on);
      this.drawRays();
      keep("mobile rays", String(on));
    };
    this.rays.onclick = () => draw(!pressed(this.rays));
    draw(kept("mobile rays") !== "false");
  }

  private switch(physics: boolean, follow: boolean): void {
    void this.change({ type: "SwitchPhysics", physics, follow_landscape: follow });
  }

  // what is asked ---------------------------------------------------------------------------------

  /** Open a scene; empty: the one that is open. */
  private async load(scene: string, settings: string, anew: boolean): Promise<void> {
    if (this.scenes.childElementCount === 0) await this.list();
    await this.change({ type: "OpenMobileScene", scene, settings, anew });
    void this.look();
  }

  private async list(): Promise<void> {
    const answer = await this.studio.ask({ type: "ListMobileScenes" });
    if (answer.result?.type !== "MobileSceneList") return;
    const groups: [string, string[]][] = [
      ["Examples", answer.result.shipped],
      ["Files", answer.result.files],
    ];
    this.scenes.replaceChildren();
    for (const [label, names] of groups) {
      const group = make("optgroup", "", { label });
      group.append(...names.map((name) => make("option", name, { value: name })));
      if (names.length > 0) this.scenes.append(group);
    }
  }

  /** Have something changed; returns why not, empty: it was. */
  private async change(command: Command): Promise<string> {
    this.asked += 1;
    const asked = this.asked;
    const answer = await this.studio.ask(command);
    if (asked === this.asked && answer.result?.type === "MobileOpened") this.take(answer.result);
    if (command.type !== "EditMobileObject" && answer.problem !== "") {
      say(answer.problem);
      if (this.opened !== null) this.scenes.value = this.opened.scene;
    }
    return answer.problem;
  }

  /** Have something put elsewhere, and see it there at once. */
  private async put(command: Command): Promise<Answer> {
    const answer = await this.studio.request(command);
    void this.look();
    return answer;
  }

  private async steer(command: Command): Promise<void> {
    await this.studio.request(command);
    void this.look();
  }

  private take(opened: MobileOpened): void {
    const geometry: ViewedGeometry = { ...opened.geometry, type: "ViewedGeometry" };
    if (this.opened?.version !== opened.version) {
      this.view.show(geometry);
      this.dragging.show(geometry);
    }
    const other = this.opened?.scene !== opened.scene;
    this.opened = opened;
    if (![...this.scenes.options].some((one) => one.value === opened.scene)) {
      this.scenes.append(make("option", opened.scene, { value: opened.scene }));
    }
    this.scenes.value = opened.scene;
    press(this.physics, opened.physics);
    press(this.follow, opened.follow_landscape);
    this.follow.disabled = opened.physics;
    this.objects.show(opened, other);
    this.settings.show(opened);
    this.log.show(opened);
  }

  /** Look on, as long as this view is seen. */
  private async look(): Promise<void> {
    this.looking += 1;
    const mine = this.looking;
    while (this.shown && mine === this.looking) {
      const knew = this.log.known;
      const answer = await this.studio.ask({ type: "WatchMobile", seen: knew });
      if (mine !== this.looking) return;
      await this.hear(answer, knew);
      const pause = this.latest?.running === true && answer.problem === "" ? OFTEN : SELDOM;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  private async hear(answer: Answer, knew: number): Promise<void> {
    if (answer.result?.type !== "MobileMoment") return;
    const moment = answer.result;
    if (moment.version !== this.opened?.version) {
      // somebody else has opened or changed something
      await this.change({ type: "OpenMobileScene", scene: "", settings: "", anew: false });
      if (moment.version !== this.opened?.version) return;
    }
    this.latest = moment;
    const bytes = Uint8Array.from(atob(moment.frame), (one) => one.charCodeAt(0));
    this.poses = new FrameReader().read(bytes.buffer);
    this.view.place(this.poses);
    this.dragging.running = moment.running;
    this.drawRays();
    this.transport.show(moment);
    this.objects.lock(moment.running);
    this.problem.textContent = moment.problem;
    this.log.hear(moment, knew);
  }
}

function panel(title: string, ...content: HTMLElement[]): HTMLElement {
  const details = make("details", "", { open: "" });
  details.append(make("summary", title), ...content);
  return details;
}

function pressed(button: HTMLElement): boolean {
  return button.getAttribute("aria-pressed") === "true";
}

function press(button: HTMLElement, on: boolean): void {
  button.setAttribute("aria-pressed", String(on));
}
