// The language of robot programs for the code editor: colours, brackets, indentation.
import { StreamLanguage, type StreamParser, type StringStream } from "@codemirror/language";
import {
  closers,
  control,
  declaring,
  functions,
  moving,
  openers,
  operators,
  system,
  truths,
  types,
} from "./words";

interface IrlState {
  /** How many braces of comments are open. */
  braces: number;
  /** Whether a comment of parenthesis and star is open. */
  starred: boolean;
  /** Columns at which open blocks stand. */
  blocks: number[];
  /** The word before, which tells `wait for` from a loop and a field from a name. */
  before: string;
  /** Whether a motion is being written, whose `until` closes no loop. */
  motion: boolean;
}

const MIDDLES = new Set(["else", "elsif", "when", "begin"]);

function comment(stream: StringStream, state: IrlState): string {
  while (!stream.eol()) {
    const letter = stream.next();
    if (state.starred) {
      if (letter === "*" && stream.eat(")")) {
        state.starred = false;
        break;
      }
    } else if (letter === "{") {
      state.braces += 1;
    } else if (letter === "}") {
      state.braces -= 1;
      if (state.braces === 0) break;
    }
  }
  return "comment";
}

function word(stream: StringStream, state: IrlState, name: string): string | null {
  const before = state.before;
  state.before = name;
  if (before === ".") return "propertyName";
  if (name === "move" || name === "move_inc") state.motion = true;
  if (openers.has(name) && !(name === "for" && before === "wait")) {
    state.blocks.push(stream.indentation());
  } else if (closers.has(name) && !(name === "until" && state.motion)) {
    state.blocks.pop();
  }
  if (operators.has(name)) return "operatorKeyword";
  if (truths.has(name)) return "bool";
  if (declaring.has(name)) return "definitionKeyword";
  if (moving.has(name)) return "keyword";
  if (control.has(name)) return "controlKeyword";
  if (types.has(name)) return "typeName";
  if (functions.has(name)) return "variableName.function";
  if (system.has(name)) return "variableName.special";
  return stream.match(/^\s*\(/, false) ? "variableName.function" : "variableName";
}

export const irlParser: StreamParser<IrlState> = {
  name: "irl",
  startState: () => ({ braces: 0, starred: false, blocks: [], before: "", motion: false }),
  copyState: (state) => ({ ...state, blocks: [...state.blocks] }),
  token(stream, state) {
    if (state.braces > 0 || state.starred) return comment(stream, state);
    if (stream.eatSpace()) return null;
    if (stream.eat("{")) {
      state.braces = 1;
      return comment(stream, state);
    }
    if (stream.match("(*")) {
      state.starred = true;
      return comment(stream, state);
    }
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    const name = stream.match(/^[A-Za-z_][A-Za-z_0-9]*/) as RegExpMatchArray | null;
    if (name) return word(stream, state, name[0].toLowerCase());
    if (stream.match(/^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) {
      state.before = "0";
      return "number";
    }
    if (stream.match(/^'(?:[^']|'')*'|^"(?:[^"]|"")*"/)) {
      state.before = "'";
      return "string";
    }
    const sign = stream.match(/^(?::=|<>|<=|>=|\*\*|\.\.|.)/) as RegExpMatchArray;
    state.before = sign[0];
    if (sign[0] === ";") state.motion = false;
    if (sign[0] === ":=") return "definitionOperator";
    if (/^[-+*/=<>@]/.test(sign[0])) return "operator";
    return /^[()[\]]/.test(sign[0]) ? "bracket" : "punctuation";
  },
  indent(state, after, context) {
    const found = /^\s*([A-Za-z_]\w*)/.exec(after);
    const first = found?.[1]?.toLowerCase() ?? "";
    const block = state.blocks[state.blocks.length - 1];
    if (block === undefined) return closers.has(first) || MIDDLES.has(first) ? 0 : null;
    const back = closers.has(first) || MIDDLES.has(first);
    return back ? block : block + context.unit;
  },
  languageData: {
    commentTokens: { line: "//", block: { open: "{", close: "}" } },
    closeBrackets: { brackets: ["(", "[", "{", "'", '"'] },
    indentOnInput: /^\s*(?:end\w+|else|elsif|until|when\b.*:)$/i,
  },
};

/** Robot programs, for an editor of CodeMirror. */
export const irl = StreamLanguage.define(irlParser);
