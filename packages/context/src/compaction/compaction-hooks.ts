/** Runs the hooks before and after a compaction and validates their answers. Names and shapes follow the documents (c1, B73–B75). */

import { entryMessage, latestEdit } from "../context/build-context.ts";
import type { CompactionEntry, Entry } from "../entry.ts";
import type { JsonObject } from "../format/read-line.ts";
import { afterwards, answersOf, type Hook, type HookHost, withSetters } from "../hooks.ts";
import { fileTouches, type ToolRoles } from "../ledger/touched-files.ts";
import type { AgentMessage, ToolCallBlock, Usage } from "../message.ts";
import type { Ports } from "../runtime.ts";
import type { Session } from "../session/session.ts";
import { type Added, addingUpTo, appendAdded, jsonDetails, usageIn } from "./added-entries.ts";
import type { CompactionSettings } from "./budget.ts";
import { isShown } from "./cut-point.ts";
import { type Candidate, type Plan, prepareAt } from "./plan.ts";
import type { Finding, Reason } from "./receipt.ts";
import { carriedNarrative } from "./summary-message.ts";

/** Hooks before and after a compaction. */
export interface CompactionHooks extends HookHost {
  readonly session_before_compact?: readonly Hook<SessionBeforeCompactEvent, SessionBeforeCompactResult>[];
  readonly session_compact?: readonly Hook<SessionCompactEvent, AddedContext>[];
  readonly session_compact_failed?: readonly Hook<SessionCompactFailedEvent>[];
}

/** As pi calls the reasons. */
export type CompactReason = "manual" | "threshold" | "overflow";

interface Occurrence {
  readonly reason: CompactReason;
  /** Whether the request that was refused is sent again afterwards. */
  readonly willRetry: boolean;
}

/** Told before anything is written. */
export interface SessionBeforeCompactEvent extends Occurrence {
  readonly type: "session_before_compact";
  readonly preparation: CompactionPreparation;
  /** The loaded end of the branch. */
  readonly branchEntries: Entry[];
  readonly customInstructions?: string;
  readonly signal: AbortSignal;
  /** The same as returning `{ compaction }`. */
  readonly setResult: (compaction: HookCompaction) => void;
  /** The same as returning `{ cancel: true }`. */
  readonly cancel: () => void;
}

export interface SessionBeforeCompactResult {
  readonly cancel?: boolean;
  /** Not yet: once, and only while the reserve has room. */
  readonly postpone?: boolean;
  /** For whoever writes the summary; joined with the user's own. */
  readonly customInstructions?: string;
  /** A summary of one's own; it is checked like any other. */
  readonly compaction?: HookCompaction;
}

/** A summary that a hook brings. */
export interface HookCompaction {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly tokensBefore?: number;
  readonly details?: unknown;
  readonly usage?: Usage;
}

export interface SessionCompactEvent extends Occurrence {
  readonly type: "session_compact";
  readonly compactionEntry: CompactionEntry;
  readonly fromExtension: boolean;
}

/** What is to stand behind it in the log: messages for the model, or state of one's own. */
export interface AddedContext {
  readonly entries?: readonly Added[];
}

export interface SessionCompactFailedEvent extends Occurrence {
  readonly type: "session_compact_failed";
  readonly errorMessage?: string;
  readonly aborted: boolean;
  readonly fromExtension: boolean;
}

export function occurrence(reason: Reason): Occurrence {
  return { reason: REASONS[reason], willRetry: reason === "overflow" };
}

const REASONS: Readonly<Record<Reason, CompactReason>> = {
  asked: "manual",
  due: "threshold",
  overflow: "overflow",
  "model-switch": "threshold",
};

/** The custom entry of a hook's wish to wait: a compaction that was due is put off once. */
export const POSTPONED = "pith.postponed";

/** A hook's summary as a candidate. It comes from outside, so nothing in it is taken on trust. */
export interface HookMade {
  readonly plan: Plan;
  readonly candidate: Candidate;
}

/** Throws where it is nonsense; whoever asked the hook reports it. */
export function hookCandidate(plan: Plan, compaction: unknown): HookMade {
  const { summary, firstKeptEntryId, details, usage } = Object(compaction) as JsonObject;
  if (typeof summary !== "string" || summary.trim() === "") throw new Error("its summary is empty");
  const own = planAt(plan, firstKeptEntryId);
  if (!own) throw new Error(`nothing can be cut at ${String(firstKeptEntryId)}`);
  const kept = jsonDetails(details);
  const spent = usageIn(usage);
  return {
    plan: own,
    candidate: {
      route: "hook",
      story: summary,
      notes: "",
      covers: new Set(own.covered.map(({ id }) => id)),
      fromHook: true,
      ...(kept && { details: kept }),
      ...(spent && { calls: [{ usage: spent }] }),
    },
  };
}

// CUT2: a result is never the first that is kept, though an edit may have taken it out of the context.
function planAt(plan: Plan, firstKept: unknown): Plan | null {
  const { entries } = plan.window;
  if (firstKept === undefined || firstKept === (plan.kept[0]?.id ?? "")) return plan;
  const at = entries.findIndex(({ id }) => id === firstKept);
  const entry = entries[at];
  if (at <= 0 || (entry?.type === "message" && entry.message.role === "toolResult")) return null;
  return prepareAt(plan.window, plan, at);
}

/** A plan in the documents' shape. A copy, so that a hook cannot change ours. */
export interface CompactionPreparation {
  /** Where the kept part begins; empty where nothing is kept. */
  readonly firstKeptEntryId: string;
  /** What is covered, but for the turn that the cut parts. */
  readonly messagesToSummarize: AgentMessage[];
  /** The covered beginning of that turn. */
  readonly turnPrefixMessages: AgentMessage[];
  readonly isSplitTurn: boolean;
  readonly tokensBefore: number;
  /** The story of the compaction before, without what code keeps by itself. */
  readonly previousSummary?: string;
  readonly fileOps: FileOperations;
  readonly settings: CompactionSettings;
}

/** Paths of files, by what was done to them. */
export interface FileOperations {
  readonly read: Set<string>;
  readonly written: Set<string>;
  readonly edited: Set<string>;
}

export function preparationOf(plan: Plan): CompactionPreparation {
  const { window, covered, turn, kept, carried, budget, before } = plan;
  const { edits } = window;
  const isTurn = new Set(turn);
  const shown = covered.filter((entry) => isShown(entry, edits));
  const messages = (entries: readonly (typeof shown)[number][]): AgentMessage[] =>
    entries.flatMap((entry) => structuredClone(entryMessage(entry, latestEdit(edits, entry))) ?? []);
  const previousSummary = carriedNarrative(carried);
  return {
    firstKeptEntryId: kept[0]?.id ?? "",
    messagesToSummarize: messages(shown.filter((entry) => !isTurn.has(entry))),
    turnPrefixMessages: messages(shown.filter((entry) => isTurn.has(entry))),
    isSplitTurn: turn.length > 0,
    tokensBefore: before.tokens,
    ...(previousSummary !== "" && { previousSummary }),
    fileOps: fileOpsIn(covered, budget.tools),
    settings: {
      enabled: budget.limits.enabled,
      reserveTokens: Number.isFinite(budget.limit) ? Math.max(0, budget.contextWindow - budget.limit) : 0,
      keepRecentTokens: budget.tail,
    },
  };
}

// pi tells those apart that were written whole: such a call has the path and all of the text.
export function fileOpsIn(entries: readonly Entry[], tools?: ToolRoles): FileOperations {
  const files = fileTouches(entries, tools);
  const paths = (did: "read" | "modified"): string[] =>
    files.filter((file) => file.did === did).map(({ path }) => path);
  const wholes = new Set(
    entries.flatMap(callsIn).flatMap(({ arguments: args }) => {
      const values = Object.entries(args ?? {});
      return values.some(([name, value]) => WHOLE.has(name) && typeof value === "string")
        ? values.map(([, value]) => value)
        : [];
    }),
  );
  const isWritten = (path: string): boolean => wholes.has(path);
  return {
    read: new Set(paths("read")),
    written: new Set(paths("modified").filter(isWritten)),
    edited: new Set(paths("modified").filter((path) => !isWritten(path))),
  };
}

const WHOLE: ReadonlySet<string> = new Set(["content", "contents", "file_text", "text"]);

function callsIn(entry: Entry): readonly ToolCallBlock[] {
  if (entry.type !== "message" || entry.message.role !== "assistant") return [];
  return entry.message.content.filter((block) => block.type === "toolCall");
}

export interface BeforeParts {
  readonly hooks: CompactionHooks;
  readonly ports: Pick<Ports, "sleep">;
  readonly reason: Reason;
  /** The user's own. */
  readonly instructions: string;
  readonly signal?: AbortSignal | undefined;
}

export type Said =
  | { readonly type: "cancelled" }
  | { readonly type: "postponed" }
  | {
      readonly type: "go-on";
      readonly made: HookMade | null;
      readonly instructions: string;
      readonly findings: readonly Finding[];
    };

/** Hooks may cancel a compaction, postpone it once, add instructions, or bring a summary (B73). */
export async function beforeCompact(plan: Plan, parts: BeforeParts): Promise<Said> {
  const { hooks, ports, signal, instructions } = parts;
  const heard = await answersOf(hooks.session_before_compact ?? [], () => eventOf(plan, parts), {
    host: hooks,
    ports,
    signal,
    read: (result) => answerIn(result, plan),
    ends: ({ cancel }) => cancel,
  });
  const { answers, failures, isCancelled } = heard;
  if (isCancelled || answers.some(({ cancel }) => cancel)) return { type: "cancelled" };
  if (answers.some(({ postpone }) => postpone) && mayWait(plan, parts)) return { type: "postponed" };
  return {
    type: "go-on",
    made: answers.findLast(({ made }) => made)?.made ?? null,
    instructions: [instructions, ...answers.map((answer) => answer.instructions)]
      .filter((each) => each !== "")
      .join("\n"),
    findings: failures.map(({ why }) => ({ code: "hook-failed", note: why })),
  };
}

function eventOf(plan: Plan, { reason, instructions, signal }: BeforeParts): SessionBeforeCompactEvent {
  const event = {
    type: "session_before_compact" as const,
    preparation: preparationOf(plan),
    branchEntries: structuredClone(plan.window.entries) as Entry[],
    ...(instructions !== "" && { customInstructions: instructions }),
    signal: signal ?? new AbortController().signal,
    ...occurrence(reason),
  };
  return withSetters(event, (set) => ({
    setResult: (compaction: HookCompaction) => set({ compaction }),
    cancel: () => set({ cancel: true }),
  }));
}

interface Answer {
  readonly cancel: boolean;
  readonly postpone: boolean;
  readonly instructions: string;
  readonly made: HookMade | null;
}

function answerIn(result: unknown, plan: Plan): Answer | null {
  if (result === undefined || result === null) return null;
  const { cancel, postpone, customInstructions, compaction } = Object(result) as Readonly<Record<string, unknown>>;
  // Who cancels is heard, whatever else it brings.
  const brings = cancel !== true && compaction !== undefined && compaction !== null;
  return {
    cancel: cancel === true,
    postpone: postpone === true,
    instructions: typeof customInstructions === "string" ? customInstructions.trim() : "",
    made: brings ? hookCandidate(plan, compaction) : null,
  };
}

// HOOK3: one that is due waits once, and only while there is room for an answer; what was asked for or refused does not wait.
function mayWait({ window, budget, before }: Plan, { reason }: BeforeParts): boolean {
  const { entries, compactionAt } = window;
  const hasWaited = entries
    .slice(compactionAt + 1)
    .some((entry) => entry.type === "custom" && entry.customType === POSTPONED);
  const reserve = budget.contextWindow - budget.limit;
  return reason === "due" && !hasWaited && budget.contextWindow - before.tokens >= reserve / 2;
}

export interface AfterParts {
  readonly session: Session;
  readonly hooks: CompactionHooks;
  readonly ports: Pick<Ports, "sleep">;
  readonly reason: Reason;
  /** Of what hooks may add. */
  readonly tokens: number;
}

/** Hooks may add entries behind the compaction (B75). */
export async function afterCompact(id: string, { session, hooks, ports, reason, tokens }: AfterParts): Promise<void> {
  const { session_compact = [] } = hooks;
  const entry = session_compact.length > 0 ? await session.store.entry(id) : undefined;
  if (entry?.type !== "compaction") return;
  const { answers } = await answersOf(
    session_compact,
    () => ({
      type: "session_compact" as const,
      compactionEntry: structuredClone(entry),
      fromExtension: entry.fromHook === true,
      ...occurrence(reason),
    }),
    { host: afterwards(hooks), ports, read: addingUpTo(tokens) },
  );
  await appendAdded(answers.flat(), { session, behind: id, host: hooks, event: "session_compact" });
}

export interface FailedCompact {
  readonly errorMessage?: string;
  readonly aborted: boolean;
}

export async function afterFailedCompact(failed: FailedCompact, { hooks, ports, reason }: AfterParts): Promise<void> {
  const event = { type: "session_compact_failed" as const, ...failed, fromExtension: false, ...occurrence(reason) };
  await answersOf(hooks.session_compact_failed ?? [], () => ({ ...event }), {
    host: afterwards(hooks),
    ports,
    read: () => null,
  });
}
