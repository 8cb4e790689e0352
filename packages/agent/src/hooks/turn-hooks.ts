/** Runs the hooks between two requests and before a run ends, and records the entries and compactions they return. */

import { type Entry, type LoadedBranch, type NewEntry, textTokens } from "@pith/context";
import {
  continueOnFailure,
  createHookEntryParser,
  type EntryContent,
  type HookFailure,
  hookTokenAllowance,
  isEditable,
  reportHookFailure,
  runHooks,
} from "@pith/context/host";
import { AppendError, appendEntries } from "../append-entries.ts";
import { runCompaction } from "../compaction/auto-compact.ts";
import type { AgentEvent } from "../events.ts";
import { createModelBudget, type RunContext } from "../loop/run-context.ts";
import type { AgentBeforeSettleEvent, BoundaryResult, TurnEndEvent } from "./hooks.ts";
import { keepAttachmentMarks, parseBlocks, parseContent, parseReplyContent } from "./message-hooks.ts";

type HookEntry = NonNullable<ReturnType<ReturnType<typeof createHookEntryParser>>>[number];

export interface BoundaryAnswer {
  readonly drafts: readonly NewEntry[];
  readonly compaction: HookCompaction | null;
  readonly shouldContinue: boolean;
}

export interface HookCompaction {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly details?: unknown;
}

export interface BoundaryContext {
  readonly branch: LoadedBranch;
  readonly tokenAllowance: number;
  /** What all hooks together may add. */
  readonly parseEntries: (result: unknown) => readonly HookEntry[] | null;
}

/** A hook's answer comes from outside and is not trusted. Null where there is nothing; throws where it is nonsense. */
export function parseBoundaryAnswer(result: unknown, context: BoundaryContext): BoundaryAnswer | null {
  if (result === undefined || result === null) return null;
  const { entries = [], continue: shouldContinue } = Object(result) as Readonly<Record<string, unknown>>;
  if (shouldContinue !== undefined && typeof shouldContinue !== "boolean")
    throw new Error("its continue is neither true nor false");
  if (!Array.isArray(entries) || entries.length > MAX_ENTRIES) throw new Error("its entries are no list, or too many");
  const items = Array.from(entries, (value: unknown) => ({ value, type: Object(value).type as unknown }));
  const compactions = items.filter(({ type }) => type === "compaction");
  if (compactions.length > 1) throw new Error("its entries have more than one compaction");
  const drafts = items
    .filter(({ type }) => type !== "compaction")
    .flatMap(({ type, value }): readonly NewEntry[] =>
      type === "context_edit" ? [parseEdit(value, context)] : (context.parseEntries({ entries: [value] }) ?? []),
    );
  const [compaction] = compactions;
  return {
    drafts,
    compaction: compaction ? parseCompaction(compaction.value, context) : null,
    shouldContinue: shouldContinue === true,
  };
}

const MAX_ENTRIES = 100;

type ContextEdit = Extract<EntryContent, { type: "context_edit" }>;

function parseEdit(value: unknown, { branch, tokenAllowance }: BoundaryContext): ContextEdit {
  const { targetId, replacement } = Object(value) as Readonly<Record<string, unknown>>;
  const target = branch.entries.find(({ id }) => id === targetId);
  if (!target || !isEditable(target)) throw new Error("its edit changes nothing that the model sees");
  if (isPithMessage(target)) throw new Error("its edit changes what Pith itself said");
  if (replacement === null) return { type: "context_edit", targetId: target.id, replacement };
  const content = parseReplacement(target, Object(replacement).content);
  if (textTokens(JSON.stringify(content)) > tokenAllowance)
    throw new Error(`its edit has more than ${tokenAllowance} tokens`);
  return { type: "context_edit", targetId: target.id, replacement: { content } };
}

function isPithMessage(entry: Entry): boolean {
  return entry.type === "custom_message" && entry.customType.startsWith("pith.");
}

type ReplacementContent = NonNullable<ContextEdit["replacement"]>["content"];

function parseReplacement(target: Entry, content: unknown): ReplacementContent {
  if (target.type !== "message") return parseContent(content);
  if (target.message.role === "assistant") return parseReplyContent(target.message.content, content);
  if (target.message.role === "toolResult") return parseBlocks(content);
  return target.message.role === "user"
    ? keepAttachmentMarks(target.message.content, parseContent(content))
    : parseContent(content);
}

function parseCompaction(value: unknown, { branch }: BoundaryContext): HookCompaction {
  const { summary, firstKeptEntryId, details } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof summary !== "string" || summary.trim() === "") throw new Error("its compaction has no summary");
  const firstKeptEntry = branch.entries.find(({ id }) => id === firstKeptEntryId);
  if (!firstKeptEntry) throw new Error("its compaction keeps what the model does not see");
  return { summary, firstKeptEntryId: firstKeptEntry.id, ...(details !== undefined && { details }) };
}

export type BoundaryEvent = TurnEndEvent | AgentBeforeSettleEvent;

export interface BoundaryOutcome {
  /** Whether somebody wants the model to be asked once more. */
  readonly shouldContinue: boolean;
  /** Whether there is something new for it. */
  readonly hasNewMessage: boolean;
}

export async function* runTurnHooks(
  event: BoundaryEvent,
  run: RunContext,
): AsyncGenerator<AgentEvent, BoundaryOutcome> {
  const { hooks, signal } = run;
  if (!hooks[event.type]?.length) return NO_CHANGE;
  const answers = await runBoundaryHooks(event, run);
  if (signal.aborted) return NO_CHANGE;
  const drafts = answers.flatMap((answer) => answer.drafts);
  const failure = drafts.length > 0 ? await tryAppend(drafts, run) : null;
  if (failure !== null) reportHookFailure(hooks, { event: event.type, why: failure });
  for (const { compaction } of answers) if (compaction) yield* compactForHook(compaction, event.type, run);
  return {
    shouldContinue: answers.some(({ shouldContinue }) => shouldContinue),
    hasNewMessage: failure === null && drafts.some(({ type }) => type === "custom_message"),
  };
}

const NO_CHANGE: BoundaryOutcome = { shouldContinue: false, hasNewMessage: false };

async function runBoundaryHooks(event: BoundaryEvent, run: RunContext): Promise<readonly BoundaryAnswer[]> {
  const { session, hooks, runtime, signal } = run;
  const tokenAllowance = hookTokenAllowance(session, createModelBudget(run));
  const parseEntries = createHookEntryParser(tokenAllowance);
  const hookOptions = {
    host: continueOnFailure(hooks),
    runtime: runtime,
    signal,
    read: (result: unknown) => parseBoundaryAnswer(result, { branch: session.branch, tokenAllowance, parseEntries }),
  };
  const { answers } =
    event.type === "turn_end"
      ? await runHooks<TurnEndEvent, BoundaryResult, BoundaryAnswer>(
          hooks.turn_end ?? [],
          () => copyEvent(event),
          hookOptions,
        )
      : await runHooks<AgentBeforeSettleEvent, BoundaryResult, BoundaryAnswer>(
          hooks.agent_before_settle ?? [],
          () => copyEvent(event),
          hookOptions,
        );
  return answers;
}

/** As the log has it: what goes with a result may be anything. */
function copyEvent<Event>(event: Event): Event {
  return JSON.parse(JSON.stringify(event)) as Event;
}

/** Why not; null where they are in the log. */
async function tryAppend(drafts: BoundaryAnswer["drafts"], { session }: RunContext): Promise<string | null> {
  try {
    await appendEntries(session, ...drafts);
    return null;
  } catch (error) {
    if (error instanceof AppendError) throw error;
    // A session refuses what does not fit to what it holds by now.
    return error instanceof Error ? error.message : String(error);
  }
}

/** On the one path that all take; nobody is paid to write another one, and what cannot be cut is not compacted. */
async function* compactForHook(
  compaction: HookCompaction,
  event: HookFailure["event"],
  run: RunContext,
): AsyncGenerator<AgentEvent> {
  const { hooks } = run;
  const compactHooks = [...(hooks.session_before_compact ?? []), () => ({ compaction })];
  const hooksWithCompaction = { ...hooks, session_before_compact: compactHooks, onFailure: "cancel" as const };
  const result = yield* runCompaction({ ...run, hooks: hooksWithCompaction, summarizers: [] }, { reason: "asked" });
  if (result.type === "compacted") return;
  const why = "why" in result ? `${result.type}, ${result.why}` : result.type;
  reportHookFailure(hooks, { event, why: `its compaction came to nothing: ${why}` });
}
