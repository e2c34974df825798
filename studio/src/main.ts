// The page: what comes goes to the panels, what they ask goes to the server.
import "./main.css";
import "./arm/arm.css";
import "./staged.css";
import "./program/program.css";
import "./space/space.css";
import "./motion/motion.css";
import "./mobile/mobile.css";
import { Arrows } from "./arrows";
import { Connection } from "./connection";
import { find, keep, kept, make, say } from "./dom";
import { Dragging } from "./drag";
import { Editor } from "./editor";
import { Events } from "./events";
import { Execute } from "./execute";
import { FrameReader, type Poses } from "./frames";
import type { Answer, CellStatus, Command, Greeting, ViewedGeometry } from "./messages";
import { Objects } from "./objects";
import { Panels } from "./panels";
import { Robots } from "./robots";
import { followTheme } from "./theme";
import { RecordButton, Timeline } from "./timeline";
import { Transport } from "./transport";
import { View } from "./view";
import { type Studio, Views } from "./views";

const token = document.querySelector<HTMLMetaElement>('meta[name="token"]')?.content ?? "";
const connection = new Connection(token);
const view = new View(find<HTMLCanvasElement>("canvas"));
const transport = new Transport(ask);
const execute = new Execute(ask);
const robots = new Robots(request);
const objects = new Objects(ask);
const events = new Events(ask);
const editor = new Editor(request, (command) => connection.ask(command));
const dragging = new Dragging(view, request);
const timeline = new Timeline(request);
const recorder = new RecordButton(request);
const forces = new Arrows("#e8590c");
new Panels();
let reader = new FrameReader();
let frames = 0;
let latest: Poses | null = null;
let geometry: ViewedGeometry | null = null;
let status: CellStatus | null = null;
let greeting: Greeting | null = null;

const studio: Studio = {
  request,
  ask: (command) => connection.ask(command),
  get greeting() {
    return greeting;
  },
  open: (name, subject = "") => views.open(name, subject),
};
const views = new Views(studio);

async function request(command: Command): Promise<Answer> {
  const answer = await connection.ask(command);
  if (answer.problem !== "") say(answer.problem);
  return answer;
}

function ask(command: Command): void {
  void request(command);
}

function greet(told: Greeting): void {
  const list = find<HTMLSelectElement>("cells");
  const groups: [string, string[]][] = [
    ["Files", told.files],
    ["Recordings", told.recordings],
    ["Cells", told.cells],
    ["Arms", told.arms],
  ];
  list.replaceChildren(make("option", "Open …", { value: "" }));
  for (const [label, names] of groups) {
    const group = make("optgroup", "", { label, id: `open-${label.toLowerCase()}` });
    group.append(...names.map((name) => make("option", name, { value: name })));
    if (names.length > 0) list.append(group);
  }
  list.onchange = () => {
    if (list.value !== "") ask({ type: "OpenCell", name: list.value });
    list.value = "";
  };
}

/** Buttons for what stands out: as the server says at first, then as they are pressed. */
function mark(told: Greeting): void {
  const switches: [string, boolean, (on: boolean) => void][] = [
    ["mark-moving", told.mark_moving, (on) => (view.markMoving = on)],
    ["mark-fast", told.mark_fast, (on) => (view.markFast = on)],
    ["show-zones", told.show_zones, (on) => view.showZones(on)],
  ];
  for (const [id, first, set] of switches) {
    const button = find(id);
    if (button.hasAttribute("aria-pressed")) continue; // pressed before the server went away
    const press = (on: boolean) => {
      button.setAttribute("aria-pressed", String(on));
      set(on);
      if (latest !== null) view.place(latest);
    };
    press(first);
    button.onclick = () => press(button.getAttribute("aria-pressed") !== "true");
  }
}

function show(message: ViewedGeometry): void {
  geometry = message;
  find("title").textContent = message.title === "" ? "armwerk studio" : message.title;
  document.title = `${message.title || "cell"} – armwerk studio`;
  view.show(message);
  timeline.show(null);
  robots.show(message);
  objects.show(message);
  dragging.show(message);
  forces.set([], [], 1);
  for (const text of message.missing) say(text);
}

connection.onMessage = (message) => {
  switch (message.type) {
    case "Greeting":
      if (greeting === null) views.begin(message);
      greeting = message;
      greet(message);
      mark(message);
      break;
    case "ViewedGeometry":
      show(message);
      break;
    case "ViewedRecording":
      timeline.show(message);
      timeline.hide(events.filtered);
      break;
    case "ViewedContacts":
      if (contactsShown()) forces.set(message.points, message.forces, geometry?.camera.distance ?? 1);
      view.touch();
      break;
    case "CellText":
      editor.text(message, geometry?.title ?? "");
      robots.offer(message.controllers);
      break;
    case "CellStatus":
      status = message;
      transport.status(message);
      execute.status(message);
      robots.status(message);
      recorder.status(message.recording);
      dragging.running = message.clock.state === "running";
      editor.status(message);
      break;
    case "NewEvents":
      events.hear(message);
      robots.hear(message.events);
      break;
  }
};

connection.onFrame = (data) => {
  latest = reader.read(data);
  frames += 1;
  view.place(latest);
  objects.poses(latest);
  transport.time(latest.time);
  timeline.time(latest.time);
};

connection.onState = (state) => {
  if (state === "open") {
    reader = new FrameReader();
    editor.connected();
    if (contactsShown()) ask({ type: "ShowContacts", shown: true });
  }
  const line = find("connection");
  line.dataset.state = state;
  line.textContent = state === "open" ? "connected" : "The server is away; trying again …";
};

function choose(name: string | null): void {
  view.choose(name);
  objects.choose(name);
  dragging.choose(name);
}

function contactsShown(): boolean {
  return find("show-contacts").getAttribute("aria-pressed") === "true";
}

find("show-contacts").onclick = () => {
  const shown = !contactsShown();
  find("show-contacts").setAttribute("aria-pressed", String(shown));
  ask({ type: "ShowContacts", shown });
  if (!shown) forces.set([], [], 1);
  view.touch();
};
view.overlay.add(forces.group);

robots.onChoose = (robot) => execute.choose(robot);
events.onFilter = (hidden) => timeline.hide(hidden);
timeline.onEvents = (told, anew) => {
  events.add(told, anew);
  robots.hear(told, anew);
};
recorder.onSaved = (file) => {
  if (greeting === null || greeting.recordings.includes(file)) return;
  greeting = { ...greeting, recordings: [...greeting.recordings, file] };
  greet(greeting);
};

view.onChoose = choose;
objects.onChoose = choose;
objects.onFollow = (name) => view.follow(name);

function dress(theme: "light" | "dark"): void {
  document.documentElement.dataset.theme = theme;
}

const wished = kept("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
dress(wished === "dark" ? "dark" : "light");
followTheme(view);
find("theme").onclick = () => {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  keep("theme", next);
  dress(next);
};

// What tests and curious people may look at; nothing here changes anything.
Object.defineProperty(window, "armwerk", {
  value: {
    get frames() {
      return frames;
    },
    get greeted() {
      return find("cells").childElementCount > 0;
    },
    get drawn() {
      return view.drawn;
    },
    get poses() {
      return latest;
    },
    get geometry() {
      return geometry;
    },
    get status() {
      return status;
    },
    get chosen() {
      return dragging.chosen;
    },
    get arrows() {
      return forces.count;
    },
    at: (name: string) => view.onScreen(name),
    placeOf: (name: string) => view.placeOf(name)?.toArray() ?? null,
    camera: () => view.orbit.camera.position.toArray(),
  },
});

connection.open();
