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
import { appended, NotWritten } from "../append.ts";
import { compacting } from "../compaction/auto-compact.ts";
import type { AgentEvent } from "../events.ts";
import { budgetOf, type RunParts } from "../loop/run-context.ts";
import type { AgentBeforeSettleEvent, BoundaryResult, TurnEndEvent } from "./hooks.ts";
import { keepMarks, replyContent, soundBlocks, soundContent } from "./message-hooks.ts";

type HookEntry = NonNullable<ReturnType<ReturnType<typeof createHookEntryParser>>>[number];

export interface Boundary {
  readonly drafts: readonly NewEntry[];
  readonly compaction: CompactionWish | null;
  readonly isWanted: boolean;
}

export interface CompactionWish {
  readonly summary: string;
  readonly firstKeptEntryId: string;
  readonly details?: unknown;
}

export interface BoundaryRoom {
  readonly window: LoadedBranch;
  readonly room: number;
  /** What all hooks together may add. */
  readonly adding: (result: unknown) => readonly HookEntry[] | null;
}

/** A hook's answer comes from outside and is not trusted. Null where there is nothing; throws where it is nonsense. */
export function boundaryIn(result: unknown, where: BoundaryRoom): Boundary | null {
  if (result === undefined || result === null) return null;
  const { entries = [], continue: goesOn } = Object(result) as Readonly<Record<string, unknown>>;
  if (goesOn !== undefined && typeof goesOn !== "boolean") throw new Error("its continue is neither true nor false");
  if (!Array.isArray(entries) || entries.length > MOST_ENTRIES) throw new Error("its entries are no list, or too many");
  const all = Array.from(entries, (value: unknown) => ({ value, type: Object(value).type as unknown }));
  const wishes = all.filter(({ type }) => type === "compaction");
  if (wishes.length > 1) throw new Error("its entries have more than one compaction");
  const drafts = all
    .filter(({ type }) => type !== "compaction")
    .flatMap(({ type, value }): readonly NewEntry[] =>
      type === "context_edit" ? [editIn(value, where)] : (where.adding({ entries: [value] }) ?? []),
    );
  const [wish] = wishes;
  return { drafts, compaction: wish ? wishIn(wish.value, where) : null, isWanted: goesOn === true };
}

const MOST_ENTRIES = 100;

type Edit = Extract<EntryContent, { type: "context_edit" }>;

function editIn(value: unknown, { window, room }: BoundaryRoom): Edit {
  const { targetId, replacement } = Object(value) as Readonly<Record<string, unknown>>;
  const target = window.entries.find(({ id }) => id === targetId);
  if (!target || !isEditable(target)) throw new Error("its edit changes nothing that the model sees");
  if (isOurs(target)) throw new Error("its edit changes what Pith itself said");
  if (replacement === null) return { type: "context_edit", targetId: target.id, replacement };
  const content = contentFor(target, Object(replacement).content);
  if (textTokens(JSON.stringify(content)) > room) throw new Error(`its edit has more than ${room} tokens`);
  return { type: "context_edit", targetId: target.id, replacement: { content } };
}

function isOurs(entry: Entry): boolean {
  return entry.type === "custom_message" && entry.customType.startsWith("pith.");
}

type Replaced = NonNullable<Edit["replacement"]>["content"];

function contentFor(target: Entry, content: unknown): Replaced {
  if (target.type !== "message") return soundContent(content);
  if (target.message.role === "assistant") return replyContent(target.message.content, content);
  if (target.message.role === "toolResult") return soundBlocks(content);
  return target.message.role === "user"
    ? keepMarks(target.message.content, soundContent(content))
    : soundContent(content);
}

function wishIn(value: unknown, { window }: BoundaryRoom): CompactionWish {
  const { summary, firstKeptEntryId, details } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof summary !== "string" || summary.trim() === "") throw new Error("its compaction has no summary");
  const first = window.entries.find(({ id }) => id === firstKeptEntryId);
  if (!first) throw new Error("its compaction keeps what the model does not see");
  return { summary, firstKeptEntryId: first.id, ...(details !== undefined && { details }) };
}

export type BoundaryEvent = TurnEndEvent | AgentBeforeSettleEvent;

export interface Bounded {
  /** Whether somebody wants the model to be asked once more. */
  readonly isWanted: boolean;
  /** Whether there is something new for it. */
  readonly hasSaid: boolean;
}

export async function* boundary(event: BoundaryEvent, parts: RunParts): AsyncGenerator<AgentEvent, Bounded> {
  const { hooks, signal } = parts;
  if (!hooks[event.type]?.length) return NOTHING;
  const answers = await answered(event, parts);
  if (signal.aborted) return NOTHING;
  const drafts = answers.flatMap((answer) => answer.drafts);
  const fault = drafts.length > 0 ? await added(drafts, parts) : null;
  if (fault !== null) reportHookFailure(hooks, { event: event.type, why: fault });
  for (const { compaction } of answers) if (compaction) yield* compacted(compaction, event.type, parts);
  return {
    isWanted: answers.some(({ isWanted }) => isWanted),
    hasSaid: fault === null && drafts.some(({ type }) => type === "custom_message"),
  };
}

const NOTHING: Bounded = { isWanted: false, hasSaid: false };

async function answered(event: BoundaryEvent, parts: RunParts): Promise<readonly Boundary[]> {
  const { session, hooks, ports, signal } = parts;
  const room = hookTokenAllowance(session, budgetOf(parts));
  const adding = createHookEntryParser(room);
  const asking = {
    host: continueOnFailure(hooks),
    runtime: ports,
    signal,
    read: (result: unknown) => boundaryIn(result, { window: session.branch, room, adding }),
  };
  const { answers } =
    event.type === "turn_end"
      ? await runHooks<TurnEndEvent, BoundaryResult, Boundary>(hooks.turn_end ?? [], () => copied(event), asking)
      : await runHooks<AgentBeforeSettleEvent, BoundaryResult, Boundary>(
          hooks.agent_before_settle ?? [],
          () => copied(event),
          asking,
        );
  return answers;
}

/** As the log has it: what goes with a result may be anything. */
function copied<Event>(event: Event): Event {
  return JSON.parse(JSON.stringify(event)) as Event;
}

/** Why not; null where they are in the log. */
async function added(drafts: Boundary["drafts"], { session }: RunParts): Promise<string | null> {
  try {
    await appended(session, ...drafts);
    return null;
  } catch (error) {
    if (error instanceof NotWritten) throw error;
    // A session refuses what does not fit to what it holds by now.
    return error instanceof Error ? error.message : String(error);
  }
}

/** On the one path that all take; nobody is paid to write another one, and what cannot be cut is not compacted. */
async function* compacted(
  compaction: CompactionWish,
  event: HookFailure["event"],
  parts: RunParts,
): AsyncGenerator<AgentEvent> {
  const { hooks } = parts;
  const before = [...(hooks.session_before_compact ?? []), () => ({ compaction })];
  const own = { ...hooks, session_before_compact: before, onFailure: "cancel" as const };
  const result = yield* compacting({ ...parts, hooks: own, writers: [] }, { reason: "asked" });
  if (result.type === "compacted") return;
  const why = "why" in result ? `${result.type}, ${result.why}` : result.type;
  reportHookFailure(hooks, { event, why: `its compaction came to nothing: ${why}` });
}
