/** What can be answered to a question, in the order in which it stands there. Pure. */

import type { Answer, Question } from "@pith/agent";
import type { LineInput } from "../../widgets/line-input.ts";
import type { Walk } from "../../widgets/list.ts";

export interface QuestionState {
  readonly walk: Walk;
  /** Which of the rules is offered, the narrowest first. */
  readonly rule: number;
  /** What is typed for the model; null where nothing is. */
  readonly word: LineInput | null;
  /** Keys count once somebody has stopped typing: what was meant for the editor must permit nothing. */
  readonly isHeard: boolean;
  /** How many keys came before that. */
  readonly early: number;
  /** Whether these are for the editor. */
  readonly isTyping: boolean;
}

export function rowsOf({ rules }: Question, { rule }: Pick<QuestionState, "rule">): readonly Row[] {
  const offered = rules[rule];
  const remembered = (place: "session" | "project"): Answer | null =>
    offered ? { type: "yes", remember: { rule: offered, for: place } } : null;
  return [
    { key: "y", label: "Yes", answer: { type: "yes" } },
    ...row("s", `Yes, and in this session always ${offered?.text}`, remembered("session")),
    ...row("p", `Yes, and in this project always ${offered?.text}`, remembered("project")),
    { key: "n", label: "No", answer: { type: "no" } },
    { key: "w", label: "No, and say why", answer: "word" },
  ];
}

export interface Row {
  readonly key: string;
  readonly label: string;
  /** `word`: something is typed first. */
  readonly answer: Answer | "word";
}

function row(key: string, label: string, answer: Answer | null): readonly Row[] {
  return answer ? [{ key, label, answer }] : [];
}
