/** What came of a command, for a program that prints and ends: what to print, what to note, and how to go on. */

import type { Answer } from "./command.ts";

export interface PrintedAnswer {
  /** For the standard output; empty for nothing. */
  readonly answer: string;
  /** For people. */
  readonly notes: readonly string[];
  /** Of the program, where it is not 0, with its reason. */
  readonly fault?: { readonly code: number; readonly message: string };
}

/** `goOn` are flags that must be said again, such as an address. */
export function printedAnswer(answer: Exclude<Answer, { type: "prompt" }>, goOn = ""): PrintedAnswer {
  switch (answer.type) {
    case "told":
      return { answer: answer.text, notes: [] };
    case "mistake":
      return { answer: "", notes: [], fault: { code: 2, message: answer.message } };
    case "failed":
      return { answer: "", notes: [], fault: { code: 1, message: answer.message } };
    case "opened":
      return openedAnswer(answer, goOn);
    case "draft":
      return { answer: answer.draft, notes: [`· ${answer.text}; say these words anew with pith -p -c${goOn} "…"`] };
    case "quit":
      return { answer: "", notes: [] };
  }
}

function openedAnswer(opened: Extract<Answer, { type: "opened" }>, goOn: string): PrintedAnswer {
  const { id, text, draft, isDraftKept, word = id.slice(0, 13) } = opened;
  const call = `pith -p --session ${word}${goOn}`;
  if (draft === undefined) return { answer: text, notes: [`· go on with ${call} "…"`] };
  const way = isDraftKept
    ? `${call} says this as it is; with words behind it, those instead`
    : `say these words with ${call} "…"`;
  return { answer: draft, notes: [`· ${text}; ${way}`] };
}
