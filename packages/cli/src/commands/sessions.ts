/** Implements `/new`, `/resume`, `/name`, `/export` and `/session`. */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { sanitizeLine } from "@pith/context/host";
import { createSession, listSessions, type SessionItem } from "@pith/context/node";
import { lostTold } from "../sessions/entries.ts";
import { atHome, namedSession, sessionToWrite, withId, wordFor } from "../sessions/find-session.ts";
import { type SessionReport, sessionSums, sessionText } from "../sessions/session-stats.ts";
import { branchesOf } from "../sessions/tree-lines.ts";
import { ageTold } from "../text/format.ts";
import { clipped, oneLine } from "../text/safe-text.ts";
import { type Answer, type Command, type Desk, failed, keptBack, nothingKept, told, written } from "./command.ts";

export const begin: Command = {
  name: "new",
  aliases: ["clear"],
  says: "an empty session; this one is kept",
  async run(_, { cwd, home, sessionPath, extensions }) {
    if (sessionPath === null) return nothingKept("new");
    const kept = await keptBack({ type: "session_before_switch", reason: "new" }, { extensions: extensions ?? null });
    if (kept) return kept;
    const made = await createSession({ cwd, env: { PITH_HOME: home } });
    if (made.type === "held") return failed("another process has just made the same session; try again");
    if (made.type !== "opened") return failed(made.why);
    const { path, header } = made.store;
    await made.store.close();
    return { type: "opened", reason: "new", path, id: header.id, text: `a new session: ${header.id.slice(0, 8)}` };
  },
};

export const resume: Command = {
  name: "resume",
  takes: "[session]",
  says: "go on with another session, by the beginning of its id, its name or its path; alone: those of this folder",
  examples: ["/resume", "/resume 0d4f"],
  async run(words, desk) {
    if (words === "") return await sessionsTold(desk);
    const found = await withId(await sessionToWrite(await namedSession(words, desk), desk.home));
    if (found.type !== "found") return found;
    const { path, id } = found;
    if (desk.sessionPath !== null && resolve(path) === resolve(desk.sessionPath))
      return told("you are in this session already", { path, id });
    const kept = await keptBack({ type: "session_before_switch", reason: "resume", targetSessionFile: path }, desk);
    if (kept) return kept;
    return { type: "opened", path, id, text: `session ${oneLine(id.slice(0, 8))}`, word: wordFor(found, desk.home) };
  },
};

async function sessionsTold({ cwd, home, sessionPath }: Desk): Promise<Answer> {
  const all = await listSessions({ cwd, env: { PITH_HOME: home } });
  const shown = all.filter(({ firstMessage }) => firstMessage !== "").slice(0, MOST);
  if (shown.length === 0) return told("no other session of this folder yet", []);
  const lines = shown.map((item) => lineOf(item, sessionPath));
  return told([...lines, "Which? /resume and the beginning of its id"].join("\n"), shown);
}

function lineOf({ path, id, name, firstMessage, modified, damaged }: SessionItem, here: string | null): string {
  const about = damaged ?? (name === undefined ? firstMessage : `${name}: ${firstMessage}`);
  const age = ageTold(Date.now() - modified).padStart(6);
  return `${id.slice(0, 8)}  ${age}  ${clipped(about, WIDTH)}${path === here ? "  ← here" : ""}`;
}

const MOST = 20;
const WIDTH = 80;

export const name: Command = {
  name: "name",
  takes: "[words|--none]",
  says: "what this session is called in lists; --none takes its name away",
  examples: ["/name the login bug", "/name"],
  async run(words, { agent }) {
    const known = await agent.session.store.name();
    if (words === "")
      return told(known ?? "this session has no name yet; /name and some words give it one", { name: known ?? null });
    const wanted = words === "--none" ? "" : sanitizeLine(words);
    const appended = await agent.appendToSession((session) => session.append({ type: "session_info", name: wanted }));
    return written(appended, () =>
      told(wanted === "" ? "the name is gone" : `called: ${wanted}`, { name: wanted || null }),
    );
  },
};

export const exporting: Command = {
  name: "export",
  takes: "[file]",
  says: "this session as a file for others: .html (a page), .md (a text) or .jsonl (for pi, with all branches)",
  examples: ["/export", "/export login-bug.md"],
  async run(words, { agent: { session }, sessionPath, cwd }) {
    if (sessionPath === null) return nothingKept("export");
    const { exportSession } = await import("../export/export-session.ts");
    const exported = await exportSession(sessionPath, {
      ...(words !== "" && { to: atHome(words) }),
      redaction: session,
      cwd,
    });
    if (exported.type === "mistake") return exported;
    return told(`written: ${exported.path}${lostTold(exported.missing)}`, exported);
  },
};

/** Bytes; what is shorter is read in a moment. */
const LONG = 64 * 1024 * 1024;

export const session: Command = {
  name: "session",
  says: "where this session lies, what it holds, and what it has cost over all its branches",
  async run(_, desk) {
    const { agent, sessionPath, note } = desk;
    if (sessionPath !== null && (await stat(sessionPath)).size > LONG) note?.("counting all entries");
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
      branches: await branchesOf(agent.session),
      totals: await sessionSums(agent.session, sessionPath),
      context: { tokens, isEstimate, limit: Number.isFinite(limit) ? limit : null },
      model: `${provider}/${model}`,
    };
    return told(sessionText(report), report);
  },
};
