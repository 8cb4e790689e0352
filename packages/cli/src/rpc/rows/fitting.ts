/** Commands on what fits into the window: compactions, their undoing, and pins. */

import { pinEntry, pinWords, previewCompaction, unpin as takeAway } from "@pith/context";
import { written } from "../../commands/answers.ts";
import { compacted, stepped } from "../acting/compacted.ts";
import type { RpcCommands } from "../line/rpc-commands.ts";
import { flag, name, optional, words } from "../reading/field.ts";
import type { Seat } from "../serving/seat.ts";
import { done, failed, type Outcome, type Rows } from "./row.ts";

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
      await session.settle();
      const preview = previewCompaction(session.window, budget);
      if (preview.type !== "planned") return done(preview);
      return done({ type: preview.type, receipt: preview.receipt, front: preview.front });
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
      const appended = await agent.annotate((session) =>
        entryId === undefined ? pinWords(session, text ?? "") : pinEntry(session, entryId),
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
      const isThere = agent.session.window.state.pins.some((pin) => pin.id === pinId);
      if (!isThere) return failed(`there is no pin ${pinId.slice(0, 60)}; pin gives all of them`);
      const appended = await agent.annotate((session) => takeAway(session, pinId));
      return pinsAfter(
        written(appended, () => ({ type: "quit" })),
        seat,
      );
    },
  },
};

function pinsAfter(answer: ReturnType<typeof written>, { ready }: Seat): Outcome<RpcCommands["pin"]["gives"]> {
  if (answer.type === "failed") return failed(answer.message);
  return done({ pins: ready.built.agent.session.window.state.pins });
}
