/** Generates a summary with a model: builds the transcript, audits the answer, asks for one correction, then repairs or refuses it. */

import type { ContextEditEntry, Entry } from "../entry.ts";
import type { ThinkingLevel } from "../message.ts";
import type { Model } from "../model.ts";
import type { Ports } from "../runtime.ts";
import { summaryTimeFor } from "../settings.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import type { Allowance, AskFailure, Call, TellProgress } from "./ask-model.ts";
import { type CheckedSummary, checkSummary, type Flaw, type FlawCode } from "./audit.ts";
import { collectEvidence, type Evidence } from "./evidence.ts";
import { type Format, headings, NO_HISTORY, TURN_JOIN } from "./prompts.ts";
import { correction, type Telling, type Told, type Transcript, tell } from "./summarize.ts";
import { type TimeLimit, withTimeLimit } from "./time-limit.ts";
import { type Detail, type TranscriptBlock, transcriptOf } from "./transcript.ts";

/** The form of the model's answer, and how it becomes a summary; a split turn has a part of its own. */
export interface StoryShape {
  /** What the model is asked for. */
  readonly format: Format;
  /** The headings that must be there, in order. */
  readonly sections: readonly string[];
  readonly tokens: number;
  /** The summary so far, as the model is shown it. */
  readonly previous: string;
  /** The answer, with the turn's part where it belongs. */
  read(answer: string): string;
  story(text: string): string;
}

export interface ShapeParts {
  readonly format?: "summary" | "branch";
  /** A task of the host's own: any form will do. */
  readonly replaceInstructions?: boolean;
  readonly previous?: string;
  /** Whether it was checked when it was written. */
  readonly isChecked?: boolean;
  readonly hasHistory: boolean;
  readonly hasTurn: boolean;
  readonly tokens: number;
}

export function shapeOf(parts: ShapeParts): StoryShape {
  const { format = "summary", previous = "", isChecked = false, replaceInstructions = false } = parts;
  const { hasHistory, hasTurn, tokens } = parts;
  const before = withoutFileBlocks(previous);
  const plain = { tokens, previous: before, read: trimmed, story: (text: string) => text };
  if (replaceInstructions) return { ...plain, format, sections: [] };
  if (!hasTurn) return { ...plain, format, sections: headings(format) };
  // B45: where nothing came between, what was told before is carried on as it is, unless nobody has ever looked at it.
  const lead = `${before || NO_HISTORY}${TURN_JOIN}`;
  const room = tokens - textTokens(lead);
  const isSound = before === "" || isChecked;
  const isCarriedOn = isSound && !hasHistory && !before.includes(TURN_JOIN.trim()) && room >= tokens * LEAST_FOR_TURN;
  if (isCarriedOn)
    return {
      format: "turn",
      sections: headings("turn"),
      tokens: room,
      previous: "",
      read: trimmed,
      story: (text) => `${lead}${text}`,
    };
  return {
    format: "summary",
    sections: [...headings("summary"), ...headings("turn")],
    tokens,
    previous: before,
    read: withJoin,
    story: (text) => text,
  };
}

/** Of the story: what the turn needs at least. */
const LEAST_FOR_TURN = 0.4;

const trimmed = (answer: string): string => answer.trim();

// B44: models write the line between the two parts in many ways, or forget it.
function withJoin(answer: string): string {
  const at = answer.search(/^## Original Request\s*$/m);
  if (at < 0) return answer.trim();
  const lines = answer.slice(0, at).split("\n");
  while (lines.length > 0 && isSeam(lines.at(-1) ?? "")) lines.pop();
  return `${lines.join("\n").trim()}${TURN_JOIN}${answer.slice(at).trim()}`;
}

// A rule, and a line that says what follows.
function isSeam(line: string): boolean {
  const plain = line.trim();
  return plain === "" || /^[-*_ ]{3,20}$/.test(plain) || /^[#*_ ]{0,8}Turn Context\b/i.test(plain);
}

// B49: lists of files are code's; told again and again they would only grow.
function withoutFileBlocks(summary: string): string {
  const kept: string[] = [];
  let block: { readonly of: string; readonly lines: string[] } | null = null;
  for (const line of summary.split("\n")) {
    const [, end, of] = /^<(\/?)(read|modified)-files>$/.exec(line) ?? [];
    if (!block && of && !end) block = { of, lines: [line] };
    else if (!block) kept.push(line);
    else if (of === block.of && end) block = null;
    else block.lines.push(line);
  }
  // One that never ends is none.
  return [...kept, ...(block?.lines ?? [])].join("\n").trim();
}

export interface SummaryParts {
  readonly model: Model;
  readonly ports: Pick<Ports, "sleep" | "nonce">;
  /** What is told, oldest first. */
  readonly entries: readonly Entry[];
  /** The beginning of a turn that follows them and whose rest is kept. */
  readonly turn?: readonly Entry[];
  readonly edits?: readonly ContextEditEntry[];
  /** The summary so far, to be brought up to date. */
  readonly previous?: string;
  /** Whether that was checked when it was written: what others wrote never was. */
  readonly isChecked?: boolean;
  readonly format?: "summary" | "branch";
  /** Whether the user's messages are kept beside the summary, as the model is then told; they are, but for a branch. */
  readonly keepsMessages?: boolean;
  /** What the user or a hook wants looked at. */
  readonly instructions?: string;
  /** Whether these take the place of our own task; then any form will do. */
  readonly replaceInstructions?: boolean;
  /** Of the story, at most. */
  readonly tokens: number;
  readonly thinking?: ThinkingLevel;
  /** Real tokens for each estimated one, where replies of this model have measured it. */
  readonly factor?: number | undefined;
  /** What it is held against; without it the entries and the summary so far. */
  readonly evidence?: Evidence;
  /** What may be spent on it; without it whatever it takes. */
  readonly allowance?: Allowance;
  /** Told what is being done, for whoever waits. */
  readonly progress?: TellProgress | undefined;
  /** How long it may take; without it the usual limits. */
  readonly time?: TimeLimit | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type Summarised =
  | {
      readonly type: "summarised";
      readonly story: string;
      /** The entries that were put before the model. */
      readonly covers: ReadonlySet<string>;
      /** What code had to mend. */
      readonly mended: readonly Flaw[];
      readonly calls: readonly Call[];
    }
  | { readonly type: "failed"; readonly failure: SummaryFailure; readonly calls: readonly Call[] }
  | { readonly type: "cancelled"; readonly calls: readonly Call[] };

export interface SummaryFailure {
  readonly code: AskFailure["code"] | FlawCode;
  readonly note: string;
}

/** Has a model tell these entries, holds its answer against them, lets it correct itself once and mends the rest. */
export function generateSummary(parts: SummaryParts): Promise<Summarised> {
  const { time, ports } = parts;
  return time ? generate(parts, time) : withTimeLimit(summaryTimeFor(), ports, (limit) => generate(parts, limit));
}

async function generate(parts: SummaryParts, time: TimeLimit): Promise<Summarised> {
  const { entries, turn = [] } = parts;
  const shape = shapeOf({ ...parts, hasHistory: entries.length > 0, hasTurn: turn.length > 0 });
  const telling = tellingOf(parts, { shape, time });
  const { calls } = telling;
  const told = await tell(telling);
  if (told.type !== "told") return { ...told, calls };
  const checked = await corrected(told, { parts, shape, telling });
  if (checked.type !== "checked") return { ...checked, calls };
  return {
    type: "summarised",
    story: shape.story(checked.text),
    covers: new Set([...entries, ...turn].map(({ id }) => id)),
    mended: checked.mended,
    calls,
  };
}

interface Form {
  readonly shape: StoryShape;
  readonly time: TimeLimit;
}

function tellingOf(parts: SummaryParts, { shape, time }: Form): Telling {
  const { model, ports, signal, entries, turn = [], edits = [], thinking = "off", instructions = "" } = parts;
  const before = new Set(entries.map(({ id }) => id));
  const isHistory = ({ entryId }: TranscriptBlock): boolean => shape.format === "turn" || before.has(entryId);
  const transcript = (detail: Detail): Transcript => {
    const blocks = transcriptOf([...entries, ...turn], { edits, detail });
    return { history: blocks.filter(isHistory), turn: blocks.filter((block) => !isHistory(block)) };
  };
  return {
    model,
    ports,
    signal,
    thinking,
    format: shape.format,
    transcript,
    hasTurn: shape.format !== "turn" && turn.length > 0,
    factor: parts.factor,
    previous: shape.previous,
    instructions: instructions.trim(),
    task: parts.replaceInstructions && instructions.trim() !== "" ? instructions.trim() : undefined,
    keepsMessages: parts.keepsMessages ?? parts.format !== "branch",
    tokens: shape.tokens,
    calls: [],
    allowance: parts.allowance,
    progress: parts.progress,
    time,
  };
}

type Checked =
  | { readonly type: "checked"; readonly text: string; readonly mended: readonly Flaw[] }
  | { readonly type: "failed"; readonly failure: SummaryFailure }
  | { readonly type: "cancelled" };

interface Checking {
  readonly parts: SummaryParts;
  readonly shape: StoryShape;
  readonly telling: Telling;
}

// The model is asked once more for what only it can correct; of two answers that can be used, the better one is taken.
async function corrected(told: Extract<Told, { type: "told" }>, { parts, shape, telling }: Checking): Promise<Checked> {
  const evidence = parts.evidence ?? entriesEvidence(parts);
  const check = (answer: string): CheckedSummary => checkSummary(shape.read(answer), evidence, shape);
  parts.progress?.({ step: "auditing" });
  const first = check(told.text);
  if (first.problems.length === 0) return { type: "checked", text: first.text, mended: first.flaws };
  parts.progress?.({ step: "repairing", flaws: first.problems.length });
  const again = await correction(
    told,
    first.problems.map(({ note }) => note),
    telling,
  );
  if (again.type === "cancelled") return again;
  const answers = again.type === "told" ? [check(again.text), first] : [first];
  const usable = answers.filter((answer) => isUsable(answer, shape));
  const [best] = usable.toSorted(
    (one, other) => one.problems.length - other.problems.length || one.text.length - other.text.length,
  );
  if (best) return { type: "checked", text: best.text, mended: [...best.problems, ...best.flaws] };
  return { type: "failed", failure: answers[0]?.problems[0] ?? first.problems[0] ?? NOTHING };
}

/** An answer with headings that is not far too long; citations that do not exist have become marks. */
function isUsable({ text, problems }: CheckedSummary, { tokens }: StoryShape): boolean {
  if (problems.some(({ code }) => code === "empty" || code === "sections")) return false;
  return textTokens(text) <= tokens * LONGEST;
}

/** Of the size that the model was given: longer ones are refused, and the next summariser is asked. */
const LONGEST = 4 / 3;
const NOTHING: SummaryFailure = { code: "empty", note: "The summary is empty." };

function entriesEvidence({ entries, turn = [], edits = [], previous = "", isChecked = false }: SummaryParts): Evidence {
  const nothingElse = { userMessages: "", pins: [], ledger: "", request: null };
  return collectEvidence({ covered: [...entries, ...turn], edits, previous, isChecked, ...nothingElse });
}

/** The session's level, at most `medium` (B41). */
export function moderate(level: string): ThinkingLevel {
  return LEVELS.find((each) => each === level) ?? (level === "" ? "off" : "medium");
}

const LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium"];
