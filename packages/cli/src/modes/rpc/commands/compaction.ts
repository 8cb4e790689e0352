/** Implements the RPC commands for compaction: compact, preview, undo, redo, automatic compaction and pins. */

import type { Agent, CompactRequest } from "@pith/agent";
import type { RpcCommands, RpcResult } from "@pith/client";
import { type AppendResult, pinEntry, pinText, refusalNotes, unpin as unpinEntry } from "@pith/context";
import { LEAF_MOVED_MESSAGE, toCommandResult } from "../../../commands/command.ts";
import { reportCompaction } from "../../../commands/compact.ts";
import { planCompaction } from "../../../commands/compact-request.ts";
import { describeBusyRefusal } from "../../../text/compaction-text.ts";
import { booleanField, nameField, nonEmptyTextField, optional } from "../parse-command.ts";
import { failure, type Outcome, type RpcCommandDefinitions, success, unknownEntry } from "../rpc-context.ts";

async function compactForClient(request: CompactRequest, agent: Agent): Promise<Outcome<RpcResult<"compact">>> {
  const outcome = await agent.compact(request);
  if (outcome.type !== "compacted") {
    const result = reportCompaction(outcome);
    return failure(result.type === "success" ? result.text : result.type === "failed" ? result.message : "");
  }
  const { summary, firstKeptEntryId, tokensBefore, details, estimatedTokensAfter } = outcome;
  const entry = await agent.session.store.entry(outcome.id);
  const usage = entry?.type === "compaction" ? entry.usage : undefined;
  return success({ summary, firstKeptEntryId, tokensBefore, details, estimatedTokensAfter, ...(usage && { usage }) });
}

async function undoOrRedo(step: "undo" | "redo", agent: Agent): Promise<Outcome<RpcResult<"undo_compaction">>> {
  const outcome = await agent.undoCompaction(step);
  switch (outcome.type) {
    case "refused":
      return failure(describeBusyRefusal(outcome.why));
    case "nothing-to-do":
      return failure(nothingToDoMessages[outcome.why]);
    case "failed":
      return failure(outcome.appended.type === "refused" ? refusalNotes[outcome.appended.why] : LEAF_MOVED_MESSAGE);
    case "undone":
    case "redone":
      return success({ leafId: outcome.leaf });
  }
}

const nothingToDoMessages = {
  "no-compaction": "this branch has no compaction to undo",
  "no-undo": "there is no compaction to redo: none was undone, or the session was compacted again since",
} as const;

export const compactionCommands: RpcCommandDefinitions<
  keyof Pick<
    RpcCommands,
    "compact" | "preview_compaction" | "undo_compaction" | "redo_compaction" | "set_auto_compaction" | "pin" | "unpin"
  >
> = {
  compact: {
    description:
      "summarize the conversation so far; the response comes when the compaction is done. `abort` stops it. With `firstKeptEntryId`, everything before that entry is summarized, and it and all later entries are kept. With `fromOriginals`, the summary is derived from the original entries instead of from the last summary. To replace what comes after an entry with a summary, use `navigate_tree` with `summarize`",
    example: { type: "compact", customInstructions: "Keep every decision on the schema." },
    fields: {
      customInstructions: optional(nonEmptyTextField),
      firstKeptEntryId: optional(nameField),
      fromOriginals: optional(booleanField),
    },
    run: async ({ customInstructions, ...request }, context) => {
      const { firstKeptEntryId } = request;
      if (firstKeptEntryId !== undefined && !(await context.app.agent.session.store.entry(firstKeptEntryId)))
        return unknownEntry(firstKeptEntryId);
      const instructions = customInstructions !== undefined && { instructions: customInstructions };
      return await compactForClient({ ...request, ...instructions }, context.app.agent);
    },
  },
  preview_compaction: {
    description:
      "show what a compaction would do now, with the same `firstKeptEntryId` and `fromOriginals` as `compact`: returns its receipt and, as `summary`, the summary without the part that a model writes; nothing is changed, and no model is called",
    example: { type: "preview_compaction" },
    fields: { firstKeptEntryId: optional(nameField), fromOriginals: optional(booleanField) },
    run: async (request, { app }) => {
      const preview = await planCompaction(app.agent, request);
      if (preview.type !== "planned") return success(preview);
      return success({ type: preview.type, receipt: preview.receipt, summary: preview.summaryText });
    },
  },
  undo_compaction: {
    description: "undo the latest compaction or removal of outdated tool results",
    example: { type: "undo_compaction" },
    fields: {},
    run: (_, { app }) => undoOrRedo("undo", app.agent),
  },
  redo_compaction: {
    description: "redo the compaction or removal that was undone last",
    example: { type: "redo_compaction" },
    fields: {},
    run: (_, { app }) => undoOrRedo("redo", app.agent),
  },
  set_auto_compaction: {
    description: "turn automatic compaction on or off until Pith exits",
    example: { type: "set_auto_compaction", enabled: true },
    fields: { enabled: booleanField },
    run: async ({ enabled }, { setOptions }) => {
      setOptions({ isAutoCompacting: enabled });
      return success(null);
    },
  },
  pin: {
    description:
      "keep `text`, or the text of the entry `entryId`, in context through every compaction; returns all pins",
    example: { type: "pin", text: "Never push to main." },
    fields: { entryId: optional(nameField), text: optional(nonEmptyTextField) },
    run: async ({ entryId, text }, context) => {
      if ((entryId === undefined) === (text === undefined)) return failure('pin takes either "text" or "entryId"');
      const { agent } = context.app;
      if (entryId !== undefined && !(await agent.session.store.entry(entryId))) return unknownEntry(entryId);
      const appended = await agent.appendToSession((session) =>
        entryId === undefined ? pinText(session, text ?? "") : pinEntry(session, entryId),
      );
      return toPinsOutcome(appended, agent);
    },
  },
  unpin: {
    description: "remove a pin by its id; returns the remaining pins",
    example: { type: "unpin", pinId: "3f2a9c11" },
    fields: { pinId: nameField },
    run: async ({ pinId }, context) => {
      const { agent } = context.app;
      const exists = agent.session.branch.state.pins.some((pin) => pin.id === pinId);
      if (!exists) return failure(`no pin has the id ${pinId.slice(0, 60)}; the response to pin lists all pins`);
      const appended = await agent.appendToSession((session) => unpinEntry(session, pinId));
      return toPinsOutcome(appended, agent);
    },
  },
};

function toPinsOutcome(appended: AppendResult, agent: Agent): Outcome<RpcCommands["pin"]["result"]> {
  const result = toCommandResult(appended, () => ({ type: "quit" }));
  if (result.type === "failed") return failure(result.message);
  return success({ pins: agent.session.branch.state.pins });
}
