// The view of robot programs: write one, see its mistakes, run it on an arm, step forwards and back.
// A run comes as a whole, line by line; so every step can be taken back, and nothing waits.
import { armName } from "../arm_name";
import { keep, kept, make, say } from "../dom";
import { armChoices, fileLine } from "../filing";
import { Overlay } from "../lines";
import type { Answer, ExportProgram, ProgramProblem, ProgramRun } from "../messages";
import { type Motion, motionOf, Player } from "../player";
import { Latest, StagedArm } from "../staged";
import type { Studio, StudioView } from "../views";
import { CodeEditor } from "./code";

interface Kept {
  arm: string;
  text: string;
  inputs: string;
}

const PAUSE = 300; // [ms] after the last letter
const FIRST: Kept = {
  arm: "irb120",
  inputs: "part=true@3",
  text: `program First;
{ Lengths are millimetres, angles degrees, in the frame of the robot. }
signal
  output bool: gripper at 1;
  input bool: part at 2;
var
  pose: above := ((350, -120, 250), orizyx(0, 180, 0)),
        lay := ((350, 150, 160), orizyx(0, 180, 0));
  int: n;
begin
  r_base := ((0, 0, 0), orizyx(0, 0, 0));
  r_tool := ((0, 0, 120), orizyx(0, 0, 0));  { a hand 120 mm long }
  move ptp above;
  wait for part timeout 10 sec;
  move_inc lin (0, 0, -80) speed := 150;
  gripper := true;
  move_inc lin (0, 0, 80) c_cp := 30;
  for n := 1 to 3
    move lin lay speed := 400;
    move_inc lin (0, 0, 60) c_cp := 15;
    lay.pos := lay.pos + (0, 40, 0);
  endfor;
  gripper := false;
  writeln('laid at ', lay.pos);
  move ptp above;
endprogram;
`,
};

export function open(root: HTMLElement, studio: Studio): StudioView {
  return new ProgramView(root, studio);
}

class ProgramView implements StudioView {
  private state: Kept;
  private code: CodeEditor;
  private arm: StagedArm;
  private way: Overlay;
  private player: Player;
  private motion: Motion | null = null;
  private run: ProgramRun | null = null;
  private ran = "";
  private at = 0;
  private plays = false;
  private started = false;
  private typing = 0;
  private arms = make("select", "", { id: "program-arm", "aria-label": "Arm" });
  private inputs = make("input", "", {
    id: "program-inputs",
    "aria-label": "When inputs take which values",
    title: "name=value@seconds, separated by blanks",
  });
  private said = make("p", "", { class: "muted", id: "program-said", role: "status" });
  private wrong = make("p", "", { class: "complaint", id: "program-problem", role: "alert" });
  private problems = make("ul", "", { class: "program-problems", id: "program-problems" });
  private values = make("table", "", { class: "program-values", id: "program-values" });
  private console = make("pre", "", { class: "program-console", id: "program-console", tabindex: "0" });
  private exported = make("pre", "", { class: "program-export", id: "program-export", tabindex: "0" });
  private time = make("input", "", {
    type: "range",
    min: "0",
    max: "0",
    value: "0",
    class: "program-time",
    id: "program-time",
    "aria-label": "Step of the run",
  });
  private checks = new Latest<Answer>((answer) => this.checked(answer));

  constructor(
    root: HTMLElement,
    private studio: Studio,
  ) {
    this.state = remembered();
    const left = make("section", "", { class: "program-code", "aria-label": "Program" });
    const host = make("div", "", { class: "program-editor", id: "program-editor" });
    left.append(this.controls(), host);
    const stage = make("section", "", { class: "staged", "aria-label": "Arm" });
    const canvas = make("canvas", "", {
      id: "program-canvas",
      tabindex: "0",
      "aria-label": "3-D view: drag to turn, shift and drag to move, wheel to zoom",
    });
    stage.append(canvas);
    const aside = make("aside");
    root.append(left, stage, aside);
    this.code = new CodeEditor(host, this.state.text);
    this.arm = new StagedArm(studio, canvas);
    this.way = new Overlay(this.arm.view);
    this.player = new Player(this.arm);
    this.inputs.value = this.state.inputs;
    const inputs = make("label", "", { class: "field" });
    inputs.append(make("span", "Inputs"), this.inputs);
    const arms = make("label", "", { class: "field" });
    arms.append(make("span", "Arm"), this.arms, armName(this.arms, "program-arm-name"));
    const steps = make("label", "", { class: "field", title: "Go to any line of the run" });
    steps.append(make("span", "Step"), this.time);
    aside.append(
      panel("Run", arms, inputs, steps, this.said, this.wrong),
      panel("Variables", this.values),
      panel("Console", this.console),
      panel("Mistakes and warnings", this.problems),
      panel("File", this.files().element),
      panel("For controllers", this.makers(), this.exported),
    );
    this.wire();
    Object.defineProperty(window, "armwerkProgram", { configurable: true, get: () => this.seen });
  }

  show(subject: string): void {
    if (subject.endsWith(".irl")) void this.load(subject);
    if (this.started) return;
    this.started = true;
    void this.choose(this.state.arm);
    this.check();
  }

  hide(): void {
    this.halt();
  }

  // what a person does ----------------------------------------------------------------------------

  private controls(): HTMLElement {
    const row = make("div", "", { class: "row" });
    const buttons: [string, string, string, () => void][] = [
      ["run", "Run", "Run to the next breakpoint, or to the end (Ctrl+Enter)", () => void this.go()],
      ["back", "◀ Step", "One line back", () => void this.step(-1)],
      ["step", "Step ▶", "One line on", () => void this.step(1)],
      ["stop", "Stop", "Back to the beginning", () => this.rewind()],
      ["tidy", "Tidy", "Write the program in one form", () => void this.tidy()],
    ];
    for (const [name, text, title, act] of buttons) {
      const button = make("button", text, { id: `program-${name}`, type: "button", title });
      button.onclick = act;
      row.append(button);
    }
    return row;
  }

  private wire(): void {
    this.arms.onchange = () => void this.choose(this.arms.value);
    this.inputs.oninput = () => this.changed();
    this.code.onChange = () => {
      this.changed();
      clearTimeout(this.typing);
      this.typing = window.setTimeout(() => this.check(), PAUSE);
    };
    this.time.oninput = () => {
      this.halt();
      this.stand(Number(this.time.value));
    };
    document.getElementById("program-editor")?.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      event.stopPropagation();
      void this.go();
    }, true);
    this.player.onTime = (time) => {
      if (this.plays) this.follow(time);
    };
    this.player.onEnd = () => {
      if (this.plays) this.arrive();
    };
  }

  private files() {
    return fileLine(
      this.studio,
      "program",
      [".irl"],
      (text) => (this.code.text = text),
      () => this.code.text,
    );
  }

  private makers(): HTMLElement {
    const row = make("div", "", { class: "row" });
    for (const [maker, title] of [
      ["krl", "KUKA"],
      ["rapid", "ABB"],
      ["urscript", "Universal Robots"],
    ] as const) {
      const button = make("button", title, { type: "button", id: `program-${maker}` });
      button.onclick = () => void this.export(maker);
      row.append(button);
    }
    return row;
  }

  private async export(maker: ExportProgram["maker"]): Promise<void> {
    const answer = await this.studio.request({ type: "ExportProgram", text: this.code.text, maker });
    this.exported.textContent = answer.result?.type === "ProgramText" ? answer.result.text : answer.problem;
  }

  private async tidy(): Promise<void> {
    const answer = await this.studio.request({ type: "FormatProgram", text: this.code.text });
    if (answer.result?.type === "ProgramText") this.code.text = answer.result.text;
  }

  private async load(file: string): Promise<void> {
    const answer = await this.studio.request({ type: "ReadFile", file });
    if (answer.result?.type === "FileText") this.code.text = answer.result.text;
  }

  // what is asked ---------------------------------------------------------------------------------

  private async choose(name: string): Promise<void> {
    this.state.arm = name;
    this.changed();
    await armChoices(this.studio, this.arms, name);
    const staged = await this.arm.show(name, "", (problem) => (this.wrong.textContent = problem));
    if (staged === null) return;
    const answer = await this.studio.ask({ type: "PoseStage", arm: name, bodies: "", q: staged.rest });
    if (answer.result?.type === "StagePosed") this.arm.posed(answer.result);
  }

  private check(): void {
    const text = this.code.text;
    this.checks.ask(() => this.studio.ask({ type: "CheckProgram", text }));
  }

  /** Have the run worked out, unless it is there already; return whether there is one. */
  private async ready(): Promise<boolean> {
    const asked = JSON.stringify([this.code.text, this.state.arm, this.inputs.value]);
    if (this.run !== null && this.ran === asked) return true;
    this.said.textContent = "running …";
    this.wrong.textContent = "";
    const answer = await this.studio.ask({
      type: "RunProgram",
      text: this.code.text,
      arm: this.state.arm,
      inputs: this.inputs.value,
    });
    this.said.textContent = "";
    this.wrong.textContent = answer.problem;
    if (answer.result?.type !== "ProgramRun") return false;
    const run = answer.result;
    this.run = run;
    this.ran = asked;
    this.at = 0;
    this.motion = run.motion === null ? null : motionOf(run.motion);
    this.player.take(this.motion);
    this.way.clear();
    if (this.motion !== null) this.way.way(this.motion.tool, () => "#d6336c");
    this.time.max = String(Math.max(0, run.steps.length - 1));
    this.said.textContent = run.ending;
    const problem = run.problem;
    if (problem !== null) {
      this.wrong.textContent = `line ${problem.line}: ${problem.message}`;
      this.list([problem]);
    }
    if (run.steps.length === 0) return false;
    this.stand(0);
    return true;
  }

  // the run ---------------------------------------------------------------------------------------

  private async go(): Promise<void> {
    if (this.plays) {
      this.halt();
      return;
    }
    const fresh = this.run === null || this.at >= this.run.steps.length - 1;
    if (!(await this.ready()) || this.run === null) return;
    if (fresh) this.stand(0);
    if (this.motion === null) {
      this.stand(this.next());
      return;
    }
    this.plays = true;
    this.goal = this.next();
    this.player.seek(this.run.steps[this.at]?.time ?? 0);
    this.player.run();
  }

  private goal = 0;

  /** The step of the next breakpoint, or the last one. */
  private next(): number {
    const steps = this.run?.steps ?? [];
    const stops = this.code.stops;
    for (let k = this.at + 1; k < steps.length; k++) {
      if (stops.has(steps[k]?.line ?? 0) && steps[k]?.line !== steps[k - 1]?.line) return k;
    }
    return steps.length - 1;
  }

  /** Go with the arm as time passes. */
  private follow(time: number): void {
    const steps = this.run?.steps ?? [];
    let k = this.at;
    while (k < this.goal && (steps[k + 1]?.time ?? Infinity) <= time) k += 1;
    if (k !== this.at) this.tell(k);
    if (k >= this.goal) this.arrive();
  }

  private arrive(): void {
    this.plays = false;
    this.player.halt();
    this.stand(this.goal);
  }

  private async step(by: number): Promise<void> {
    this.halt();
    const was = this.run;
    if (!(await this.ready()) || this.run === null) return;
    if (was !== this.run && by > 0) return; // it stands before its first line
    this.stand(this.at + by);
  }

  private rewind(): void {
    this.halt();
    this.stand(0);
  }

  private halt(): void {
    this.plays = false;
    this.player.halt();
  }

  /** Stand before a step. */
  private stand(step: number): void {
    const steps = this.run?.steps ?? [];
    if (steps.length === 0) return;
    const k = Math.min(Math.max(step, 0), steps.length - 1);
    this.tell(k);
    if (this.motion !== null) this.player.seek(steps[k]?.time ?? 0);
  }

  /** Show line, variables and console of a step. */
  private tell(k: number): void {
    const run = this.run;
    const step = run?.steps[k];
    if (run === null || step === undefined) return;
    this.at = k;
    this.time.value = String(k);
    this.code.show(step.line);
    this.console.textContent = run.output.slice(0, step.letters);
    const values = new Map<string, string>();
    for (const one of run.steps.slice(0, k + 1)) for (const { name, value } of one.changes) values.set(name, value);
    const changed = new Set(step.changes.map((one) => one.name));
    this.values.replaceChildren(
      ...[...values].map(([name, value]) => {
        const row = make("tr", "", changed.has(name) && k > 0 ? { class: "changed" } : {});
        row.append(make("td", name), make("td", value));
        return row;
      }),
    );
    this.said.textContent = `${step.time.toFixed(2)} s, step ${k + 1} of ${run.steps.length}; ${run.ending}`;
  }

  private checked(answer: Answer): void {
    if (answer.result?.type !== "ProgramChecked") {
      say(answer.problem);
      return;
    }
    this.list(answer.result.problems);
  }

  private list(problems: ProgramProblem[]): void {
    this.code.mark(problems);
    this.problems.replaceChildren(
      ...problems.map((one) => {
        const hint = one.expected === "" ? "" : ` – expected ${one.expected}`;
        const word = one.is_warning ? "warning, " : "";
        const button = make("button", `${word}line ${one.line}: ${one.message}${hint}`, { type: "button" });
        button.onclick = () => this.code.go(one.line, one.column);
        const item = make("li");
        item.append(button);
        return item;
      }),
    );
  }

  private changed(): void {
    this.state = { ...this.state, text: this.code.text, inputs: this.inputs.value };
    keep("program", JSON.stringify(this.state));
  }

  /** What tests and curious people may look at. */
  get seen(): object {
    return {
      text: this.code.text,
      line: this.run?.steps[this.at]?.line ?? 0,
      at: this.at,
      steps: this.run?.steps.length ?? 0,
      plays: this.plays,
      drawn: this.arm.view.drawn,
      put: (text: string) => (this.code.text = text),
      stopAt: (line: number) => this.code.stopAt(line),
    };
  }
}

function remembered(): Kept {
  try {
    return { ...FIRST, ...(JSON.parse(kept("program") ?? "{}") as Partial<Kept>) };
  } catch {
    return { ...FIRST };
  }
}

function panel(title: string, ...content: HTMLElement[]): HTMLElement {
  const details = make("details", "", { open: "" });
  details.append(make("summary", title), ...content);
  return details;
}
