/** Generates a summary with a model: renders the transcript, checks the answer, requests one correction, then repairs or refuses it. */

import { authorOf, splitUserEntry } from "../context/entry-text.ts";
import { type ContextEditEntry, type Entry, entryReference, isStateEntry } from "../entry.ts";
import { LazyValue, runWithPauses, type Steps } from "../event-loop.ts";
import type { ThinkingLevel } from "../message.ts";
import type { Model } from "../model.ts";
import type { Runtime } from "../runtime.ts";
import { createSummaryTimeouts } from "../settings.ts";
import { truncateMiddle } from "../text/truncate.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import type { Allowance, AskFailure, ModelCall, OnProgress } from "./ask-model.ts";
import { type PromptJob, type PromptRequest, usableWindow } from "./build-prompt.ts";
import { checkSummaryInSteps, type SummaryCheckResult } from "./check-summary.ts";
import { chooseRoute, type PricedRoute } from "./choose-route.ts";
import { collectEvidence, type Evidence } from "./evidence.ts";
import type { Flaw, FlawCode } from "./flaw.ts";
import { startTimeLimit, type TimeLimit } from "./limits.ts";
import { TURN_SEPARATOR } from "./parse-summary.ts";
import type { ListedMessage, Transcript } from "./prompt-materials.ts";
import { listHeadings, NO_HISTORY, type SummaryFormatName } from "./prompts.ts";
import {
  type OtherReply,
  requestAgain,
  requestCorrection,
  type SummaryJob,
  type SummaryReply,
  sendPrompt,
  summarizeTranscript,
  type UnusedReply,
} from "./summarize.ts";
import { renderTranscriptInSteps, type TranscriptBlock, type TranscriptDetail } from "./transcript.ts";

/** What a summary is made from, and its form. The fields of a prompt that are left out are empty or off. */
export interface SummaryInput
  extends Pick<
      PromptJob,
      "model" | "runtime" | "tokens" | "factor" | "sent" | "preferredRoute" | "prices" | "answerTokens"
    >,
    Partial<Pick<PromptJob, "thinking" | "previous" | "instructions" | "keptMessages" | "leaving" | "carried">> {
  /** The entries to summarize, oldest first. */
  readonly entries: readonly Entry[];
  /** The beginning of the turn after these entries, if the rest of that turn is kept. */
  readonly turn?: readonly Entry[];
  readonly edits?: readonly ContextEditEntry[];
  /** Whether the previous summary was checked when it was written; false for one from another program. */
  readonly isChecked?: boolean;
  readonly format?: "summary" | "branch";
  /** Whether the user's messages are kept next to the summary; the prompt then says so. Default: true, except for a branch. */
  readonly keepsMessages?: boolean;
  /** Whether the instructions replace the default prompt; the answer may then have any form. */
  readonly replaceInstructions?: boolean;
}

/** The options of `generateSummary`. */
export interface GenerateSummaryOptions extends SummaryInput {
  readonly model: Model;
  readonly runtime: Pick<Runtime, "sleep" | "nonce">;
  /** What the summary is checked against. Default: the entries and the previous summary. */
  readonly evidence?: Evidence;
  /** The limit on calls and cost. Default: none. */
  readonly allowance?: Allowance;
  /** Called with each step. */
  readonly progress?: OnProgress | undefined;
  /** The time limit. Default: the limits in the settings. */
  readonly time?: TimeLimit | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The result of `generateSummary`: a summary, a failure or a cancellation, with the model calls it made. */
export type SummaryResult =
  | {
      readonly type: "summarized";
      readonly summary: string;
      /** The ids of the summarized entries. */
      readonly covers: ReadonlySet<string>;
      /** The references of the messages that the model was asked to carry over. */
      readonly leaving: readonly string[];
      /** What the checks repaired or marked. */
      readonly flaws: readonly Flaw[];
      /** Whether the summary was requested with the session's last request. */
      readonly isSamePrefix: boolean;
      /** What the summary was expected to cost, in dollars. Null if no prices are known. */
      readonly expectedCost: number | null;
      /** The replies that were billed and not used. */
      readonly unusedReplies: readonly UnusedReply[];
      readonly calls: readonly ModelCall[];
    }
  | {
      readonly type: "failed";
      readonly failure: SummaryFailure;
      readonly unusedReplies: readonly UnusedReply[];
      readonly calls: readonly ModelCall[];
    }
  | { readonly type: "cancelled"; readonly calls: readonly ModelCall[] };

/** Why there is no summary. */
export interface SummaryFailure {
  readonly code: AskFailure["code"] | FlawCode;
  readonly note: string;
}

/** Summarizes entries with a model, checks the answer against them, requests one correction and repairs the rest. */
export async function generateSummary(options: GenerateSummaryOptions): Promise<SummaryResult> {
  const { entries, turn = [], model, runtime, signal, allowance, progress } = options;
  const ownLimit = startTimeLimit(createSummaryTimeouts(), runtime);
  const { time = ownLimit } = options;
  const shape = shapeOf(options);
  const prompts = createPromptJob(options, shape);
  const requestOptions = { model, runtime, signal, allowance, progress, time };
  const job: SummaryJob = { ...prompts, ...requestOptions, calls: [], unusedReplies: [] };
  const { calls, unusedReplies } = job;
  try {
    await runWithPauses(job.computeTranscript("full"), runtime);
    const route = job.sent || job.prices ? chooseRoute(job) : null;
    const context = { options, shape, job };
    const samePrefix = route?.prompt ? await requestWithSamePrefix(route.prompt, context) : null;
    const result = samePrefix ?? (await checkReply(await summarizeTranscript(job), context));
    if (result.type === "cancelled") return { type: "cancelled", calls };
    if (result.type === "failed") return { type: "failed", failure: result.failure, unusedReplies, calls };
    return {
      type: "summarized",
      summary: shape.toSummary(result.text),
      covers: new Set([...entries, ...turn].map(({ id }) => id)),
      leaving: job.leaving.map(({ reference }) => reference),
      flaws: result.flaws,
      isSamePrefix: samePrefix !== null,
      expectedCost: route?.cost ?? null,
      unusedReplies,
      calls,
    };
  } finally {
    ownLimit.stop();
  }
}

/** Null if the answer is not a summary, so that a transcript has to be sent. */
async function requestWithSamePrefix(
  prompt: PromptRequest,
  context: CorrectionOptions,
): Promise<CorrectionResult | null> {
  const { job } = context;
  const firstReply = await sendPrompt(prompt, job);
  const isOther = isOtherReply(firstReply);
  const reply = isOther ? await requestAgain(firstReply, job) : firstReply;
  const result = await checkReply(reply, { ...context, mayCorrect: !isOther });
  if (result.type !== "failed" || !isAboutAnswer(result.failure)) return result;
  job.progress?.({ step: "falling-back", why: result.failure.note });
  return null;
}

function isOtherReply(reply: SummaryReply): reply is OtherReply {
  return reply.type === "failed" && reply.prompt !== undefined && reply.message !== undefined;
}

/** Whether another request may help. A provider that does not answer will not answer a transcript either. */
function isAboutAnswer({ code }: SummaryFailure): boolean {
  return !PROVIDER_FAILURES.has(code);
}

const PROVIDER_FAILURES: ReadonlySet<SummaryFailure["code"]> = new Set([
  "spend-limit",
  "silent",
  "too-slow",
  "time-limit",
  "busy",
  "unreachable",
]);

/** Estimates what `generateSummary` would cost; see `chooseRoute`. */
export function estimateSummary(options: SummaryInput): PricedRoute {
  return chooseRoute(createPromptJob(options, shapeOf(options)));
}

function shapeOf(options: SummaryInput): SummaryShape {
  const { entries, turn = [], leaving = [] } = options;
  const hasHistory = entries.some((entry) => !isStateEntry(entry)) || leaving.length > 0;
  return createSummaryShape({ ...options, hasHistory, hasTurn: turn.some(isWork) });
}

/** SUM7: a turn whose covered part is only the user's message needs no part of its own; the message is kept. */
function isWork(entry: Entry): boolean {
  return entry.type === "message" && ["assistant", "toolResult"].includes(entry.message.role);
}

function createPromptJob(options: SummaryInput, shape: SummaryShape): PromptJob {
  const { model, runtime, entries, turn = [], edits = [], thinking = "off", instructions = "" } = options;
  const historyIds = new Set(entries.map(({ id }) => id));
  const isHistory = ({ entryId }: TranscriptBlock): boolean => !shape.hasTurn || historyIds.has(entryId);
  const renderDetail = function* (detail: TranscriptDetail): Steps<Transcript> {
    const blocks = yield* renderTranscriptInSteps([...entries, ...turn], { edits, detail });
    return { history: blocks.filter(isHistory), turn: blocks.filter((block) => !isHistory(block)) };
  };
  const maxListedTokens = Math.floor(usableWindow(model) * MAX_LISTED_SHARE);
  // The choice of the route and the request use the same transcript.
  const transcripts = {
    full: new LazyValue(() => renderDetail("full")),
    excerpt: new LazyValue(() => renderDetail("excerpt")),
  };
  return {
    model,
    runtime,
    thinking,
    format: shape.format,
    transcript: (detail) => transcripts[detail].get(),
    computeTranscript: (detail) => transcripts[detail].compute(),
    hasTurn: shape.hasTurn,
    factor: options.factor,
    previous: shape.previous,
    instructions: instructions.trim(),
    task: options.replaceInstructions && instructions.trim() !== "" ? instructions.trim() : undefined,
    keepsMessages: options.keepsMessages ?? options.format !== "branch",
    keptMessages: truncateMiddle(options.keptMessages ?? "", {
      tokens: maxListedTokens,
      handle: "the user's messages",
    }),
    leaving: limitListed(options.leaving ?? [], maxListedTokens),
    carried: (options.carried ?? []).slice(0, MAX_CARRIED_REFERENCES),
    tokens: shape.tokens,
    userMessages: listUserMessages(shape.format === "turn" ? turn : [...entries, ...turn], edits),
    turnStart: listUserMessages(turn, edits)[0] ?? null,
    sent: options.sent,
    preferredRoute: options.preferredRoute,
    prices: options.prices,
    answerTokens: options.answerTokens,
  };
}

/** The share of the window that the kept or the leaving messages may use. */
const MAX_LISTED_SHARE = 0.2;

/** The first messages that fit. The others do not leave the context. */
function limitListed(messages: readonly ListedMessage[], maxTokens: number): readonly ListedMessage[] {
  let freeTokens = maxTokens;
  return messages.filter(({ text }) => {
    freeTokens -= textTokens(text) + LISTED_MARK_TOKENS;
    return freeTokens >= 0;
  });
}

const LISTED_MARK_TOKENS = 6;
/** The lines of further messages are put back if the model leaves them out. */
const MAX_CARRIED_REFERENCES = 100;

function listUserMessages(entries: readonly Entry[], edits: readonly ContextEditEntry[]): readonly ListedMessage[] {
  return entries
    .filter((entry) => authorOf(entry) === "person")
    .map((entry) => ({ reference: entryReference(entry), text: splitUserEntry(entry, edits).typed }));
}

type CorrectionResult =
  | { readonly type: "checked"; readonly text: string; readonly flaws: readonly Flaw[] }
  | { readonly type: "failed"; readonly failure: SummaryFailure }
  | { readonly type: "cancelled" };

interface CorrectionOptions {
  readonly options: GenerateSummaryOptions;
  readonly shape: SummaryShape;
  readonly job: SummaryJob;
  /** Default: true. False if the summary was requested twice already. */
  readonly mayCorrect?: boolean;
}

// Requests one correction of what only the model can fix, and returns the better of the usable answers.
async function checkReply(
  reply: SummaryReply,
  { options, shape, job, mayCorrect = true }: CorrectionOptions,
): Promise<CorrectionResult> {
  if (reply.type !== "answered") return reply;
  const evidence = options.evidence ?? collectEntryEvidence(options);
  const check = (answer: string): Promise<SummaryCheckResult> =>
    runWithPauses(checkSummaryInSteps(shape.parseAnswer(answer), evidence, shape), options.runtime);
  options.progress?.({ step: "auditing" });
  const firstCheck = await check(reply.text);
  if (firstCheck.problems.length === 0) return { type: "checked", text: firstCheck.text, flaws: firstCheck.flaws };
  options.progress?.({ step: "repairing", flaws: firstCheck.problems.length });
  const findings = firstCheck.problems.map(({ note, advice }) => (advice === undefined ? note : `${note} ${advice}`));
  const secondReply = mayCorrect ? await requestCorrection(reply, findings, job) : null;
  if (secondReply?.type === "cancelled") return secondReply;
  const answers = [
    ...(secondReply?.type === "answered"
      ? [{ ...(await check(secondReply.text)), usage: secondReply.message.usage }]
      : []),
    { ...firstCheck, usage: reply.message.usage },
  ];
  const usableAnswers = answers.filter((answer) => isUsable(answer, shape));
  for (const { problems, usage } of answers.filter((answer) => !usableAnswers.includes(answer)))
    job.unusedReplies.push({ why: problems[0]?.note ?? EMPTY_SUMMARY_FAILURE.note, usage });
  const [best] = usableAnswers.toSorted(
    (one, other) => one.problems.length - other.problems.length || one.text.length - other.text.length,
  );
  if (best) return { type: "checked", text: best.text, flaws: [...best.problems, ...best.flaws] };
  return { type: "failed", failure: answers[0]?.problems[0] ?? firstCheck.problems[0] ?? EMPTY_SUMMARY_FAILURE };
}

/** Whether an answer has its headings and is not far too long. Unknown citations do not matter: they have become marks. */
function isUsable({ text, problems }: SummaryCheckResult, { tokens }: SummaryShape): boolean {
  if (problems.some(({ code }) => code === "empty" || code === "sections")) return false;
  return textTokens(text) <= tokens * MAX_SUMMARY_SIZE_RATIO;
}

/** Longer answers, in relation to the requested size, are refused, and the next summarizer is asked. */
const MAX_SUMMARY_SIZE_RATIO = 4 / 3;
const EMPTY_SUMMARY_FAILURE: SummaryFailure = { code: "empty", note: "The summary is empty." };

function collectEntryEvidence({
  entries,
  turn = [],
  edits = [],
  previous = "",
  isChecked = false,
}: GenerateSummaryOptions): Evidence {
  const otherOptions = { userMessages: "", pins: [], ledger: "", request: null };
  return collectEvidence({ covered: [...entries, ...turn], edits, previous, isChecked, ...otherOptions });
}

/** The form of the model's answer, and how it becomes a summary. A split turn has its own part. */
export interface SummaryShape {
  /** The format that the prompt asks for. */
  readonly format: SummaryFormatName;
  /** Whether a split turn has its own part after the summary of the history. */
  readonly hasTurn: boolean;
  /** The required headings, in order. */
  readonly sections: readonly string[];
  readonly tokens: number;
  /** The previous summary as the prompt shows it. */
  readonly previous: string;
  /** Trims the answer and separates the part about a split turn. */
  parseAnswer(answer: string): string;
  /** Returns the full summary for a checked answer. */
  toSummary(text: string): string;
}

export interface SummaryShapeOptions
  extends Pick<SummaryInput, "format" | "replaceInstructions" | "previous" | "isChecked" | "tokens"> {
  readonly hasHistory: boolean;
  readonly hasTurn: boolean;
}

/** Chooses the format, the headings and the size of a summary. */
export function createSummaryShape(options: SummaryShapeOptions): SummaryShape {
  const { format = "summary", previous = "", isChecked = false, replaceInstructions = false } = options;
  const { hasHistory, hasTurn, tokens } = options;
  const previousSummary = removeFileBlocks(previous);
  const baseShape = {
    hasTurn: false,
    tokens,
    previous: previousSummary,
    parseAnswer: (answer: string) => answer.trim(),
    toSummary: (text: string) => text,
  };
  if (replaceInstructions) return { ...baseShape, format, sections: [] };
  if (!hasTurn) return { ...baseShape, format, sections: listHeadings(format) };
  // B45: if there is no new history, the previous summary is kept as it is, unless it was never checked.
  const prefix = `${previousSummary || NO_HISTORY}${TURN_SEPARATOR}`;
  const remainingTokens = tokens - textTokens(prefix);
  const isPreviousTrusted = previousSummary === "" || isChecked;
  const keepsPrevious =
    isPreviousTrusted &&
    !hasHistory &&
    !previousSummary.includes(TURN_SEPARATOR.trim()) &&
    remainingTokens >= tokens * MIN_TURN_SHARE;
  if (keepsPrevious)
    return {
      ...baseShape,
      format: "turn",
      sections: listHeadings("turn"),
      tokens: remainingTokens,
      previous: "",
      toSummary: (text) => `${prefix}${text}`,
    };
  // The previous summary has the beginning of this turn, so one summary tells all of it.
  if (!hasHistory) return { ...baseShape, format, sections: listHeadings(format) };
  const sections = [...listHeadings("summary"), ...listHeadings("turn")];
  return { ...baseShape, format: "summary", hasTurn: true, sections, parseAnswer: insertTurnSeparator };
}

/** The minimum share of the tokens for the part about the turn. */
const MIN_TURN_SHARE = 0.4;

// B44: models write the line between the two parts in many ways, or omit it.
function insertTurnSeparator(answer: string): string {
  const index = answer.search(/^## Original Request\s*$/m);
  if (index < 0) return answer.trim();
  const lines = answer.slice(0, index).split("\n");
  while (lines.length > 0 && isTurnSeparatorLine(lines.at(-1) ?? "")) lines.pop();
  return `${lines.join("\n").trim()}${TURN_SEPARATOR}${answer.slice(index).trim()}`;
}

// A rule, or a title that announces the second part.
function isTurnSeparatorLine(line: string): boolean {
  const plain = line.trim();
  return plain === "" || /^[-*_ ]{3,20}$/.test(plain) || /^[#*_ ]{0,8}Turn Context\b/i.test(plain);
}

// B49: Pith adds the lists of files; lists in a previous summary would accumulate.
function removeFileBlocks(summary: string): string {
  const outputLines: string[] = [];
  let block: { readonly tag: string; readonly lines: string[] } | null = null;
  for (const line of summary.split("\n")) {
    const [, end, tag] = /^<(\/?)(read|modified)-files>$/.exec(line) ?? [];
    if (!block && tag && !end) block = { tag, lines: [line] };
    else if (!block) outputLines.push(line);
    else if (tag === block.tag && end) block = null;
    else block.lines.push(line);
  }
  // A block without an end tag is kept as text.
  return [...outputLines, ...(block?.lines ?? [])].join("\n").trim();
}

/** Returns the session's thinking level, at most `medium` (B41). */
export function clampThinking(level: string): ThinkingLevel {
  return SUMMARY_THINKING_LEVELS.find((each) => each === level) ?? (level === "" ? "off" : "medium");
}

const SUMMARY_THINKING_LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium"];
