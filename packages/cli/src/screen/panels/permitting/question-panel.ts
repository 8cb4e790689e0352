/** The question before something is done that is not simply permitted: what it is, all of it, and the few answers there are. */

import type { Answer, Question } from "@pith/agent";
import { emptyLine, type LineInput, typedInto } from "../../widgets/line-input.ts";
import { atTop, walked } from "../../widgets/list.ts";
import { answered, goesOn, isWayOut, type Panel, type Pressed } from "../panel.ts";
import { drawQuestion } from "./draw-question.ts";
import { type Matter, matterLines } from "./matter.ts";
import { type QuestionState, rowsOf } from "./question-rows.ts";

/** `whole`: somebody wants to see all that it is about first. */
export type QuestionAnswer = Answer | { readonly type: "whole"; readonly at: QuestionState };

export interface QuestionParts {
  readonly question: Question;
  readonly matter: Matter;
  /** Where somebody looked at all of it and is back. */
  readonly at?: QuestionState;
  /** Milliseconds without a key after which keys count; at once, unless told. */
  readonly quietMs?: number;
  /** Whether somebody is typing below: then keys that come before that are for the editor. */
  readonly isTyping?: boolean;
}

export function questionPanel(parts: QuestionParts): Panel<QuestionState, QuestionAnswer> {
  const { question, quietMs = 0, isTyping = false } = parts;
  const start: QuestionState = { walk: atTop, rule: 0, word: null, isHeard: quietMs === 0, early: 0, isTyping };
  return {
    start: parts.at ?? start,
    spoken: {
      title: question.text,
      lines: (sight) => matterLines(parts.matter, sight),
      // Nobody types a word where only numbers are read.
      options: rowsOf(question, start).flatMap(({ label, answer }) =>
        answer === "word" ? [] : [{ label, value: answer }],
      ),
    },
    press: (state, key) => pressed(state, key, parts),
    draw: (state, sight) => drawQuestion({ state, ...parts, rows: rowsOf(question, state) }, sight),
    learns: async (learn, signal) => learn(await quiet({ quietMs, early: 0, signal })),
  };
}

type Step = Pressed<QuestionState, QuestionAnswer> | null;

function pressed(state: QuestionState, key: string, parts: QuestionParts): Step {
  const { question } = parts;
  if (!state.isHeard) return early(state, key, parts);
  if (state.word) return typed(state, state.word, key);
  const rows = rowsOf(question, state);
  const taken = key === "enter" ? rows[state.walk.at] : rows.find((each) => each.key === key);
  if (taken?.answer === "word") return goesOn<QuestionState>({ ...state, word: emptyLine });
  if (taken) return answered(taken.answer);
  if (key === "tab" || key === "ctrl+o") return answered({ type: "whole", at: state });
  if (key === "left" || key === "right") return goesOn({ ...state, rule: otherRule(state, key, question) });
  const walk = walked(state.walk, key, { count: rows.length, rows: rows.length });
  return walk ? goesOn({ ...state, walk }) : null;
}

function typed(state: QuestionState, word: LineInput, key: string): Step {
  if (key === "escape") return goesOn<QuestionState>({ ...state, word: null });
  if (key === "enter") return answered({ type: "no", ...(word.text.trim() !== "" && { word: word.text.trim() }) });
  const next = typedInto(word, key);
  return next ? goesOn<QuestionState>({ ...state, word: next }) : null;
}

/** Whoever types is waited for, and loses no letter. Escape is meant whenever it comes. */
function early(state: QuestionState, key: string, { quietMs = 0 }: QuestionParts): Step {
  if (isWayOut(key)) return null;
  const next = { ...state, early: state.early + 1, isTyping: state.isTyping || [...key].length === 1 };
  const patience = { quietMs: next.isTyping ? TYPING_MS : quietMs, early: next.early };
  const later = (signal: AbortSignal) => quiet({ ...patience, signal });
  return { type: "goes-on", state: next, later, isTyping: next.isTyping };
}

/** Between two letters of somebody who types slowly. */
const TYPING_MS = 700;

interface Quiet {
  readonly quietMs: number;
  readonly early: number;
  readonly signal: AbortSignal;
}

async function quiet({ quietMs, early, signal }: Quiet): Promise<(state: QuestionState) => QuestionState> {
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, quietMs);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
  return (state) => (state.early === early ? { ...state, isHeard: true } : state);
}

function otherRule({ rule }: QuestionState, key: "left" | "right", { rules }: Question): number {
  const next = key === "right" ? rule + 1 : rule - 1;
  return Math.max(0, Math.min(next, rules.length - 1));
}
