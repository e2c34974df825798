// The code editor of the program view: colours, marks of mistakes, the present line, breakpoints.
// It stands in a shadow root: there its styles are adopted, which the page's policy allows.
import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, gutter, GutterMarker, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { ProgramProblem } from "../messages";
import { complete } from "./completion";
import { irl } from "./irl";

const present = StateEffect.define<number>();
const toggle = StateEffect.define<number>();

const LINE = Decoration.line({ class: "cm-present" });

const presentLine = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(found, change) {
    found = found.map(change.changes);
    for (const effect of change.effects) {
      if (!effect.is(present)) continue;
      const line = effect.value;
      if (line < 1 || line > change.state.doc.lines) found = Decoration.none;
      else found = Decoration.set([LINE.range(change.state.doc.line(line).from)]);
    }
    return found;
  },
  provide: (field) => EditorView.decorations.from(field),
});

class Dot extends GutterMarker {
  override toDOM(): Node {
    return document.createTextNode("●");
  }
}
const DOT = new Dot();

const stops = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(found, change) {
    found = found.map(change.changes);
    for (const effect of change.effects) {
      if (!effect.is(toggle)) continue;
      const at = effect.value;
      let there = false;
      found.between(at, at, () => {
        there = true;
      });
      found = there ? found.update({ filter: (from) => from !== at }) : found.update({ add: [DOT.range(at)] });
    }
    return found;
  },
});

const stopGutter = gutter({
  class: "cm-stops",
  markers: (view) => view.state.field(stops),
  initialSpacer: () => DOT,
  domEventHandlers: {
    mousedown(view, line) {
      view.dispatch({ effects: toggle.of(line.from) });
      return true;
    },
  },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword, tags.operatorKeyword], color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.character], color: "var(--code-text)" },
  { tag: [tags.number, tags.bool], color: "var(--code-number)" },
  { tag: [tags.typeName, tags.standard(tags.name)], color: "var(--code-type)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "0.82rem", color: "var(--ink, inherit)" },
  ".cm-scroller": { overflow: "auto", fontFamily: "ui-monospace, monospace" },
  ".cm-gutters": { background: "transparent", color: "var(--muted)", border: "none" },
  ".cm-stops": { width: "1.1em", cursor: "pointer", color: "var(--bad)" },
  ".cm-present": { background: "rgba(255, 212, 59, 0.35)" },
  ".cm-cursor": { borderLeftColor: "currentColor" },
});

export class CodeEditor {
  private view: EditorView;
  /** Told after every change of the text. */
  onChange: () => void = () => undefined;

  constructor(parent: HTMLElement, text: string) {
    const root = parent.attachShadow({ mode: "open" });
    const inner = document.createElement("div");
    inner.className = "host";
    root.append(inner);
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(".host { height: 100%; }");
    root.adoptedStyleSheets = [sheet];
    this.view = new EditorView({
      parent: inner,
      root,
      state: EditorState.create({
        doc: text,
        extensions: [
          stops,
          stopGutter,
          lineNumbers(),
          lintGutter(),
          history(),
          autocompletion({ override: [complete] }),
          indentUnit.of("  "),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          highlightSelectionMatches(),
          presentLine,
          irl,
          syntaxHighlighting(colours),
          look,
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
          EditorView.contentAttributes.of({ "aria-label": "Robot program, in IRL" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) this.onChange();
          }),
        ],
      }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** Mark what is wrong. */
  mark(problems: ProgramProblem[]): void {
    const doc = this.view.state.doc;
    const found: Diagnostic[] = problems.map((one) => {
      const line = doc.line(Math.min(Math.max(one.line, 1), doc.lines));
      const from = Math.min(line.from + one.column - 1, line.to);
      const hint = one.expected === "" ? "" : ` – expected ${one.expected}`;
      return {
        from,
        to: Math.min(from + one.length, line.to),
        severity: one.is_warning ? "warning" : "error",
        message: `${one.message}${hint}`,
      };
    });
    this.view.dispatch(setDiagnostics(this.view.state, found));
  }

  /** Show which line is next; 0: none. */
  show(line: number): void {
    const effects: StateEffect<unknown>[] = [present.of(line)];
    const doc = this.view.state.doc;
    if (line >= 1 && line <= doc.lines) effects.push(EditorView.scrollIntoView(doc.line(line).from, { y: "nearest", yMargin: 40 }));
    this.view.dispatch({ effects });
  }

  /** Put the cursor somewhere. */
  go(line: number, column: number): void {
    const doc = this.view.state.doc;
    const found = doc.line(Math.min(Math.max(line, 1), doc.lines));
    const at = Math.min(found.from + column - 1, found.to);
    this.view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
    this.view.focus();
  }

  /** Set a breakpoint at a line, or take it away. */
  stopAt(line: number): void {
    this.view.dispatch({ effects: toggle.of(this.view.state.doc.line(line).from) });
  }

  /** Lines with a breakpoint. */
  get stops(): Set<number> {
    const { state } = this.view;
    const lines = new Set<number>();
    for (let cursor = state.field(stops).iter(); cursor.value !== null; cursor.next()) {
      lines.add(state.doc.lineAt(cursor.from).number);
    }
    return lines;
  }
}
