/** Implements the RPC commands on sessions: new, switch, fork, clone, name, list, delete and export. */

import { resolve } from "node:path";
import type { RpcCommands, RpcParams, RpcResult } from "@pith/client";
import { createSession, listSessions } from "@pith/context/node";
import { type Answer, keptBack } from "../../../commands/command.ts";
import { clone, fork } from "../../../commands/fork.ts";
import { name as naming, resume } from "../../../commands/sessions.ts";
import { namedSession, sessionToWrite } from "../../../sessions/find-session.ts";
import { intoTrash } from "../../../sessions/trash.ts";
import { count, flag, name as named, nameOrNone, optional } from "../parse-command.ts";
import { done, failed, type Going, type Outcome, type Rows, type Seat } from "../rpc-context.ts";

export const sessions: Rows<
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
    says: "an empty session, as a child of `parentSession` where that is said; the one before is kept",
    example: { type: "new_session" },
    fields: { parentSession: optional(named) },
    lane: "leaving",
    run: async ({ parentSession }, seat) => begun(parentSession, seat),
  },
  switch_session: {
    says: "go on with another session, by its path, its name or the beginning of its id",
    example: { type: "switch_session", sessionPath: "3f2a9c11" },
    fields: { sessionPath: named },
    lane: "leaving",
    run: async ({ sessionPath }, seat) => switched(sessionPath, seat),
  },
  fork: {
    says: "a session of its own from before a message of the user; `text` are its words, to be changed and said",
    example: { type: "fork", entryId: "3f2a9c11" },
    fields: { entryId: named },
    lane: "leaving",
    run: async ({ entryId }, seat) => forked(entryId, seat),
  },
  clone: {
    says: "the branch one stands on once more, as a session of its own",
    example: { type: "clone" },
    fields: {},
    lane: "leaving",
    run: async (_, seat) => cloned(seat),
  },
  get_fork_messages: {
    says: "the messages of the user on this branch, to fork from",
    example: { type: "get_fork_messages" },
    fields: {},
    run: async (_, seat) => (await import("./tree.ts")).forkMessages(seat),
  },
  set_session_name: {
    says: "what the session is called in lists; empty takes its name away",
    example: { type: "set_session_name", name: "the login bug" },
    fields: { name: nameOrNone },
    run: async ({ name }, { desk }) => {
      const answer = await naming.run(name.trim() === "" ? "--none" : name, desk);
      return answer.type === "mistake" || answer.type === "failed" ? failed(answer.message) : done(null);
    },
  },
  list_sessions: {
    says: "the sessions of this folder, or of all with `all`; the newest first, at most `limit` (100 unless said)",
    example: { type: "list_sessions", limit: 20 },
    fields: { all: optional(flag), limit: optional(count) },
    run: async ({ all = false, limit = 100 }, { desk }) => {
      const found = await listSessions({ ...(!all && { cwd: desk.cwd }), env: { PITH_HOME: desk.home } });
      return done({ sessions: found.slice(0, limit) });
    },
  },
  delete_session: {
    says: "move a session into the trash, by `sessionPath` or by `sessionId`, which may be the beginning of it; `pith sessions restore` brings it back. Not the one that is open",
    example: { type: "delete_session", sessionId: "3f2a9c11" },
    fields: { sessionPath: optional(named), sessionId: optional(named) },
    run: async (takes, seat) => thrownAway(takes, seat),
  },
  export_html: {
    says: "this branch as a page, to `outputPath` or into the folder one works in; a file that is there is never written over",
    example: { type: "export_html", outputPath: "talk.html" },
    fields: { outputPath: optional(named) },
    run: async ({ outputPath }, { ready, desk }) => {
      const { sessionPath, agent } = ready.built;
      if (sessionPath === null) return failed("nothing is kept here, so there is nothing to export");
      const { exportSession } = await import("../../../export/export-session.ts");
      const to = outputPath === undefined ? {} : { to: outputPath };
      const wish = { ...to, as: "html", redaction: agent.session, cwd: desk.cwd } as const;
      const exported = await exportSession(sessionPath, wish);
      return exported.type === "mistake" ? failed(exported.message) : done({ path: exported.path });
    },
  },
};

type Left = Outcome<RpcResult<"new_session">>;

export async function begun(parentSession: string | undefined, seat: Seat): Promise<Left> {
  const { sessionPath, cwd, home } = seat.desk;
  const kept = await keptBack({ type: "session_before_switch", reason: "new" }, seat.desk);
  if (kept) return done({ cancelled: true });
  if (sessionPath === null) return arrived(await seat.go({ type: "none" }, "new"));
  if (parentSession === undefined) return arrived(await seat.go({ type: "new" }, "new"));
  const made = await createSession({ cwd, parentSession, env: { PITH_HOME: home } });
  if (made.type !== "opened")
    return failed(made.type === "held" ? "another process has just made it; try again" : made.why);
  const { path } = made.store;
  await made.store.close();
  return arrived(await seat.go({ type: "named", name: path }, "new"));
}

export async function switched(name: string, seat: Seat): Promise<Left> {
  return await followed(await resume.run(name, seat.desk), { seat, reason: "resume" });
}

export async function cloned(seat: Seat): Promise<Left> {
  return await followed(await clone.run("", seat.desk), { seat, reason: "fork" });
}

export async function forked(entryId: string, seat: Seat): Promise<Outcome<RpcResult<"fork">>> {
  const answer = await fork.run(entryId, seat.desk);
  const left = await followed(answer, { seat, reason: "fork" });
  if (left.type === "failed") return left;
  return done({ ...left.data, text: answer.type === "opened" ? (answer.draft ?? "") : "" });
}

async function followed(
  answer: Answer,
  { seat, reason }: { readonly seat: Seat; readonly reason: Going },
): Promise<Left> {
  if (answer.type === "mistake" || answer.type === "failed") return failed(answer.message);
  // An extension keeps it, or it is the one that is open.
  if (answer.type === "told") return done({ cancelled: Object(answer.data).cancelled === true });
  if (answer.type !== "opened") return done({ cancelled: false });
  return arrived(await seat.go({ type: "named", name: answer.path }, reason));
}

function arrived(outcome: Awaited<ReturnType<Seat["go"]>>): Left {
  return outcome.type === "failed" ? outcome : done({ cancelled: false });
}

export async function thrownAway(
  { sessionPath, sessionId }: RpcParams<"delete_session">,
  { desk }: Seat,
): Promise<Outcome<RpcResult<"delete_session">>> {
  if ((sessionPath === undefined) === (sessionId === undefined))
    return failed('delete_session takes either "sessionPath" or "sessionId"');
  const found = await sessionToWrite(await namedSession(sessionPath ?? sessionId ?? "", desk), desk.home);
  if (found.type === "mistake") return failed(found.message);
  if (desk.sessionPath !== null && resolve(found.path) === resolve(desk.sessionPath))
    return failed("this session is open here; go to another one first, with new_session or switch_session");
  const gone = await intoTrash(found.path, { home: desk.home, by: "rm" });
  return gone.type === "failed" ? gone : done({ id: gone.id, path: gone.path, folder: gone.folder });
}
