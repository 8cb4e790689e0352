/** Finds a session by the beginning of its id, its name, its path or `last`, opens it for reading, and formats references to it. */

import { stat } from "node:fs/promises";
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
import type { HostContext } from "@pith/host/host-context";
import { expandTilde, quoteIfNeeded } from "@pith/host/text/shell-words";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import type { SubcommandCall, SubcommandResult } from "../args/subcommand.ts";
import { isSubAgentSession } from "./sub-agent-ids.ts";

type FileStat = NonNullable<ReturnType<typeof realFiles.stat>>;

export type FindSessionResult = { readonly type: "found"; readonly path: string; readonly id: string } | UsageError;

export interface FindSessionOptions extends Pick<HostContext, "cwd" | "home"> {
  /** The folders to search. Default: all session folders of Pith. */
  readonly folders?: readonly string[] | undefined;
}

export async function findSession(reference: string, options: FindSessionOptions): Promise<FindSessionResult> {
  if (reference.trim() === "") return usageError("specify a session: an id prefix, a name, a path, or last");
  if (reference === "last") return await findLastSession(options);
  if (isAbsolute(reference) || reference.includes(sep) || reference.endsWith(".jsonl"))
    return await findSessionAtPath(reference, options);
  const idResult = await findSessionById(reference, toListOptions(options));
  // Input that looks like a long part of an id is not a name.
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
  // Skips sessions without a message and sessions of sub-agents.
  const last = sessions.find(({ firstMessage, id }) => firstMessage && !isSubAgentSession(id));
  if (last) return { type: "found", path: last.path, id: last.id };
  return usageError("no sessions in this folder yet; pith sessions list --all lists the sessions in all folders");
}

/** If there is no such file, the reference may still be a name, such as `feature/login`. */
async function findSessionAtPath(reference: string, options: FindSessionOptions): Promise<FindSessionResult> {
  const path = resolve(options.cwd, reference);
  const kind = statOrNull(path)?.kind;
  if (kind === "file" && path.endsWith(".jsonl")) return { type: "found", path, id: "" };
  if (kind === "file") return usageError(`${path} is not a session: session file names end in .jsonl`);
  if (kind !== undefined)
    return usageError(`${path} is ${kind === "folder" ? "a folder" : "not a regular file"}; specify a session file`);
  const [first, second] = await findSessionsByName(reference, options);
  if (first && !second) return { type: "found", path: first.path, id: first.id };
  return usageError(`${path} does not exist; pith sessions list --all lists all sessions`);
}

/** Null if the file does not exist or the path is invalid. */
function statOrNull(path: string): FileStat | null {
  try {
    return realFiles.stat(path);
  } catch (error) {
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** Exact matches have priority over names that only start with the reference. */
async function findSessionsByName(reference: string, options: FindSessionOptions): Promise<readonly SessionItem[]> {
  const lowerCaseName = reference.toLowerCase();
  const prefixMatches = (await listSessions(toListOptions(options))).filter(({ name }) =>
    name?.toLowerCase().startsWith(lowerCaseName),
  );
  const exactMatches = prefixMatches.filter(({ name }) => name?.toLowerCase() === lowerCaseName);
  return exactMatches.length > 0 ? exactMatches : prefixMatches;
}

function ambiguousError(
  reference: string,
  matches: readonly { readonly id: string; readonly path: string }[],
): UsageError {
  const listedIds = matches.slice(0, MAX_LISTED_IDS).map(({ id }) => id);
  const rest = matches.length > MAX_LISTED_IDS ? `, and ${matches.length - MAX_LISTED_IDS} more` : "";
  return usageError(
    `"${reference}" matches ${matches.length} sessions: ${listedIds.join(", ")}${rest}; type more of the id or name`,
  );
}

const MAX_LISTED_IDS = 5;

function notFoundError(reference: string, { folders }: FindSessionOptions): UsageError {
  const where = folders ? " in that folder" : "";
  return usageError(`no session "${reference}"${where}; pith sessions list --all lists all ids and names`);
}

function toListOptions({ home, folders }: FindSessionOptions): {
  readonly env: Readonly<Record<string, string>>;
  readonly folders?: readonly string[];
} {
  return { env: { PITH_HOME: home }, ...(folders && { folders }) };
}

export type SessionScope =
  | { readonly type: "all" }
  /** The sessions of a working directory. */
  | { readonly type: "cwd"; readonly cwd: string }
  /** Folders that contain session files. */
  | { readonly type: "folders"; readonly folders: readonly string[] };

export function parseSessionScope({ flags, cwd }: Pick<SubcommandCall, "flags" | "cwd">): SessionScope {
  if (typeof flags.folder === "string") return resolveFolderScope(resolve(cwd, expandTilde(flags.folder, homedir())));
  return flags.all === true ? { type: "all" } : { type: "cwd", cwd };
}

/** The session folders that `--folder` names. Undefined without the flag, or if the folder contains no sessions. */
function parseSessionFolders(call: Pick<SubcommandCall, "flags" | "cwd">): readonly string[] | undefined {
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

/** The file names of pi and Pith. A project may contain other `.jsonl` files. */
const SESSION_FILE_PATTERN = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_.+\.jsonl$/s;

/** Rejects a file outside the sessions folder without a session header. It belongs to the user and must not be changed. */
export async function requireSessionFile(session: FindSessionResult, home: string): Promise<FindSessionResult> {
  // A file in the sessions folder is a session, even if it is damaged.
  if (session.type === "mistake" || session.path.startsWith(`${sessionsFolder({ PITH_HOME: home })}${sep}`))
    return session;
  const openResult = await openStore(session.path, { mode: "follower" });
  // The caller reports why the file cannot be opened.
  if (openResult.type !== "opened") return session;
  const { damage } = openResult.store;
  await openResult.store.close();
  const hasNoHeader = damage.some(({ kind }) => kind === "no-header");
  return hasNoHeader ? usageError(`${session.path} is not a session, so it is not changed`) : session;
}

/**
 * Returns the beginning of the id, or the path if the session cannot be found by its id. The user copies it into a shell, so it is always
 * a single shell word, even if a session file contains a malicious id.
 */
export function formatSessionArgument(
  { id, path }: { readonly id: string; readonly path: string },
  home: string,
): string {
  const isInSessionsFolder = path.startsWith(`${sessionsFolder({ PITH_HOME: home })}${sep}`);
  return isInSessionsFolder && isPlainId(id) ? id.slice(0, SHORT_ID_CHARS) : quoteIfNeeded(path);
}

/** Whether the id needs no quoting in a shell or a file name. */
export function isPlainId(id: string): boolean {
  return sessionIdToFileName(id) === id;
}

const SHORT_ID_CHARS = 8;

export type FailedOutcome = Extract<SubcommandResult, { type: "failed" }>;

export async function findAndReadSession<Result>(
  reference: string,
  call: SubcommandCall,
  read: (store: JsonlStore) => Promise<Result>,
): Promise<Result | UsageError | FailedOutcome> {
  const session = await findSessionForCall(reference, call);
  return session.type === "mistake" ? session : await readSession(session.path, read);
}

/** Finds a session from the working directory and the flags of a subcommand call. */
export function findSessionForCall(reference: string, call: SubcommandCall): Promise<FindSessionResult> {
  const { cwd, home } = call;
  return findSession(reference, { cwd, home, folders: parseSessionFolders(call) });
}

/** Like `findSessionForCall`, for subcommands that change, move or delete the session. */
export async function findWritableSession(reference: string, call: SubcommandCall): Promise<FindSessionResult> {
  return await requireSessionFile(await findSessionForCall(reference, call), call.home);
}

/** Reads the id from the file if the session was found by its path. */
export async function addSessionId(session: FindSessionResult): Promise<FindSessionResult | FailedOutcome> {
  if (session.type === "mistake" || session.id !== "") return session;
  return await readSession(
    session.path,
    async ({ header }): Promise<FindSessionResult> => ({ ...session, id: header.id }),
  );
}

export async function readSession<Result>(
  path: string,
  read: (store: JsonlStore) => Promise<Result>,
): Promise<Result | FailedOutcome> {
  const result = await openStore(path, { mode: "follower" });
  if (result.type !== "opened") return { type: "failed", message: describeOpenFailure(result) };
  try {
    return await read(result.store);
  } finally {
    await result.store.close();
  }
}

/** Explains to the user why a session cannot be opened. */
export function describeOpenFailure(
  outcome:
    | { readonly type: "held"; readonly owner: { readonly pid: number } }
    | { readonly type: string; readonly why: string },
): string {
  if ("why" in outcome) return outcome.why;
  return `process ${outcome.owner.pid} is using this session; end it and try again`;
}

/** Whether the folder of a session still exists and is accessible. */
export async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
