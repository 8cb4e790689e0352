/** Implements the RPC commands on sessions: new, switch, fork, clone, name, list, delete and export. */

import { resolve } from "node:path";
import type { RpcCommands, RpcParams, RpcResult } from "@pith/client";
import { createSession, listSessions } from "@pith/context/node";
import { type CommandContext, type CommandResult, checkExtensionVeto } from "../../../commands/command.ts";
import { cloneCommand, forkCommand } from "../../../commands/fork.ts";
import { nameCommand, resumeCommand } from "../../../commands/sessions.ts";
import { findSession, requireSessionFile } from "../../../sessions/find-session.ts";
import { moveToTrash } from "../../../sessions/trash.ts";
import { booleanField, countField, nameField, nameOrEmptyField, optional } from "../parse-command.ts";
import {
  failure,
  type Outcome,
  type RpcCommandDefinitions,
  type RpcContext,
  type SwitchReason,
  success,
} from "../rpc-context.ts";

export const sessionCommands: RpcCommandDefinitions<
  keyof Pick<
    RpcCommands,
    | "new_session"
    | "switch_session"
    | "fork"
    | "clone"
    | "get_fork_messages"
    | "set_session_name"
    | "list_sessions"
    | "delete_session"
    | "export_html"
  >
> = {
  new_session: {
    description: "start an empty session, as a child of `parentSession` if it is given; the previous session is kept",
    example: { type: "new_session" },
    fields: { parentSession: optional(nameField) },
    lane: "switch",
    run: async ({ parentSession }, context) => startNewSession(parentSession, context),
  },
  switch_session: {
    description: "continue another session, given by its path, its name or an id prefix",
    example: { type: "switch_session", sessionPath: "3f2a9c11" },
    fields: { sessionPath: nameField },
    lane: "switch",
    run: async ({ sessionPath }, context) => switchSession(sessionPath, context),
  },
  fork: {
    description:
      "start a new session from the point just before a user message; `text` is that message's text, to edit and send",
    example: { type: "fork", entryId: "3f2a9c11" },
    fields: { entryId: nameField },
    lane: "switch",
    run: async ({ entryId }, context) => forkSession(entryId, context),
  },
  clone: {
    description: "copy the current branch to a new session",
    example: { type: "clone" },
    fields: {},
    lane: "switch",
    run: async (_, context) => openResult(await cloneCommand.run("", context.app), { context, reason: "fork" }),
  },
  get_fork_messages: {
    description: "list the user messages on the current branch, which you can fork from",
    example: { type: "get_fork_messages" },
    fields: {},
    run: async (_, context) => (await import("./tree.ts")).listForkMessages(context.app.agent.session),
  },
  set_session_name: {
    description: "set the session's name; an empty name removes it",
    example: { type: "set_session_name", name: "the login bug" },
    fields: { name: nameOrEmptyField },
    run: async ({ name }, { app }) => {
      const result = await nameCommand.run(name.trim() === "" ? "--none" : name, app);
      return result.type === "mistake" || result.type === "failed" ? failure(result.message) : success(null);
    },
  },
  list_sessions: {
    description:
      "list the sessions in this folder, or in all folders with `all`; newest first, at most `limit` (default: 100)",
    example: { type: "list_sessions", limit: 20 },
    fields: { all: optional(booleanField), limit: optional(countField) },
    run: async ({ all = false, limit = 100 }, { app }) => {
      const found = await listSessions({ ...(!all && { cwd: app.cwd }), env: { PITH_HOME: app.home } });
      return success({ sessions: found.slice(0, limit) });
    },
  },
  delete_session: {
    description:
      "move a session to the trash, by `sessionPath`, or by `sessionId` (an id or an id prefix); `pith sessions restore` restores it. The open session cannot be deleted",
    example: { type: "delete_session", sessionId: "3f2a9c11" },
    fields: { sessionPath: optional(nameField), sessionId: optional(nameField) },
    run: async (params, context) => trashSession(params, context.app),
  },
  export_html: {
    description:
      "export the current branch as an HTML page, to `outputPath` or to the working directory; an existing file is never overwritten",
    example: { type: "export_html", outputPath: "talk.html" },
    fields: { outputPath: optional(nameField) },
    run: async ({ outputPath }, { app }) => {
      const { sessionPath, agent } = app;
      if (sessionPath === null) return failure("this session is not saved, so it cannot be exported");
      const { exportSession } = await import("../../../export/export-session.ts");
      const target = outputPath === undefined ? {} : { to: outputPath };
      const exportOptions = { ...target, as: "html", redaction: agent.session, cwd: app.cwd } as const;
      const exported = await exportSession(sessionPath, exportOptions);
      return exported.type === "mistake" ? failure(exported.message) : success({ path: exported.path });
    },
  },
};

type SwitchOutcome = Outcome<RpcResult<"new_session">>;

async function startNewSession(parentSession: string | undefined, context: RpcContext): Promise<SwitchOutcome> {
  const { sessionPath, cwd, home } = context.app;
  const veto = await checkExtensionVeto({ type: "session_before_switch", reason: "new" }, context.app);
  if (veto) return success({ cancelled: true });
  if (sessionPath === null) return toSwitchOutcome(await context.switchSession({ type: "none" }, "new"));
  if (parentSession === undefined) return toSwitchOutcome(await context.switchSession({ type: "new" }, "new"));
  const created = await createSession({ cwd, parentSession, env: { PITH_HOME: home } });
  if (created.type !== "opened")
    return failure(created.type === "held" ? "another process has just created this session; try again" : created.why);
  const { path } = created.store;
  await created.store.close();
  return toSwitchOutcome(await context.switchSession({ type: "named", name: path }, "new"));
}

async function switchSession(name: string, context: RpcContext): Promise<SwitchOutcome> {
  return await openResult(await resumeCommand.run(name, context.app), { context, reason: "resume" });
}

async function forkSession(entryId: string, context: RpcContext): Promise<Outcome<RpcResult<"fork">>> {
  const result = await forkCommand.run(entryId, context.app);
  const outcome = await openResult(result, { context, reason: "fork" });
  if (outcome.type === "failed") return outcome;
  return success({ ...outcome.data, text: result.type === "opened" ? (result.draft ?? "") : "" });
}

async function openResult(
  result: CommandResult,
  { context, reason }: { readonly context: RpcContext; readonly reason: SwitchReason },
): Promise<SwitchOutcome> {
  if (result.type === "mistake" || result.type === "failed") return failure(result.message);
  // An extension prevented the switch, or the session is already open.
  if (result.type === "success") return success({ cancelled: Object(result.data).cancelled === true });
  if (result.type !== "opened") return success({ cancelled: false });
  return toSwitchOutcome(await context.switchSession({ type: "named", name: result.path }, reason));
}

function toSwitchOutcome(outcome: Awaited<ReturnType<RpcContext["switchSession"]>>): SwitchOutcome {
  return outcome.type === "failed" ? outcome : success({ cancelled: false });
}

async function trashSession(
  { sessionPath, sessionId }: RpcParams<"delete_session">,
  app: Pick<CommandContext, "home" | "cwd" | "sessionPath">,
): Promise<Outcome<RpcResult<"delete_session">>> {
  if ((sessionPath === undefined) === (sessionId === undefined))
    return failure('delete_session takes either "sessionPath" or "sessionId"');
  const found = await requireSessionFile(await findSession(sessionPath ?? sessionId ?? "", app), app.home);
  if (found.type === "mistake") return failure(found.message);
  if (app.sessionPath !== null && resolve(found.path) === resolve(app.sessionPath))
    return failure("this session is open; first switch to another one with new_session or switch_session");
  const trashed = await moveToTrash(found.path, { home: app.home, by: "rm" });
  return trashed.type === "failed" ? trashed : success({ id: trashed.id, path: trashed.path, folder: trashed.folder });
}
