/** Finds a session by the beginning of its id, its name, its path or `last`, and opens it for reading. */

import { homedir } from "node:os";
import { isAbsolute, join, resolve, sep } from "node:path";
import {
  findSession,
  type JsonlStore,
  listSessions,
  openStore,
  realFiles,
  type SessionItem,
  sessionIdToFileName,
  sessionsFolder,
} from "@pith/context/node";
import type { Call, Outcome } from "../args/subcommand.ts";
import { type Mistake, mistake } from "../text/usage-error.ts";
import { isOfSubAgent } from "./sub-agent-ids.ts";

type FileStat = NonNullable<ReturnType<typeof realFiles.stat>>;

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

export type Place =
  | { readonly type: "all" }
  /** The folder one works in. */
  | { readonly type: "cwd"; readonly cwd: string }
  /** Folders that hold sessions. */
  | { readonly type: "folders"; readonly folders: readonly string[] };

export function placeIn({ flags, cwd }: Pick<Call, "flags" | "cwd">): Place {
  if (typeof flags.folder === "string") return placeOf(resolve(cwd, atHome(flags.folder)));
  return flags.all === true ? { type: "all" } : { type: "cwd", cwd };
}

/** The folders to look into, where `--folder` names some that hold sessions; else nothing. */
export function foldersIn(call: Pick<Call, "flags" | "cwd">): readonly string[] | undefined {
  const place = typeof call.flags.folder === "string" ? placeIn(call) : null;
  return place?.type === "folders" ? place.folders : undefined;
}

function placeOf(folder: string): Place {
  if (holdsSessions(folder)) return { type: "folders", folders: [folder] };
  const inside = realFiles.list(folder).map((name) => join(folder, name));
  const holding = inside.filter((each) => realFiles.stat(each)?.kind === "folder" && holdsSessions(each));
  return holding.length > 0 ? { type: "folders", folders: holding } : { type: "cwd", cwd: folder };
}

function holdsSessions(folder: string): boolean {
  return realFiles.list(folder).some((name) => SESSION.test(name));
}

/** As pi and Pith name them; a project may hold other files that end so. */
const SESSION = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_.+\.jsonl$/s;

/** A tilde that no shell has seen, or left where it stands behind an equals sign. */
export function atHome(folder: string): string {
  return folder === "~" || folder.startsWith("~/") ? join(homedir(), folder.slice(2)) : folder;
}

/** What lies elsewhere and does not begin as a session is the user's own file, and is never changed. */
export async function sessionToWrite(found: NamedSession, home: string): Promise<NamedSession> {
  // What lies among the sessions is one, however damaged it is.
  if (found.type === "mistake" || found.path.startsWith(`${sessionsFolder({ PITH_HOME: home })}${sep}`)) return found;
  const opened = await openStore(found.path, { mode: "follower" });
  // Why it cannot be opened is said by whoever works on it.
  if (opened.type !== "opened") return found;
  const { damage } = opened.store;
  await opened.store.close();
  const isStrange = damage.some(({ kind }) => kind === "no-header");
  return isStrange ? mistake(`${found.path} is no session, so it stays as it is`) : found;
}

/**
 * The beginning of its id; its path, where no id leads to it or the id is not one of ours.
 * It is copied into a shell, so it is always a single word there, whatever a file contains.
 */
export function wordFor({ id, path }: { readonly id: string; readonly path: string }, home: string): string {
  const isKept = path.startsWith(`${sessionsFolder({ PITH_HOME: home })}${sep}`);
  return isKept && isPlainId(id) ? id.slice(0, LETTERS) : quoted(path);
}

/** Whether it can be typed as it is. */
export function isPlainId(id: string): boolean {
  return sessionIdToFileName(id) === id;
}

const LETTERS = 8;

/** One word for a shell, whatever it is. */
export function quoted(text: string): string {
  return /^[\w./@%+,:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export type Failed = Extract<Outcome, { type: "failed" }>;

export async function withRead<Look>(
  word: string,
  call: Call,
  look: (store: JsonlStore) => Promise<Look>,
): Promise<Look | Mistake | Failed> {
  const found = await meant(word, call);
  return found.type === "mistake" ? found : await looked(found.path, look);
}

/** The session that these words mean, seen from where the call was made. */
export function meant(word: string, call: Call): Promise<NamedSession> {
  const { cwd, home } = call;
  return namedSession(word, { cwd, home, folders: foldersIn(call) });
}

/** The same for whoever writes it, moves it or throws it away. */
export async function meantToWrite(word: string, call: Call): Promise<NamedSession> {
  return await sessionToWrite(await meant(word, call), call.home);
}

/** The same with its id, of which a path says nothing. */
export async function withId(found: NamedSession): Promise<NamedSession | Failed> {
  if (found.type === "mistake" || found.id !== "") return found;
  return await looked(found.path, async ({ header }): Promise<NamedSession> => ({ ...found, id: header.id }));
}

export async function looked<Look>(path: string, look: (store: JsonlStore) => Promise<Look>): Promise<Look | Failed> {
  const opened = await openStore(path, { mode: "follower" });
  if (opened.type !== "opened") return { type: "failed", message: whyNot(opened) };
  try {
    return await look(opened.store);
  } finally {
    await opened.store.close();
  }
}

/** Why a session cannot be had, for people. */
export function whyNot(
  outcome:
    | { readonly type: "held"; readonly owner: { readonly pid: number } }
    | { readonly type: string; readonly why: string },
): string {
  if ("why" in outcome) return outcome.why;
  return `process ${outcome.owner.pid} writes this session; end it first`;
}
