/** Finds a session by the beginning of its id, its name, its path or `last`, and opens it for reading. */

import { homedir } from "node:os";
import { isAbsolute, join, resolve, sep } from "node:path";
import {
  findSession as findSessionById,
  type JsonlStore,
  listSessions,
  openStore,
  realFiles,
  type SessionItem,
  sessionIdToFileName,
  sessionsFolder,
} from "@pith/context/node";
import type { SubcommandCall, SubcommandResult } from "../args/subcommand.ts";
import { type UsageError, usageError } from "../text/usage-error.ts";
import { isSubAgentSession } from "./sub-agent-ids.ts";

type FileStat = NonNullable<ReturnType<typeof realFiles.stat>>;

export type FindSessionResult = { readonly type: "found"; readonly path: string; readonly id: string } | UsageError;

export interface FindSessionOptions {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  /** Where to look instead of all that Pith keeps. */
  readonly folders?: readonly string[] | undefined;
}

export async function findSession(reference: string, options: FindSessionOptions): Promise<FindSessionResult> {
  if (reference.trim() === "")
    return usageError("say which session: the beginning of its id, its name, its path, or last");
  if (reference === "last") return await findLastSession(options);
  if (isAbsolute(reference) || reference.includes(sep) || reference.endsWith(".jsonl"))
    return await findSessionAtPath(reference, options);
  const idResult = await findSessionById(reference, toListOptions(options));
  // Whoever copied so much of an id means no name.
  if (idResult.type === "found" && (idResult.id === reference || ID_PATTERN.test(reference))) return idResult;
  const nameMatches = await findSessionsByName(reference, options);
  const idMatches = idResult.type === "several" ? idResult.candidates : idResult.type === "found" ? [idResult] : [];
  const candidates = new Map([...idMatches, ...nameMatches].map((session) => [session.path, session]));
  const [first] = candidates.values();
  if (first && candidates.size === 1) return { type: "found", path: first.path, id: first.id };
  return first ? ambiguousError(reference, [...candidates.values()]) : notFoundError(reference, options);
}

const ID_PATTERN = /^[0-9a-f]{6,}[0-9a-f-]*$/;

async function findLastSession(options: FindSessionOptions): Promise<FindSessionResult> {
  const { cwd } = options;
  const sessions = await listSessions({ ...(options.folders ? {} : { cwd }), ...toListOptions(options) });
  // One that was stopped before a word was said is nobody's last, nor is one that a sub-agent worked in.
  const last = sessions.find(({ firstMessage, id }) => firstMessage && !isSubAgentSession(id));
  if (last) return { type: "found", path: last.path, id: last.id };
  return usageError("there is no session of this folder yet; pith sessions list --all shows those of all folders");
}

/** What is no file may still be a name, such as `feature/login`. */
async function findSessionAtPath(reference: string, options: FindSessionOptions): Promise<FindSessionResult> {
  const path = resolve(options.cwd, reference);
  const kind = statOrNull(path)?.kind;
  if (kind === "file" && path.endsWith(".jsonl")) return { type: "found", path, id: "" };
  if (kind === "file") return usageError(`${path} is no session: the names of their files end in .jsonl`);
  if (kind !== undefined)
    return usageError(`${path} is ${kind === "folder" ? "a folder" : "no plain file"}; name a session's file`);
  const [first, second] = await findSessionsByName(reference, options);
  if (first && !second) return { type: "found", path: first.path, id: first.id };
  return usageError(`there is no file ${path}; pith sessions list --all shows all sessions`);
}

/** What no disk takes for a path is nothing that is there. */
function statOrNull(path: string): FileStat | null {
  try {
    return realFiles.stat(path);
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** Whole names go before those that only begin so. */
async function findSessionsByName(reference: string, options: FindSessionOptions): Promise<readonly SessionItem[]> {
  const wanted = reference.toLowerCase();
  const prefixMatches = (await listSessions(toListOptions(options))).filter(({ name }) =>
    name?.toLowerCase().startsWith(wanted),
  );
  const exactMatches = prefixMatches.filter(({ name }) => name?.toLowerCase() === wanted);
  return exactMatches.length > 0 ? exactMatches : prefixMatches;
}

function ambiguousError(
  reference: string,
  matches: readonly { readonly id: string; readonly path: string }[],
): UsageError {
  const listedIds = matches.slice(0, MAX_LISTED_IDS).map(({ id }) => id);
  const rest = matches.length > MAX_LISTED_IDS ? `, and ${matches.length - MAX_LISTED_IDS} more` : "";
  return usageError(
    `"${reference}" is the beginning of ${matches.length} sessions: ${listedIds.join(", ")}${rest}; write more of it`,
  );
}

const MAX_LISTED_IDS = 5;

function notFoundError(reference: string, { folders }: FindSessionOptions): UsageError {
  const where = folders ? " there" : "";
  return usageError(
    `there is no session "${reference}"${where}; pith sessions list --all shows them all, by id and name`,
  );
}

function toListOptions({ home, folders }: FindSessionOptions): {
  readonly env: Readonly<Record<string, string>>;
  readonly folders?: readonly string[];
} {
  return { env: { PITH_HOME: home }, ...(folders && { folders }) };
}

export type SessionScope =
  | { readonly type: "all" }
  /** The folder one works in. */
  | { readonly type: "cwd"; readonly cwd: string }
  /** Folders that hold sessions. */
  | { readonly type: "folders"; readonly folders: readonly string[] };

export function parseSessionScope({ flags, cwd }: Pick<SubcommandCall, "flags" | "cwd">): SessionScope {
  if (typeof flags.folder === "string") return resolveFolderScope(resolve(cwd, expandTilde(flags.folder)));
  return flags.all === true ? { type: "all" } : { type: "cwd", cwd };
}

/** The folders to look into, where `--folder` names some that hold sessions; else nothing. */
export function parseSessionFolders(call: Pick<SubcommandCall, "flags" | "cwd">): readonly string[] | undefined {
  const scope = typeof call.flags.folder === "string" ? parseSessionScope(call) : null;
  return scope?.type === "folders" ? scope.folders : undefined;
}

function resolveFolderScope(folder: string): SessionScope {
  if (hasSessions(folder)) return { type: "folders", folders: [folder] };
  const children = realFiles.list(folder).map((name) => join(folder, name));
  const sessionFolders = children.filter((child) => realFiles.stat(child)?.kind === "folder" && hasSessions(child));
  return sessionFolders.length > 0 ? { type: "folders", folders: sessionFolders } : { type: "cwd", cwd: folder };
}

function hasSessions(folder: string): boolean {
  return realFiles.list(folder).some((name) => SESSION_FILE_PATTERN.test(name));
}

/** As pi and Pith name them; a project may hold other files that end so. */
const SESSION_FILE_PATTERN = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_.+\.jsonl$/s;

/** A tilde that no shell has seen, or left where it stands behind an equals sign. */
export function expandTilde(path: string): string {
  return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}

/** What lies elsewhere and does not begin as a session is the user's own file, and is never changed. */
export async function requireSessionFile(found: FindSessionResult, home: string): Promise<FindSessionResult> {
  // What lies among the sessions is one, however damaged it is.
  if (found.type === "mistake" || found.path.startsWith(`${sessionsFolder({ PITH_HOME: home })}${sep}`)) return found;
  const opened = await openStore(found.path, { mode: "follower" });
  // Why it cannot be opened is said by whoever works on it.
  if (opened.type !== "opened") return found;
  const { damage } = opened.store;
  await opened.store.close();
  const hasNoHeader = damage.some(({ kind }) => kind === "no-header");
  return hasNoHeader ? usageError(`${found.path} is no session, so it stays as it is`) : found;
}

/**
 * The beginning of its id; its path, where no id leads to it or the id is not one of ours.
 * It is copied into a shell, so it is always a single word there, whatever a file contains.
 */
export function formatSessionArgument(
  { id, path }: { readonly id: string; readonly path: string },
  home: string,
): string {
  const isInSessionsFolder = path.startsWith(`${sessionsFolder({ PITH_HOME: home })}${sep}`);
  return isInSessionsFolder && isPlainId(id) ? id.slice(0, SHORT_ID_CHARS) : quoteForShell(path);
}

/** Whether it can be typed as it is. */
export function isPlainId(id: string): boolean {
  return sessionIdToFileName(id) === id;
}

const SHORT_ID_CHARS = 8;

/** One word for a shell, whatever it is. */
export function quoteForShell(text: string): string {
  return /^[\w./@%+,:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export type FailedOutcome = Extract<SubcommandResult, { type: "failed" }>;

export async function findAndReadSession<Look>(
  reference: string,
  call: SubcommandCall,
  read: (store: JsonlStore) => Promise<Look>,
): Promise<Look | UsageError | FailedOutcome> {
  const found = await findSessionForCall(reference, call);
  return found.type === "mistake" ? found : await readSession(found.path, read);
}

/** The session that these words mean, seen from where the call was made. */
export function findSessionForCall(reference: string, call: SubcommandCall): Promise<FindSessionResult> {
  const { cwd, home } = call;
  return findSession(reference, { cwd, home, folders: parseSessionFolders(call) });
}

/** The same for whoever writes it, moves it or throws it away. */
export async function findWritableSession(reference: string, call: SubcommandCall): Promise<FindSessionResult> {
  return await requireSessionFile(await findSessionForCall(reference, call), call.home);
}

/** The same with its id, of which a path says nothing. */
export async function addSessionId(found: FindSessionResult): Promise<FindSessionResult | FailedOutcome> {
  if (found.type === "mistake" || found.id !== "") return found;
  return await readSession(found.path, async ({ header }): Promise<FindSessionResult> => ({ ...found, id: header.id }));
}

export async function readSession<Look>(
  path: string,
  read: (store: JsonlStore) => Promise<Look>,
): Promise<Look | FailedOutcome> {
  const opened = await openStore(path, { mode: "follower" });
  if (opened.type !== "opened") return { type: "failed", message: describeOpenFailure(opened) };
  try {
    return await read(opened.store);
  } finally {
    await opened.store.close();
  }
}

/** Why a session cannot be had, for people. */
export function describeOpenFailure(
  outcome:
    | { readonly type: "held"; readonly owner: { readonly pid: number } }
    | { readonly type: string; readonly why: string },
): string {
  if ("why" in outcome) return outcome.why;
  return `process ${outcome.owner.pid} writes this session; end it first`;
}
