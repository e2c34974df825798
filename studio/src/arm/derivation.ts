// The derivation: model after model as typeset formulas, the solution tree, operation counts, and
// everything as files. It is asked for piece by piece, so it can be left at any time.
import { make, say } from "../dom";
import type { Answer, Command, DeriveArm, DerivedLine, DerivedModel, WriteDerivation } from "../messages";

type Stage = DeriveArm["stage"];
type Katex = typeof import("katex").default;

const STAGES: [Stage, string][] = [
  ["direct", "Direct kinematics"],
  ["equations", "Kinematic equations"],
  ["inverse", "Inverse kinematics"],
  ["velocity", "Jacobian and singularities"],
  ["dynamics", "Dynamics"],
  ["operations", "Operation counts"],
];
const FORMATS: [WriteDerivation["format"], string][] = [
  ["latex", "LaTeX"],
  ["pdf", "PDF"],
  ["c", "C"],
  ["python", "Python"],
];
const KINDS: Record<string, string> = { pdf: "application/pdf", tex: "application/x-tex" };
const MACROS = { "\\atantwo": "\\operatorname{atan2}" };
const SVG = "http://www.w3.org/2000/svg";

export class Derivation {
  readonly root = make("div", "", { class: "arm-derivation" });
  /** Somebody wants to see a configuration [rad or m]. */
  onGo: (joints: number[]) => void = () => undefined;
  private button = make("button", "Derive", { id: "arm-derive", title: "Derive all models of this arm in closed form" });
  private stop = make("button", "Stop", { id: "arm-derive-stop", title: "Leave it at this" });
  private progress = make("progress", "", { max: String(STAGES.length), "aria-label": "Models derived" });
  private said = make("span", "", { class: "muted", role: "status" });
  private sheets = make("div", "", { class: "arm-sheets" });
  private turn = 0;
  private derived = "";

  constructor(
    private request: (command: Command) => Promise<Answer>,
    private text: () => string,
  ) {
    const line = make("div", "", { class: "row" });
    const files = make("div", "", { class: "row" });
    this.progress.hidden = this.stop.hidden = true;
    this.button.onclick = () => void this.derive();
    this.stop.onclick = () => this.leave("left");
    line.append(this.button, this.stop, this.progress, this.said);
    files.append(make("span", "Download:", { class: "muted" }));
    for (const [format, title] of FORMATS) {
      const button = make("button", title, { "data-format": format });
      button.onclick = () => void this.download(format, button);
      files.append(button);
    }
    this.root.append(line, files, this.sheets);
  }

  /** Another description is shown; what was derived is of the one before. */
  changed(derivable: boolean): void {
    this.button.disabled = !derivable;
    if (this.derived === "" || this.derived === this.text()) return;
    this.leave("");
    this.said.textContent = this.sheets.childElementCount > 0 ? "of the arm as it was before the last edit" : "";
  }

  private leave(said: string): void {
    this.turn += 1;
    this.progress.hidden = this.stop.hidden = true;
    this.said.textContent = said;
  }

  private async derive(): Promise<void> {
    this.turn += 1;
    const turn = this.turn;
    const text = this.text();
    this.derived = text;
    this.sheets.replaceChildren();
    this.progress.hidden = this.stop.hidden = false;
    this.progress.value = 0;
    const { default: katex } = await import("katex");
    for (const [place, [stage, title]] of STAGES.entries()) {
      if (turn !== this.turn) return;
      this.said.textContent = `${title} …`;
      const answer = await this.request({ type: "DeriveArm", text, stage });
      if (turn !== this.turn) return;
      if (answer.result?.type !== "DerivedModel") return this.leave(answer.problem);
      this.sheets.append(this.sheet(title, answer.result, katex));
      this.progress.value = place + 1;
    }
    this.leave("");
  }

  private sheet(title: string, model: DerivedModel, katex: Katex): HTMLElement {
    const sheet = make("details", "", { class: "arm-sheet", "data-stage": model.stage });
    const head = make("summary", title);
    head.append(make("small", ` ${model.seconds.toFixed(2)} s`, { class: "muted" }));
    sheet.append(head);
    sheet.open = model.stage === "inverse";
    // a long sheet is typeset when it is opened
    const fill = () => {
      if (!sheet.open || sheet.childElementCount > 1) return;
      sheet.append(...model.lines.map((line) => this.line(line, katex)));
    };
    sheet.ontoggle = fill;
    fill();
    return sheet;
  }

  private line(line: DerivedLine, katex: Katex): HTMLElement {
    switch (line.kind) {
      case "heading":
        return prose(make("h4"), line.text, katex);
      case "formula": {
        const box = make("div", "", { class: "arm-formula" });
        typeset(box, line.text, katex, true);
        return box;
      }
      case "table":
        return counts(line.rows);
      case "tree":
        return tree(line);
      case "singular": {
        const text = prose(make("p"), line.text, katex);
        if (line.joints.length > 0) {
          const go = make("button", "Show", { title: "Move the arm to such a configuration", class: "arm-singular" });
          go.onclick = () => this.onGo(line.joints);
          text.append(" ", go);
        }
        return text;
      }
      default:
        return prose(make("p"), line.text, katex);
    }
  }

  private async download(format: WriteDerivation["format"], button: HTMLButtonElement): Promise<void> {
    button.disabled = true;
    const answer = await this.request({ type: "WriteDerivation", text: this.text(), format });
    button.disabled = false;
    if (answer.result?.type !== "DerivedFiles") return;
    for (const { name, text } of answer.result.files) {
      const ending = name.slice(name.lastIndexOf(".") + 1);
      const content = ending === "pdf" ? Uint8Array.from(atob(text), (one) => one.charCodeAt(0)) : text;
      const blob = new Blob([content], { type: KINDS[ending] ?? "text/plain" });
      const link = make("a", "", { href: URL.createObjectURL(blob), download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      say(`${name} is being saved`);
    }
  }
}

function typeset(element: HTMLElement, text: string, katex: Katex, display: boolean): void {
  katex.render(text, element, {
    output: "mathml",
    displayMode: display,
    throwOnError: false,
    strict: false,
    macros: MACROS,
  });
}

/** Fill an element with a sentence; between dollar signs stand formulas. */
function prose<T extends HTMLElement>(element: T, text: string, katex: Katex): T {
  text.split("$").forEach((part, number) => {
    if (number % 2 === 0) element.append(part);
    else {
      const span = make("span");
      typeset(span, part, katex, false);
      element.append(span);
    }
  });
  return element;
}

function counts(rows: string[][]): HTMLElement {
  const scroll = make("div", "", { class: "arm-scroll" });
  const table = make("table");
  rows.forEach((row, number) => {
    const line = make("tr");
    line.append(...row.map((text) => make(number === 0 ? "th" : "td", text)));
    table.append(line);
  });
  scroll.append(table);
  return scroll;
}

/** Return names as they are read: θ₁ for \theta_{1}. */
function plain(text: string): string {
  const low = (digits: string) => [...digits].map((one) => String.fromCharCode(0x2080 + Number(one))).join("");
  return text.replace(/\\theta_\{(\d+)\}/g, (_, n: string) => `θ${low(n)}`).replace(/q_\{(\d+)\}/g, (_, n: string) => `q${low(n)}`);
}

function drawn(kind: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const element = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.textContent = text;
  return element;
}

/** Draw the solution tree: each level is a conclusion, each fork a sign. */
function tree(line: DerivedLine): HTMLElement {
  const [wide, high, left] = [300, 40, 16];
  const label = left + wide + 14;
  const height = high * line.rows.length + 40;
  const picture = drawn("svg", { viewBox: `0 0 ${label + 130} ${height}`, role: "img", "aria-label": line.text, class: "arm-tree" });
  let places = [left + wide / 2];
  let share = wide;
  picture.append(drawn("text", { x: label, y: 18 }, "pose"), drawn("circle", { cx: places[0] ?? 0, cy: 14, r: 3.5 }));
  line.rows.forEach(([names = "", values = "1"], level) => {
    const fork = places.length * Number(values) <= 32 ? Number(values) : 1;
    const y = 14 + high * (level + 1);
    share /= fork;
    const next: number[] = [];
    for (const place of places) {
      for (let branch = 0; branch < fork; branch++) {
        const x = place + (branch - (fork - 1) / 2) * share;
        next.push(x);
        picture.append(drawn("line", { x1: place, y1: y - high, x2: x, y2: y }), drawn("circle", { cx: x, cy: y, r: 3.5 }));
      }
    }
    const count = Number(values) === 1 ? "one value" : `${values} values`;
    picture.append(drawn("text", { x: label, y: y + 1 }, plain(names)), drawn("text", { x: label, y: y + 13, class: "small" }, count));
    places = next;
  });
  picture.append(drawn("text", { x: left, y: height - 4 }, line.text));
  const box = make("div");
  box.append(picture);
  return box;
}
