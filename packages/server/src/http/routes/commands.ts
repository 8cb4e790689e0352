/** Routes that change a session without a message: compactions and their undo, moves, names and labels. */

import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { Session } from "@pith/context";
import { findUndoableChange } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { acceptCommand, type CommandState, readCommand, type SessionCommand } from "../../runs/commands.ts";
import { type AnyRoute, defineRoute } from "../define-route.ts";
import { notFound, Problem } from "../problems.ts";
import * as schemas from "../schemas.ts";
import type { Service } from "../service.ts";
import { requireStore } from "../sessions.ts";

export function createCommandRoutes(service: Service): readonly AnyRoute[] {
  const { database } = service;
  const accept = async (
    { tenant }: { readonly tenant: string },
    { session, id }: { readonly session: string; readonly id: string | undefined },
    command: SessionCommand,
  ): Promise<{ readonly id: string }> => {
    const newCommand = { session, id: id ?? randomUUID(), command };
    if (!(await acceptCommand(service, tenant, newCommand))) throw notFound("session");
    return { id: newCommand.id };
  };
  return [
    defineRoute({
      ...{
        method: "POST",
        path: "/sessions/:session/compact",
        name: "compact",
        scope: "write",
        action: "session.compact",
      },
      summary: "Compact the context now.",
      params: schemas.SessionParams,
      body: schemas.Compact,
      answers: { 202: schemas.Accepted },
      handle: async ({ caller, params: { session }, body: { id, ...request }, reply }) => {
        void reply.code(202);
        return await accept(caller, { session, id }, { type: "compact", ...request });
      },
    }),
    defineRoute({
      ...{
        method: "POST",
        path: "/sessions/:session/undo",
        name: "undoCompaction",
        scope: "write",
        action: "session.undo",
      },
      summary: "Undo the newest compaction or removal of outdated results.",
      params: schemas.SessionParams,
      body: schemas.NewRequest,
      answers: { 202: schemas.Accepted },
      handle: async ({ caller, params: { session }, body: { id }, reply }) => {
        if (id !== undefined && (await readCommand(database, caller.tenant, { session, id }))) {
          void reply.code(202);
          return { id };
        }
        const store = await requireStore(database, caller.tenant, session);
        const change = findUndoableChange((await Session.open(store, nodeRuntime)).branch);
        if (!change) throw new Problem("conflict", "this branch has no compaction to undo");
        void reply.code(202);
        return await accept(caller, { session, id }, { type: "undo", entryId: change.id });
      },
    }),
    defineRoute({
      ...{
        method: "POST",
        path: "/sessions/:session/redo",
        name: "redoCompaction",
        scope: "write",
        action: "session.redo",
      },
      summary: "Redo what was undone last.",
      params: schemas.SessionParams,
      body: schemas.NewRequest,
      answers: { 202: schemas.Accepted },
      handle: async ({ caller, params: { session }, body: { id }, reply }) => {
        void reply.code(202);
        return await accept(caller, { session, id }, { type: "redo" });
      },
    }),
    defineRoute({
      ...{ method: "POST", path: "/sessions/:session/move", name: "move", scope: "write", action: "session.move" },
      summary: "Go on from another entry of the tree. Null is before the first.",
      params: schemas.SessionParams,
      body: schemas.Move,
      answers: { 202: schemas.Accepted },
      handle: async ({ caller, params: { session }, body: { id, instructions, ...move }, reply }) => {
        void reply.code(202);
        const customInstructions = instructions !== undefined && { customInstructions: instructions };
        return await accept(caller, { session, id }, { type: "move", ...move, ...customInstructions });
      },
    }),
    defineRoute({
      ...{
        method: "PUT",
        path: "/sessions/:session/name",
        name: "renameSession",
        scope: "write",
        action: "session.rename",
      },
      summary: "Name a session. An empty name removes it.",
      params: schemas.SessionParams,
      body: schemas.Rename,
      answers: { 202: schemas.Accepted },
      handle: async ({ caller, params: { session }, body: { id, name }, reply }) => {
        void reply.code(202);
        return await accept(caller, { session, id }, { type: "rename", name });
      },
    }),
    defineRoute({
      ...{ method: "PUT", path: "/sessions/:session/entries/:entry/label", name: "labelEntry", scope: "write" },
      ...{ action: "entry.label", summary: "Label an entry. An empty label removes it." },
      params: schemas.EntryParams,
      body: schemas.Label,
      answers: { 202: schemas.Accepted },
      handle: async ({ caller, params: { session, entry }, body: { id, label }, reply }) => {
        void reply.code(202);
        return await accept(caller, { session, id }, { type: "label", entryId: entry, label });
      },
    }),
    defineRoute({
      ...{ method: "GET", path: "/sessions/:session/commands/:command", name: "readCommand", scope: "read" },
      summary: "Read what came of a compaction, an undo, a redo, a move, a name or a label.",
      params: schemas.CommandParams,
      query: schemas.WaitQuery,
      answers: { 200: schemas.CommandState },
      handle: async ({ caller, params: { session, command: id }, query: { wait: seconds = 0 }, request }) => {
        const state = await waitForCommand(() => readCommand(database, caller.tenant, { session, id }), {
          deadline: Date.now() + seconds * 1000,
          isGone: () => request.raw.destroyed,
        });
        if (!state) throw notFound("command");
        return state.type === "waiting" ? { state: "waiting" } : { state: "finished", result: state.result };
      },
    }),
  ];
}

interface WaitOptions {
  readonly deadline: number;
  readonly isGone: () => boolean;
}

async function waitForCommand(
  read: () => Promise<CommandState | null>,
  { deadline, isGone }: WaitOptions,
): Promise<CommandState | null> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const state = await read();
    if (state?.type !== "waiting" || Date.now() >= deadline || isGone()) return state;
    await wait(Math.min(pauseMs, deadline - Date.now()));
  }
}

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 500;
