/** A compaction in a run: asked for, told, and held to what it must not change. */

import {
  type Budget,
  type Compaction,
  compact,
  type Entry,
  foldedSystem,
  modelWriter,
  type Reason,
} from "@pith/context";
import { appended } from "../../append.ts";
import type { AgentEvent, CompactionReason, CompactionResult } from "../../events.ts";
import { during } from "../during.ts";
import type { RunParts } from "../run-parts.ts";
import { budgetOf } from "./budget-of.ts";

export interface Compacting {
  readonly reason: Reason;
  /** Refusals of the same request before this one: each compaction begins a rung further down. */
  readonly attempt?: number;
  readonly instructions?: string;
  /** For whom it must fit; who speaks now, unless said. */
  readonly budget?: Budget;
}

/** What came of it, with what stands in the log now. */
export type Compacted = Exclude<Compaction, { type: "compacted" }> | (Done & CompactionResult);

type Done = Extract<Compaction, { type: "compacted" }>;

export async function* compaction(parts: RunParts, need: Compacting): AsyncGenerator<AgentEvent, Compacted> {
  const { session, model, hooks, ports, signal } = parts;
  const writers = parts.writers ?? [modelWriter(model, { ports })];
  const reason = REASONS[need.reason];
  yield { type: "compaction_start", reason };
  await session.settle();
  const { leaf } = session;
  const before = standing(parts);
  const result = yield* during<AgentEvent, Compaction>(() =>
    compact({ session, writers, hooks, ports, signal, budget: budgetOf(parts), ...need }),
  );
  const compacted = withEntry(result, parts);
  if (compacted.type === "compacted") await remindOfWork(parts);
  // FIT3: nobody becomes somebody else because something was forgotten.
  if (standing(parts) !== before && !isChangedBeside(parts, leaf))
    throw new Error("a compaction changed who works here, or with what");
  yield { type: "compaction_end", reason, ...toldOf(compacted, need.reason), compaction: result };
  return compacted;
}

const REASONS: Readonly<Record<Reason, CompactionReason>> = {
  asked: "manual",
  due: "threshold",
  overflow: "overflow",
  "model-switch": "threshold",
};

/** Who works here and with what, as the log has it; what is permitted is no part of it, and out of a compaction's reach. */
function standing({ session }: RunParts): string {
  const { model, thinkingLevel, activeTools } = session.window.state;
  const { content, sections, toolsAdded } = foldedSystem(session.window) ?? {};
  return JSON.stringify([model, thinkingLevel, activeTools, content, sections, toolsAdded]);
}

/** Whether somebody else has changed it meanwhile, as a host may. */
function isChangedBeside({ session }: RunParts, since: string | null): boolean {
  const { entries, compactionAt } = session.window;
  const seen = entries.findLastIndex(({ id }) => id === since);
  return entries.slice((seen >= 0 ? seen : compactionAt) + 1).some(({ type }) => STANDING.includes(type));
}

const STANDING: readonly Entry["type"][] = ["model_change", "thinking_level_change", "active_tools_change"];

function withEntry(result: Compaction, { session }: RunParts): Compacted {
  if (result.type !== "compacted") return result;
  const entry = session.window.entries.find(({ id }) => id === result.id);
  if (entry?.type !== "compaction") throw new Error(`the compaction ${result.id} is not where it was written`);
  const { summary, firstKeptEntryId, tokensBefore, details } = entry;
  return { ...result, summary, firstKeptEntryId, tokensBefore, ...(details !== undefined && { details }) };
}

function toldOf(compacted: Compacted, reason: Reason) {
  const aborted = compacted.type === "cancelled";
  if (compacted.type === "compacted") {
    const { summary, firstKeptEntryId, tokensBefore, details } = compacted;
    const result = { summary, firstKeptEntryId, tokensBefore, ...(details !== undefined && { details }) };
    return { result, aborted, willRetry: reason === "overflow" };
  }
  const errorMessage = "why" in compacted ? compacted.why : compacted.type;
  return { aborted, willRetry: false, ...(!aborted && { errorMessage }) };
}

/** What runs by itself goes on while a model forgets that it started it. */
async function remindOfWork({ session, tools }: RunParts): Promise<void> {
  const lines = tools.flatMap((tool) => tool.ongoing?.() ?? []);
  if (lines.length === 0) return;
  const content = `Still going on:\n${lines.join("\n")}`;
  await appended(session, { type: "custom_message", customType: ONGOING, content, display: false });
}

const ONGOING = "pith.ongoing";
