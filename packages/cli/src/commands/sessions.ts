/** Implements `/new`, `/resume`, `/name`, `/export`, `/session` and `/diff`. */

import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { sanitizeLine } from "@pith/context/host";
import { createSession, listSessions, type SessionItem } from "@pith/context/node";
import { formatAge } from "@pith/host/text/format";
import { escapeLineBreaks, truncate } from "@pith/host/text/safe-text";
import { expandTilde } from "@pith/host/text/shell-words";
import { describeMissingBlobs } from "../sessions/entries.ts";
import { addSessionId, findSession, formatSessionArgument, requireSessionFile } from "../sessions/find-session.ts";
import { countSessionTotals, formatSessionReport, type SessionReport } from "../sessions/session-stats.ts";
import { countBranches } from "../sessions/tree-lines.ts";
import {
  type Command,
  type CommandContext,
  type CommandResult,
  checkExtensionVeto,
  failure,
  SESSION_COLLISION_MESSAGE,
  sessionNotSavedError,
  success,
  toCommandResult,
} from "./command.ts";

export const newCommand: Command = {
  name: "new",
  aliases: ["clear"],
  description: "start an empty session; the current one is kept",
  async run(_, { cwd, home, sessionPath, extensions }) {
    if (sessionPath === null) return sessionNotSavedError("new");
    const veto = await checkExtensionVeto(
      { type: "session_before_switch", reason: "new" },
      { extensions: extensions ?? null },
    );
    if (veto) return veto;
    const result = await createSession({ cwd, env: { PITH_HOME: home } });
    if (result.type === "held") return failure(SESSION_COLLISION_MESSAGE);
    if (result.type !== "opened") return failure(result.why);
    const { path, header } = result.store;
    await result.store.close();
    return { type: "opened", reason: "new", path, id: header.id, text: `New session: ${header.id.slice(0, 8)}` };
  },
};

export const resumeCommand: Command = {
  name: "resume",
  argumentHint: "[session]",
  description:
    "continue another session, given an id prefix, a name or a path; without an argument, list the sessions in this folder",
  examples: ["/resume", "/resume 0d4f"],
  async run(args, context) {
    if (args === "") return await listFolderSessions(context);
    const session = await addSessionId(await requireSessionFile(await findSession(args, context), context.home));
    if (session.type !== "found") return session;
    const { path, id } = session;
    if (context.sessionPath !== null && resolve(path) === resolve(context.sessionPath))
      return success("You are already in this session.", { path, id });
    const veto = await checkExtensionVeto(
      { type: "session_before_switch", reason: "resume", targetSessionFile: path },
      context,
    );
    if (veto) return veto;
    return {
      type: "opened",
      path,
      id,
      text: `Session: ${escapeLineBreaks(id.slice(0, 8))}`,
      resumeArgument: formatSessionArgument(session, context.home),
    };
  },
};

async function listFolderSessions({
  cwd,
  home,
  sessionPath,
}: Pick<CommandContext, "cwd" | "home" | "sessionPath">): Promise<CommandResult> {
  const sessions = await listSessions({ cwd, env: { PITH_HOME: home } });
  const shownSessions = sessions.filter(({ firstMessage }) => firstMessage !== "").slice(0, MAX_LISTED_SESSIONS);
  if (shownSessions.length === 0) return success("No sessions in this folder yet.", []);
  const lines = shownSessions.map((item) => formatSession(item, sessionPath));
  return success([...lines, "To continue one, type /resume and its id."].join("\n"), shownSessions);
}

function formatSession(
  { path, id, name, firstMessage, modified, damaged }: SessionItem,
  currentPath: string | null,
): string {
  const description = damaged ?? (name === undefined ? firstMessage : `${name}: ${firstMessage}`);
  const age = formatAge(Date.now() - modified).padStart(6);
  return `${id.slice(0, 8)}  ${age}  ${truncate(description, DESCRIPTION_WIDTH)}${path === currentPath ? "  ← here" : ""}`;
}

const MAX_LISTED_SESSIONS = 20;

const DESCRIPTION_WIDTH = 80;

export const nameCommand: Command = {
  name: "name",
  argumentHint: "[name|--none]",
  argumentValues: ["--none"],
  description: "show or set this session's name; --none removes it",
  examples: ["/name the login bug", "/name"],
  async run(args, { agent }) {
    const currentName = await agent.session.store.name();
    if (args === "")
      return success(currentName ?? "This session has no name. Set one with /name <name>.", {
        name: currentName ?? null,
      });
    const newName = args === "--none" ? "" : sanitizeLine(args);
    const result = await agent.appendToSession((session) => session.append({ type: "session_info", name: newName }));
    return toCommandResult(result, () =>
      success(newName === "" ? "Name removed." : `Name: ${newName}`, { name: newName || null }),
    );
  },
};

export const exportCommand: Command = {
  name: "export",
  argumentHint: "[file]",
  description:
    "export this session to a file you can share: .html (a web page), .md (Markdown) or .jsonl (for pi, another coding agent; with all branches)",
  examples: ["/export", "/export login-bug.md"],
  async run(args, { agent: { session }, sessionPath, cwd }) {
    if (sessionPath === null) return sessionNotSavedError("export");
    const { exportSession } = await import("../export/export-session.ts");
    const result = await exportSession(sessionPath, {
      ...(args !== "" && { to: expandTilde(args, homedir()) }),
      redaction: session,
      cwd,
    });
    if (result.type === "mistake") return result;
    return success(`Exported to ${result.path}${describeMissingBlobs(result.missing)}`, result);
  },
};

/** The size from which on a notice is shown, because counting takes a noticeable time. */
const SLOW_COUNT_BYTES = 64 * 1024 * 1024;

export const sessionCommand: Command = {
  name: "session",
  description: "show where this session is stored, what it contains, and what it has cost across all branches",
  async run(_, context) {
    const { agent, sessionPath, notify } = context;
    if (sessionPath !== null && (await stat(sessionPath)).size > SLOW_COUNT_BYTES) notify?.("counting all entries");
    const { store } = agent.session;
    const { id, cwd, parentSession = null } = store.header;
    const { provider, model } = agent.model;
    const { limit } = agent.budget;
    const { tokens, isEstimate } = agent.contextUsage();
    const report: SessionReport = {
      file: sessionPath,
      id,
      name: (await store.name()) ?? null,
      cwd,
      parentSession,
      branches: await countBranches(agent.session),
      totals: await countSessionTotals(agent.session, sessionPath),
      context: { tokens, isEstimate, limit: Number.isFinite(limit) ? limit : null },
      model: `${provider}/${model}`,
    };
    return success(formatSessionReport(report), report);
  },
};

export const diffCommand: Command = {
  name: "diff",
  description: "show the changes this session made to your files",
  examples: ["/diff"],
  run: async (_, context) => {
    // Loaded lazily, because the diff library would slow down the start.
    const { formatDiff, collectSessionChanges } = await import("./diff.ts");
    const files = await collectSessionChanges(context);
    return success(formatDiff(files), { files });
  },
};
