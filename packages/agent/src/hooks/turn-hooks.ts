/** Runs the hooks between two requests and before a run ends, and records the entries they return. */

import { type Budget, type Entry, type LoadedBranch, type NewEntry, type Session, textTokens } from "@pith/context";
import {
  continueOnFailure,
  createHookEntryParser,
  type EntryContent,
  type Hook,
  hookTokenAllowance,
  isEditable,
  reportHookFailure,
  runHooks,
} from "@pith/context/host";
import { AppendError, appendEntries } from "../append-entries.ts";
import type { AgentBeforeSettleEvent, BoundaryResult, HookContext, TurnEndEvent } from "./hooks.ts";
import { keepAttachmentMarks, parseBlocks, parseContent, parseReplyContent } from "./parse-content.ts";

type HookEntry = NonNullable<ReturnType<ReturnType<typeof createHookEntryParser>>>[number];

export type BoundaryEvent = TurnEndEvent | AgentBeforeSettleEvent;

export interface BoundaryOutcome {
  /** Whether a hook wants another request. */
  readonly shouldContinue: boolean;
  /** Whether the hooks added a message for the model. */
  readonly hasNewMessage: boolean;
  /** The compactions that the hooks returned. The caller makes them. */
  readonly compactions: readonly HookCompaction[];
}

/** Runs the hooks of the event and appends their entries. */
export async function runTurnHooks(event: BoundaryEvent, run: HookContext, budget: Budget): Promise<BoundaryOutcome> {
  const { session, hooks, runtime, signal } = run;
  // Each list gets only events of its own type.
  const eventHooks = (hooks[event.type] ?? []) as readonly Hook<BoundaryEvent, BoundaryResult>[];
  if (eventHooks.length === 0) return NO_CHANGE;
  const tokenAllowance = hookTokenAllowance(session, budget);
  const parseEntries = createHookEntryParser(tokenAllowance);
  const { answers } = await runHooks(eventHooks, () => copyEvent(event), {
    host: continueOnFailure(hooks),
    runtime,
    signal,
    read: (result) => parseBoundaryAnswer(result, { branch: session.branch, tokenAllowance, parseEntries }),
  });
  if (signal.aborted) return NO_CHANGE;
  const drafts = answers.flatMap((answer) => answer.drafts);
  const failure = drafts.length > 0 ? await tryAppend(drafts, session) : null;
  if (failure !== null) reportHookFailure(hooks, { event: event.type, why: failure });
  return {
    shouldContinue: answers.some(({ shouldContinue }) => shouldContinue),
    hasNewMessage: failure === null && drafts.some(({ type }) => type === "custom_message"),
    compactions: answers.flatMap(({ compaction }) => compaction ?? []),
  };
}

const NO_CHANGE: BoundaryOutcome = { shouldContinue: false, hasNewMessage: false, compactions: [] };

/** A JSON copy, as the session stores it: the details of a tool result may hold values that cannot be cloned. */
function copyEvent<Event>(event: Event): Event {
  return JSON.parse(JSON.stringify(event)) as Event;
}

interface BoundaryAnswer {
  readonly drafts: readonly NewEntry[];
  readonly compaction: HookCompaction | null;
  readonly shouldContinue: boolean;
}

/** A compaction that a hook returned. */
export interface HookCompaction {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly details?: unknown;
}

interface BoundaryContext {
  readonly branch: LoadedBranch;
  readonly tokenAllowance: number;
  /** Parses entries; the token allowance is shared by all hooks of the event. */
  readonly parseEntries: (result: unknown) => readonly HookEntry[] | null;
}

/** Validates what a hook returned, which is not trusted. Null if it returned nothing; throws if it is invalid. */
function parseBoundaryAnswer(result: unknown, context: BoundaryContext): BoundaryAnswer | null {
  if (result === undefined || result === null) return null;
  const { entries = [], continue: shouldContinue } = Object(result) as Readonly<Record<string, unknown>>;
  if (shouldContinue !== undefined && typeof shouldContinue !== "boolean")
    throw new Error("continue must be true or false");
  if (!Array.isArray(entries) || entries.length > MAX_ENTRIES)
    throw new Error(`entries must be a list of at most ${MAX_ENTRIES} entries`);
  const items = Array.from(entries, (value: unknown) => ({ value, type: Object(value).type as unknown }));
  const compactions = items.filter(({ type }) => type === "compaction");
  if (compactions.length > 1) throw new Error("entries must have at most one compaction");
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
  if (!target || !isEditable(target)) throw new Error("the edit's target is not an entry that the model sees");
  if (target.type === "custom_message" && target.customType.startsWith("pith."))
    throw new Error("the edit's target is a message from Pith and cannot be edited");
  if (replacement === null) return { type: "context_edit", targetId: target.id, replacement };
  const content = parseReplacement(target, Object(replacement).content);
  if (textTokens(JSON.stringify(content)) > tokenAllowance)
    throw new Error(`the edit has more than ${tokenAllowance} tokens`);
  return { type: "context_edit", targetId: target.id, replacement: { content } };
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
  if (typeof summary !== "string" || summary.trim() === "") throw new Error("the compaction has no summary");
  const firstKeptEntry = branch.entries.find(({ id }) => id === firstKeptEntryId);
  if (!firstKeptEntry) throw new Error("the compaction's firstKeptEntryId is not an entry that the model sees");
  return { summary, firstKeptEntryId: firstKeptEntry.id, ...(details !== undefined && { details }) };
}

/** Returns why the entries could not be appended; null if they were. */
async function tryAppend(drafts: BoundaryAnswer["drafts"], session: Session): Promise<string | null> {
  try {
    await appendEntries(session, ...drafts);
    return null;
  } catch (error) {
    if (error instanceof AppendError) throw error;
    // The session refuses entries that no longer fit its current state.
    return error instanceof Error ? error.message : String(error);
  }
}
