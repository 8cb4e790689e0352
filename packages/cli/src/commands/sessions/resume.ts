/** `/resume`: the sessions of this folder, or one of them to go on with. */

import { resolve } from "node:path";
import { listSessions, type SessionItem } from "@pith/context/node";
import { ageTold } from "../../printing/amounts.ts";
import { clipped } from "../../printing/clipped.ts";
import { oneLine } from "../../printing/one-line.ts";
import { namedSession } from "../../subcommands/sessions/finding/named-session.ts";
import { withId } from "../../subcommands/sessions/finding/reading.ts";
import { sessionToWrite } from "../../subcommands/sessions/finding/session-to-write.ts";
import { wordFor } from "../../subcommands/sessions/finding/word-for.ts";
import { told } from "../answers.ts";
import type { Answer, Command, Desk } from "../command.ts";
import { keptBack } from "./may-leave.ts";

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
