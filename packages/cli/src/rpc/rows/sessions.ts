/** Commands on sessions: to another, and what there are. */

import { listSessions } from "@pith/context/node";
import { name as naming } from "../../commands/sessions/name.ts";
import type { RpcCommands } from "../line/rpc-commands.ts";
import { count, flag, name as named, nameOrNone, optional } from "../reading/field.ts";
import { done, failed, type Rows } from "./row.ts";

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
    run: async ({ parentSession }, seat) => (await import("../acting/leaving.ts")).begun(parentSession, seat),
  },
  switch_session: {
    says: "go on with another session, by its path, its name or the beginning of its id",
    example: { type: "switch_session", sessionPath: "3f2a9c11" },
    fields: { sessionPath: named },
    lane: "leaving",
    run: async ({ sessionPath }, seat) => (await import("../acting/leaving.ts")).switched(sessionPath, seat),
  },
  fork: {
    says: "a session of its own from before a message of the user; `text` are its words, to be changed and said",
    example: { type: "fork", entryId: "3f2a9c11" },
    fields: { entryId: named },
    lane: "leaving",
    run: async ({ entryId }, seat) => (await import("../acting/leaving.ts")).forked(entryId, seat),
  },
  clone: {
    says: "the branch one stands on once more, as a session of its own",
    example: { type: "clone" },
    fields: {},
    lane: "leaving",
    run: async (_, seat) => (await import("../acting/leaving.ts")).cloned(seat),
  },
  get_fork_messages: {
    says: "the messages of the user on this branch, to fork from",
    example: { type: "get_fork_messages" },
    fields: {},
    run: async (_, seat) => (await import("../acting/fork-messages.ts")).forkMessages(seat),
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
    run: async (takes, seat) => (await import("../acting/thrown-away.ts")).thrownAway(takes, seat),
  },
  export_html: {
    says: "this branch as a page, to `outputPath` or into the folder one works in; a file that is there is never written over",
    example: { type: "export_html", outputPath: "talk.html" },
    fields: { outputPath: optional(named) },
    run: async ({ outputPath }, { ready, desk }) => {
      const { sessionPath, agent } = ready.built;
      if (sessionPath === null) return failed("nothing is kept here, so there is nothing to export");
      const { exportSession } = await import("../../exporting/export-session.ts");
      const to = outputPath === undefined ? {} : { to: outputPath };
      const wish = { ...to, as: "html", redaction: agent.session, cwd: desk.cwd } as const;
      const exported = await exportSession(sessionPath, wish);
      return exported.type === "mistake" ? failed(exported.message) : done({ path: exported.path });
    },
  },
};
