/** The only place that words a compaction: its reason, its progress, its receipt, and what happens to requests meanwhile. */

import { type Agent, type AgentEvent, type CompactionEvent, readRereadFiles, readRereadTokens } from "@pith/agent";
import { type CompactionEntry, type Entry, type Finding, type Receipt, readReceipt, type Session } from "@pith/context";
import {
  formatBytes,
  formatCost,
  formatCount,
  formatMinutes,
  formatNumber,
  formatSeconds,
  formatTokens,
} from "@pith/host/text/format";
import { truncate } from "@pith/host/text/safe-text";

type Reason = Receipt["reason"] | Extract<CompactionEvent, { type: "compaction_start" }>["reason"];

/** Events and receipts name the same reasons differently. A receipt of another program may hold any other reason. */
export function describeReason(reason: Reason): string {
  return (Object.hasOwn(reasonTexts, reason) && reasonTexts[reason]) || `${reason}`;
}

const reasonTexts: Readonly<Record<Reason, string>> = {
  asked: "requested by you",
  manual: "requested by you",
  due: "the context is full",
  threshold: "the context is full",
  overflow: "the provider refused the request as too long",
  "model-switch": "the new model has a smaller context window",
};

/** All of a receipt in one line, for command results. */
export function formatReceipt(receipt: Receipt): string {
  const { tokens, covered, kept, calls, cost, findings, fromOriginals } = receipt;
  const source = fromOriginals ? " from the originals" : "";
  return [
    `${formatNumber(tokens.before)} → ${formatNumber(tokens.after)} tokens`,
    describeAuthor(receipt),
    `${formatCount(covered.count, "entry", "entries")} summarized${source}, ${formatNumber(kept.count)} kept`,
    ...(calls > 0 ? [`${formatCount(calls, "call")}${cost > 0 ? `, ${formatCostAndEstimate(receipt)}` : ""}`] : []),
    ...(findings.length > 0 ? [formatFindings(findings)] : []),
  ].join("; ");
}

function formatFindings(findings: readonly Finding[]): string {
  const notes = listNotes(findings.toSorted((one, other) => Number(isLoss(other)) - Number(isLoss(one))));
  return [
    ...notes.slice(0, MAX_FINDINGS).map((note) => note.replace(/\.$/, "")),
    ...(notes.length > MAX_FINDINGS ? [`and ${notes.length - MAX_FINDINGS} more findings`] : []),
  ].join("; ");
}

export const MAX_FINDINGS = 3;

/** Messages of the user that the model can no longer read come first, because a long list is cut. */
function isLoss({ code }: Pick<Finding, "code">): boolean {
  return code === "user-messages-hidden" || code === "user-messages-stubbed";
}

/** The notes of findings. Each shortened message has a finding of its own; they become one note. */
function listNotes(findings: readonly Finding[]): readonly string[] {
  const isShortened = ({ code }: Finding): boolean => code === "user-messages-shortened";
  const references = findings.filter(isShortened).flatMap(({ note }) => findReferences(note));
  if (references.length < 2) return findings.map(describeFinding);
  const first = findings.findIndex(isShortened);
  const merged = `${countMessages(references.length)} shortened to their beginning and end: ${formatReferences(references)}`;
  return findings.flatMap((finding, index) => {
    if (!isShortened(finding)) return [describeFinding(finding)];
    return index === first ? [merged] : [];
  });
}

/** The note of a finding. If it is about the user's messages, it says how many and which they are, and where to see more. */
export function describeFinding({ code, note }: { readonly code: string; readonly note: string }): string {
  return (Object.hasOwn(messageNotes, code) && messageNotes[code]?.(note.slice(0, MAX_PARSED_CHARS))) || note;
}

/** By code. Null if the note of another version names no messages; it is then shown as it is. */
const messageNotes: Readonly<Record<string, (note: string) => string | null>> = {
  "user-messages-carried": (note) => {
    const references = findReferences(note);
    if (references.length === 0) return null;
    const rules = references.length === 1 ? "its rules" : "their rules";
    return `${countMessages(references.length)} no longer shown word for word; the summary carries over ${rules}: ${formatReferences(references)} (see /rules)`;
  },
  "user-messages-stubbed": (note) => {
    const references = findReferences(note);
    if (references.length === 0) return null;
    const words = references.length === 1 ? "its first words" : "their first words";
    return `${countMessages(references.length)} shown only by ${words}, and the summary does not carry over the rest: ${formatReferences(references)} (see /rules)`;
  },
  "user-messages-hidden": (note) => {
    const [, count = "", range = ""] = /: (\d+) messages?, ([^;]{1,100});/.exec(note) ?? [];
    const newest = findReferences(range).at(-1);
    if (newest === undefined) return null;
    return `${countMessages(Number(count))} neither shown nor carried over by the summary: ${range} (see /rules; /pin ${newest} brings one back)`;
  },
};

function countMessages(count: number): string {
  return `${formatNumber(count)} of your messages ${count === 1 ? "is" : "are"}`;
}

function findReferences(text: string): readonly string[] {
  return text.match(/#\d+|entry:[^\s,;–]+/g) ?? [];
}

function formatReferences(references: readonly string[]): string {
  const more = references.length - MAX_REFERENCES;
  return `${references.slice(0, MAX_REFERENCES).join(", ")}${more > 0 ? ` and ${formatNumber(more)} more` : ""}`;
}

const MAX_REFERENCES = 6;
/** The note comes from a session file. */
const MAX_PARSED_CHARS = 50_000;

/** What happens to the user's messages in a compaction. */
export interface MessageCounts {
  /** The messages that stay word for word. */
  readonly staying: number;
  /** The messages that leave or are shortened, so that the summary is asked to carry over their rules. */
  readonly leaving: number;
}

/** A sentence without its period. Null if there are no messages. */
export function describeMessages({ staying, leaving }: MessageCounts): string | null {
  if (staying + leaving === 0) return null;
  const stay = `${formatNumber(staying)} of your messages ${staying === 1 ? "stays" : "stay"} word for word`;
  if (leaving === 0) return stay;
  const rules = leaving === 1 ? "its rules" : "their rules";
  return `${stay}; ${formatCount(leaving, "other does", "others do")} not fit whole, and the summary is asked to carry over ${rules}`;
}

export function describeAuthor({ by, route }: Pick<Receipt, "by" | "route">): string {
  if (by !== null) return `summary by ${by}`;
  return route === "hook" ? "summary by a hook" : "summary built without a model";
}

/** The sizes before and after; of an entry without a receipt only the size before. */
export function formatSizes(entry: CompactionEntry): string {
  const tokens = readReceipt(entry)?.tokens as Partial<Receipt["tokens"]> | undefined;
  if (typeof tokens?.before !== "number" || typeof tokens.after !== "number")
    return `from ${formatNumber(entry.tokensBefore)} tokens`;
  return `${formatNumber(tokens.before)} → ${formatNumber(tokens.after)} tokens`;
}

/** The share of the context that a compaction freed, from 0 to 1; null if it freed nothing or its sizes are unknown. */
export function findFreedShare(entry: CompactionEntry): number | null {
  const { before, after } = Object(readReceipt(entry)?.tokens) as Partial<Receipt["tokens"]>;
  if (typeof before !== "number" || typeof after !== "number" || !(before > after) || after < 0) return null;
  return 1 - after / before;
}

/** The headline of a compaction in the transcript: sizes, cost and author. The receipt names the provider of the model. */
export function formatHeadline(entry: CompactionEntry): string {
  const receipt = readCompleteReceipt(entry);
  if (!receipt) return formatSizes(entry);
  const { cost, by, route } = receipt;
  const model = by === null ? null : by.slice(by.lastIndexOf("/") + 1);
  return [formatSizes(entry), ...(cost > 0 ? [formatCost(cost)] : []), describeAuthor({ by: model, route })].join(
    " · ",
  );
}

/** What a compaction summarized and kept. */
export function formatBalance(entry: CompactionEntry): string {
  const receipt = readCompleteReceipt(entry);
  if (!receipt) return "everything it replaces is still in the session";
  const pins = countPins(entry);
  return [
    `summarized ${formatCount(receipt.covered.count, "entry", "entries")} (all searchable)`,
    `kept the newest ${formatNumber(receipt.kept.count)}`,
    pins === 0 ? "no pins" : formatCount(pins, "pin"),
  ].join(" · ");
}

export type ReceiptRow = readonly [label: string, value: string];

/** The opened receipt, a row for each fact; null without a complete receipt. */
export function listReceiptRows(entry: CompactionEntry): readonly ReceiptRow[] | null {
  const receipt = readCompleteReceipt(entry);
  if (!receipt) return null;
  const { reason, tokens, bytes, cost, durationMs, covered, kept, findings } = receipt;
  const limit = typeof tokens.limit === "number" ? ` (compaction threshold ${formatNumber(tokens.limit)})` : "";
  const { preparedMs } = receipt;
  const time =
    typeof preparedMs === "number"
      ? `prepared in the background (${formatSeconds(preparedMs)}); the session waited ${formatSeconds(durationMs)}`
      : formatSeconds(durationMs);
  const expense = [describeCalls(receipt), ...(cost > 0 ? [formatCostAndEstimate(receipt)] : []), time];
  return [
    ["reason", describeReason(reason)],
    ["summary", `${describeAuthor(receipt).replace(/^summary /, "")}: ${expense.join(", ")}`],
    ...listCacheRows(receipt),
    ["tokens", `${formatNumber(tokens.before)} → ${formatNumber(tokens.after)}${limit}`],
    ["bytes", `${formatBytes(bytes.before)} → ${formatBytes(bytes.after)}`],
    [
      "summarized",
      `the oldest ${formatCount(covered.count, "entry", "entries")}${receipt.fromOriginals ? ", from the originals" : ""}; still available to the agent and in /tree`,
    ],
    [
      "kept",
      `the newest ${formatCount(kept.count, "entry", "entries")}${isTailUnchanged(findings) ? ", unchanged" : ""}`,
    ],
    ["pinned", describePins(countPins(entry))],
    ...listNotes(findings).map((note): ReceiptRow => ["note", note]),
  ];
}

function describeCalls({ calls, route }: Receipt): string {
  return route === "model-free" && calls > 0
    ? `after ${formatCount(calls, "failed model call")}`
    : formatCount(calls, "call");
}

/** The actual cost and the one that was expected before the summary was requested. */
function formatCostAndEstimate({ cost, expectedCost }: Receipt): string {
  return typeof expectedCost === "number" && expectedCost > 0
    ? `${formatCost(cost)} (expected ${formatCost(expectedCost)})`
    : formatCost(cost);
}

function listCacheRows({ route, cachedShare }: Receipt): readonly ReceiptRow[] {
  if (route !== "same-prefix" || typeof cachedShare !== "number") return [];
  const share = `${Math.floor(cachedShare * 100)}%`;
  return [
    [
      "request",
      `Pith repeated its last request to the model with an instruction added; ${share} of the input came from the provider's cache`,
    ],
  ];
}

function describePins(count: number): string {
  return count === 0 ? "none" : `${formatNumber(count)}, word for word`;
}

/** The files that were read again after a compaction; null for any other entry. */
export function formatRereadFiles(entry: Entry): string | null {
  const files = readRereadFiles(entry);
  if (files.length === 0) return null;
  const names = files.map(({ name }) => name).join(", ");
  return `read ${formatCount(files.length, "file")} again (${formatNumber(readRereadTokens(entry))} tokens): ${names}`;
}

function isTailUnchanged(findings: readonly Finding[]): boolean {
  return !findings.some(({ code }) => code === "result-reduced" || code === "outdated-removed");
}

/** The pins at the time of the compaction. */
function countPins({ details }: CompactionEntry): number {
  const { carried } = Object(Object(details).pith) as { readonly carried?: { readonly pins?: unknown } };
  const pins = Object(carried).pins;
  return Array.isArray(pins) ? pins.length : 0;
}

/** Null if a figure that is shown is missing: other programs write session files too. */
function readCompleteReceipt(entry: CompactionEntry): Receipt | null {
  const receipt = readReceipt(entry);
  if (!receipt) return null;
  const { tokens, bytes, covered, kept, calls, cost, durationMs, findings, by } = receipt as Partial<Receipt>;
  const figures = [tokens?.before, bytes?.before, bytes?.after, covered?.count, kept?.count, calls, cost, durationMs];
  const hasFigures = figures.every((figure) => typeof figure === "number") && (by === null || typeof by === "string");
  const hasNotes = Array.isArray(findings) && findings.every((finding) => typeof Object(finding).note === "string");
  return hasFigures && hasNotes ? receipt : null;
}

export type SummaryProgressEvent = Extract<AgentEvent, { type: "compaction_progress" | "branch_summary_progress" }>;

/** How far a summary is, for a status line. Null if the step has an event of its own. */
export function describeProgress(progress: SummaryProgressEvent): string | null {
  switch (progress.step) {
    case "planning":
      return "planning";
    case "asking": {
      const part = progress.part === undefined ? "" : ` (${progress.part} of ${progress.parts})`;
      return `${progress.model} is summarizing${part}`;
    }
    case "awaiting-first-token":
      return `no response after ${formatMinutes(progress.elapsedMs)}, waiting up to ${formatMinutes(progress.limitMs)}`;
    case "writing":
      return `summarizing, ${formatTokens(progress.tokens)} tokens so far`;
    case "waiting":
    case "asking-again":
    case "answered":
      return null;
    case "auditing":
      return "checking the summary";
    case "repairing":
      return `asking for a correction (${formatCount(progress.flaws, "problem")})`;
    case "falling-back":
      return truncate(progress.why);
  }
}

/** A compaction event as a line of a plain log; null for an event that needs no line. */
export function formatCompactionEvent(event: CompactionEvent): string | null {
  switch (event.type) {
    case "compaction_start":
      return `· compacting: ${describeReason(event.reason)}`;
    case "compaction_progress":
      return formatProgressLine(event);
    case "compaction_end":
      return formatCompactionEnd(event);
    case "compaction_failed":
      return null;
    case "compaction_skipped":
      // The command that asked for it shows the result.
      return event.reason === "manual" ? null : `· not compacted: ${event.note}`;
    case "compaction_undone":
      return "· compaction undone; /redo restores it";
    case "compaction_redone":
      return "· compaction restored";
    case "outdated_results_removed":
    case "outdated_results_restored":
      return `· ${formatOutdatedResults(event)}`;
    case "compaction_preparation":
      return null;
    case "compaction_soft_threshold":
      return formatSoftThreshold(event);
    case "compaction_quality":
      return `  note: ${event.findings.map((finding) => truncate(describeFinding(finding), MAX_NOTE_CHARS)).join("; ")}`;
  }
}

/** What happened to outdated tool results, and how to reverse it. */
export function formatOutdatedResults({ type, count, tokens }: OutdatedResultsEvent): string {
  const results = formatCount(count, "outdated tool result");
  return type === "outdated_results_removed"
    ? `removed ${results} from the context: −${formatTokens(tokens)} tokens; /undo brings ${count === 1 ? "it" : "them"} back`
    : `brought ${results} back into the context: +${formatTokens(tokens)} tokens; /redo removes ${count === 1 ? "it" : "them"} again`;
}

type OutdatedResultsEvent = Extract<
  CompactionEvent,
  { type: "outdated_results_removed" | "outdated_results_restored" }
>;

/** A log shows the steps that take long or fail, and the size of a summary only now and then. */
export function formatProgressLine(progress: SummaryProgressEvent): string | null {
  if (progress.step === "planning" || progress.step === "auditing") return null;
  if (progress.step === "writing" && progress.tokens % LINE_INTERVAL_TOKENS >= PROGRESS_STEP_TOKENS) return null;
  const text = describeProgress(progress);
  if (text === null) return null;
  return progress.step === "falling-back" ? `  ${text}` : `  ${text} …`;
}

const LINE_INTERVAL_TOKENS = 2_000;
/** The events of a summary come in steps of this size. */
const PROGRESS_STEP_TOKENS = 200;
const MAX_NOTE_CHARS = 300;

/** Null if there was nothing to do: a `compaction_skipped` event says so. */
function formatCompactionEnd(event: Extract<AgentEvent, { type: "compaction_end" }>): string | null {
  const { compaction, errorMessage, usage, durationMs = 0 } = event;
  if (compaction.type === "nothing-to-do" || compaction.type === "postponed") return null;
  if (compaction.type !== "compacted") return `  ${truncate(errorMessage ?? compaction.type.replaceAll("-", " "))}`;
  const { tokens } = compaction.receipt;
  const cost = usage && usage.cost.total > 0 ? [formatCost(usage.cost.total)] : [];
  const duration = durationMs >= 1_000 ? [formatSeconds(durationMs)] : [];
  const sizes = `${formatNumber(tokens.before)} → ${formatNumber(tokens.after)} tokens`;
  const prepared = compaction.receipt.preparedMs === undefined ? [] : ["prepared in the background"];
  return `  ${[sizes, describeAuthor(compaction.receipt), ...prepared, ...cost, ...duration].join(", ")}`;
}

function formatSoftThreshold({
  tokens,
  isEstimate,
  limit,
}: Extract<AgentEvent, { type: "compaction_soft_threshold" }>): string {
  const percent = Math.floor((tokens / limit) * 100);
  return `· the context is ${isEstimate ? "about " : ""}${percent}% full (${formatTokens(tokens)} of ${formatTokens(limit)} tokens)`;
}

type BusyReason = Session["busyReasons"][number];

/** Why a move, an undo or another compaction is refused now, and what to do. */
export function describeBusyRefusal(reason: BusyReason): string {
  return `${busyDescriptions[reason]}; wait for it to finish, or stop it first`;
}

const busyDescriptions: Readonly<Record<BusyReason, string>> = {
  streaming: "a run is in progress",
  compacting: "a compaction is in progress",
  moving: "a move to another entry in the tree is in progress",
};

/** What happens to a message that is sent during a compaction; null if none is in progress (B80). */
export function getQueuedNotice(agent: Pick<Agent, "session">): string | null {
  return isCompacting(agent) ? MESSAGE_QUEUED_NOTICE : null;
}

export function isCompacting({ session }: Pick<Agent, "session">): boolean {
  return session.busyReasons.includes("compacting");
}

const MESSAGE_QUEUED_NOTICE = "A compaction is in progress. Your message will be sent when it finishes.";
