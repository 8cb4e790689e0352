/** Between two requests, and before a run comes to rest: what hooks want in the log is put there, and whether one of them wants the model to go on. */

import { addingUpTo, afterwards, answersOf, type HookFailure, reportTo, roomForHooks } from "@pith/context";
import { appended, NotWritten } from "../append.ts";
import type { AgentEvent } from "../events.ts";
import { budgetOf } from "../loop/fitting/budget-of.ts";
import { compacting } from "../loop/fitting/keep-fit.ts";
import type { RunParts } from "../loop/run-parts.ts";
import { type Boundary, boundaryIn, type CompactionWish } from "./boundary-entries.ts";
import type { AgentBeforeSettleEvent, BoundaryResult, TurnEndEvent } from "./run-hooks.ts";

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
  if (fault !== null) reportTo(hooks, { event: event.type, why: fault });
  for (const { compaction } of answers) if (compaction) yield* compacted(compaction, event.type, parts);
  return {
    isWanted: answers.some(({ isWanted }) => isWanted),
    hasSaid: fault === null && drafts.some(({ type }) => type === "custom_message"),
  };
}

const NOTHING: Bounded = { isWanted: false, hasSaid: false };

async function answered(event: BoundaryEvent, parts: RunParts): Promise<readonly Boundary[]> {
  const { session, hooks, ports, signal } = parts;
  const room = roomForHooks(session, budgetOf(parts));
  const adding = addingUpTo(room);
  const asking = {
    host: afterwards(hooks),
    ports,
    signal,
    read: (result: unknown) => boundaryIn(result, { window: session.window, room, adding }),
  };
  const { answers } =
    event.type === "turn_end"
      ? await answersOf<TurnEndEvent, BoundaryResult, Boundary>(hooks.turn_end ?? [], () => copied(event), asking)
      : await answersOf<AgentBeforeSettleEvent, BoundaryResult, Boundary>(
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
  reportTo(hooks, { event, why: `its compaction came to nothing: ${why}` });
}
