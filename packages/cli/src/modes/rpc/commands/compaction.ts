/** Implements the RPC commands for compaction: compact, preview, undo, redo, automatic compaction and pins. */

import type { RpcCommands, RpcResult } from "@pith/client";
import { pinEntry, pinText, previewCompaction, refusalNotes, unpin as takeAway } from "@pith/context";
import { LEAF_MOVED, written } from "../../../commands/command.ts";
import { compactionTold } from "../../../commands/compact.ts";
import { refusedBecause } from "../../../text/compaction-text.ts";
import { flag, name, optional, words } from "../parse-command.ts";
import { done, failed, type Outcome, type Rows, type Seat } from "../rpc-context.ts";

export async function compacted(
  instructions: string | undefined,
  { ready }: Seat,
): Promise<Outcome<RpcResult<"compact">>> {
  const { agent } = ready.built;
  const outcome = await agent.compact(instructions);
  if (outcome.type !== "compacted") {
    const answer = compactionTold(outcome);
    return failed(answer.type === "told" ? answer.text : answer.type === "failed" ? answer.message : "");
  }
  const { summary, firstKeptEntryId, tokensBefore, details, estimatedTokensAfter } = outcome;
  const entry = await agent.session.store.entry(outcome.id);
  const usage = entry?.type === "compaction" ? entry.usage : undefined;
  return done({
    ...{ summary, firstKeptEntryId, tokensBefore, details, estimatedTokensAfter },
    ...(usage && { usage }),
  });
}

export async function stepped(step: "undo" | "redo", { ready }: Seat): Promise<Outcome<RpcResult<"undo_compaction">>> {
  const outcome = await ready.built.agent.undoCompaction(step);
  switch (outcome.type) {
    case "refused":
      return failed(refusedBecause(outcome.why));
    case "nothing-to-do":
      return failed(nothings[outcome.why]);
    case "failed":
      return failed(outcome.appended.type === "refused" ? refusalNotes[outcome.appended.why] : LEAF_MOVED);
    case "undone":
    case "redone":
      return done({ leafId: outcome.leaf });
  }
}

const nothings = {
  "no-compaction": "there is no compaction on this branch to undo",
  "no-undo": "no compaction was undone here, or another has come since",
} as const;

export const fitting: Rows<
  keyof Pick<
    RpcCommands,
    "compact" | "preview_compaction" | "undo_compaction" | "redo_compaction" | "set_auto_compaction" | "pin" | "unpin"
  >
> = {
  compact: {
    says: "tell what was said so far in short; answered when it is done. `abort` ends it",
    example: { type: "compact", customInstructions: "Keep every decision on the schema." },
    fields: { customInstructions: optional(words) },
    run: ({ customInstructions }, seat) => compacted(customInstructions, seat),
  },
  preview_compaction: {
    says: "what a compaction would do now: its receipt and the front that code alone would write; nothing is done, nobody is asked",
    example: { type: "preview_compaction" },
    fields: {},
    run: async (_, { ready }) => {
      const { session, budget } = ready.built.agent;
      await session.loadState();
      const preview = previewCompaction(session.branch, budget);
      if (preview.type !== "planned") return done(preview);
      return done({ type: preview.type, receipt: preview.receipt, front: preview.summaryText });
    },
  },
  undo_compaction: {
    says: "take the newest compaction back",
    example: { type: "undo_compaction" },
    fields: {},
    run: (_, seat) => stepped("undo", seat),
  },
  redo_compaction: {
    says: "bring back the one that was undone last",
    example: { type: "redo_compaction" },
    fields: {},
    run: (_, seat) => stepped("redo", seat),
  },
  set_auto_compaction: {
    says: "whether anything is compacted by itself, until the program ends",
    example: { type: "set_auto_compaction", enabled: true },
    fields: { enabled: flag },
    run: async ({ enabled }, { choose }) => {
      choose({ isCompacting: enabled });
      return done(null);
    },
  },
  pin: {
    says: "keep words through every compaction: `text`, or those of an entry by `entryId`; gives all pins",
    example: { type: "pin", text: "Never push to main." },
    fields: { entryId: optional(name), text: optional(words) },
    run: async ({ entryId, text }, seat) => {
      if ((entryId === undefined) === (text === undefined)) return failed('pin takes either "text" or "entryId"');
      const { agent } = seat.ready.built;
      if (entryId !== undefined && !(await agent.session.store.entry(entryId)))
        return failed(`there is no entry ${entryId.slice(0, 60)}; get_entries has their ids`);
      const appended = await agent.appendToSession((session) =>
        entryId === undefined ? pinText(session, text ?? "") : pinEntry(session, entryId),
      );
      return pinsAfter(
        written(appended, () => ({ type: "quit" })),
        seat,
      );
    },
  },
  unpin: {
    says: "let go of a pin by its id; gives those that are left",
    example: { type: "unpin", pinId: "3f2a9c11" },
    fields: { pinId: name },
    run: async ({ pinId }, seat) => {
      const { agent } = seat.ready.built;
      const isThere = agent.session.branch.state.pins.some((pin) => pin.id === pinId);
      if (!isThere) return failed(`there is no pin ${pinId.slice(0, 60)}; pin gives all of them`);
      const appended = await agent.appendToSession((session) => takeAway(session, pinId));
      return pinsAfter(
        written(appended, () => ({ type: "quit" })),
        seat,
      );
    },
  },
};

function pinsAfter(answer: ReturnType<typeof written>, { ready }: Seat): Outcome<RpcCommands["pin"]["result"]> {
  if (answer.type === "failed") return failed(answer.message);
  return done({ pins: ready.built.agent.session.branch.state.pins });
}
