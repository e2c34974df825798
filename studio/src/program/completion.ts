// What may be meant by the beginning of a word: words of the language, and names of the program.
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { snippetCompletion } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import * as words from "./words";

const KINDS: [Set<string>, string, string][] = [
  [words.declaring, "keyword", "declaration"],
  [words.control, "keyword", "statement"],
  [words.moving, "keyword", "motion"],
  [words.operators, "keyword", "operator"],
  [words.truths, "constant", "value"],
  [words.types, "type", "type"],
  [words.functions, "function", "function"],
  [words.system, "variable", "of the system"],
];

const BLOCKS: Completion[] = [
  snippetCompletion("for ${n} := ${1} to ${10}\n\t${}\nendfor;", { label: "for", detail: "… endfor", type: "keyword" }),
  snippetCompletion("while ${condition}\n\t${}\nendwhile;", { label: "while", detail: "… endwhile", type: "keyword" }),
  snippetCompletion("if ${condition}\n\t${}\nendif;", { label: "if", detail: "… endif", type: "keyword" }),
];

const WORDS: Completion[] = [
  ...BLOCKS,
  ...KINDS.flatMap(([set, type, detail]) => [...set].map((label) => ({ label, type, detail }))),
];
const KNOWN = new Set(WORDS.map((word) => word.label));

/** Offer words for what stands before the cursor; nothing within comments and texts. */
export function complete(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/[A-Za-z_]\w*/);
  if (word === null && !context.explicit) return null;
  const within = syntaxTree(context.state).resolveInner(context.pos, -1).name;
  if (/comment|string/i.test(within)) return null;
  const from = word?.from ?? context.pos;
  return { from, options: [...WORDS, ...names(context, from)], validFor: /^\w*$/ };
}

/** Names that the program itself uses, but for the one that is being written. */
function names(context: CompletionContext, from: number): Completion[] {
  const text = context.state.doc.toString();
  const code = text.slice(0, from) + " " + text.slice(context.pos);
  const bare = code.replace(/\{[^}]*\}|'[^'\n]*'/g, " ");
  const found = new Set(bare.match(/[A-Za-z_]\w*/g) ?? []);
  return [...found]
    .filter((name) => !KNOWN.has(name.toLowerCase()))
    .map((label) => ({ label, type: "variable", detail: "of this program", boost: 1 }));
}
