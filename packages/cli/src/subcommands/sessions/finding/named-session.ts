/** The session that somebody means: by the beginning of its id, its name, its path, or as the last one. */

import { isAbsolute, resolve, sep } from "node:path";
import { type FileStat, findSession, listSessions, realFiles, type SessionItem } from "@pith/context/node";
import { type Mistake, mistake } from "../../../asking/mistake.ts";
import { isOfSubAgent } from "../../../sub-agents/keeping/sub-agent-id.ts";

export type NamedSession = { readonly type: "found"; readonly path: string; readonly id: string } | Mistake;

export interface Looking {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  /** Where to look instead of all that Pith keeps. */
  readonly folders?: readonly string[] | undefined;
}

export async function namedSession(word: string, looking: Looking): Promise<NamedSession> {
  if (word.trim() === "") return mistake("say which session: the beginning of its id, its name, its path, or last");
  if (word === "last") return await lastSession(looking);
  if (isAbsolute(word) || word.includes(sep) || word.endsWith(".jsonl")) return await atPath(word, looking);
  const found = await findSession(word, parts(looking));
  // Whoever copied so much of an id means no name.
  if (found.type === "found" && (found.id === word || LIKE_AN_ID.test(word))) return found;
  const named = await byName(word, looking);
  const ids = found.type === "several" ? found.candidates : found.type === "found" ? [found] : [];
  const all = new Map([...ids, ...named].map((each) => [each.path, each]));
  const [only] = all.values();
  if (only && all.size === 1) return { type: "found", path: only.path, id: only.id };
  return only ? several(word, [...all.values()]) : none(word, looking);
}

const LIKE_AN_ID = /^[0-9a-f]{6,}[0-9a-f-]*$/;

async function lastSession(looking: Looking): Promise<NamedSession> {
  const { cwd } = looking;
  const listed = await listSessions({ ...(looking.folders ? {} : { cwd }), ...parts(looking) });
  // One that was stopped before a word was said is nobody's last, nor is one that a sub-agent worked in.
  const last = listed.find(({ firstMessage, id }) => firstMessage && !isOfSubAgent(id));
  if (last) return { type: "found", path: last.path, id: last.id };
  return mistake("there is no session of this folder yet; pith sessions list --all shows those of all folders");
}

/** What is no file may still be a name, such as `feature/login`. */
async function atPath(word: string, looking: Looking): Promise<NamedSession> {
  const path = resolve(looking.cwd, word);
  const kind = statOf(path)?.kind;
  if (kind === "file" && path.endsWith(".jsonl")) return { type: "found", path, id: "" };
  if (kind === "file") return mistake(`${path} is no session: the names of their files end in .jsonl`);
  if (kind !== undefined)
    return mistake(`${path} is ${kind === "folder" ? "a folder" : "no plain file"}; name a session's file`);
  const [first, second] = await byName(word, looking);
  if (first && !second) return { type: "found", path: first.path, id: first.id };
  return mistake(`there is no file ${path}; pith sessions list --all shows all sessions`);
}

/** What no disk takes for a path is nothing that is there. */
function statOf(path: string): FileStat | null {
  try {
    return realFiles.stat(path);
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** Whole names go before those that only begin so. */
async function byName(word: string, looking: Looking): Promise<readonly SessionItem[]> {
  const wanted = word.toLowerCase();
  const named = (await listSessions(parts(looking))).filter(({ name }) => name?.toLowerCase().startsWith(wanted));
  const exact = named.filter(({ name }) => name?.toLowerCase() === wanted);
  return exact.length > 0 ? exact : named;
}

function several(word: string, all: readonly { readonly id: string; readonly path: string }[]): Mistake {
  const shown = all.slice(0, MOST).map(({ id }) => id);
  const rest = all.length > MOST ? `, and ${all.length - MOST} more` : "";
  return mistake(`"${word}" is the beginning of ${all.length} sessions: ${shown.join(", ")}${rest}; write more of it`);
}

const MOST = 5;

function none(word: string, { folders }: Looking): Mistake {
  const place = folders ? " there" : "";
  return mistake(`there is no session "${word}"${place}; pith sessions list --all shows them all, by id and name`);
}

function parts({ home, folders }: Looking): {
  readonly env: Readonly<Record<string, string>>;
  readonly folders?: readonly string[];
} {
  return { env: { PITH_HOME: home }, ...(folders && { folders }) };
}
