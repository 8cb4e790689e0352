/** Names session folders, files and ids below `$PITH_HOME`, which never depends on the working directory. */

import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Header } from "../../entry.ts";
import type { Runtime } from "../../runtime.ts";
import { noRedaction, type Redaction } from "../../session/session.ts";
import { formatLimits } from "../../settings.ts";
import {
  diskErrorCode,
  type Files,
  folderNotePath,
  ignoreDiskErrors,
  readFolderCwd,
  realFiles,
  sessionFileName,
  sessionIdFromFileName,
  type UnavailableResult,
} from "../files.ts";
import type { StoreOptions } from "../jsonl/jsonl-store.ts";
import { createFileAtomically, makeDurableFolder } from "../jsonl/rewrite.ts";
import { realProcessTable } from "../lease.ts";
import { nodeRuntime } from "../runtime.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Options for every session operation; the defaults are the real disk, clock and processes. */
export interface SessionFileOptions extends Partial<Omit<StoreOptions, "runtime">> {
  readonly runtime?: Runtime;
  /** The environment that may set `PITH_HOME`; default: `process.env`. */
  readonly env?: Environment;
  /** Applied to everything that is written; default: no redaction. */
  readonly redaction?: Redaction;
}

/** Pith's home folder: `$PITH_HOME`, or `~/.pith`. */
export function pithHome(env: Environment = process.env): string {
  // A relative path is resolved from the user's home; otherwise it would differ per working directory.
  return resolve(homedir(), env.PITH_HOME || ".pith");
}

/** The folder that contains a folder of sessions per working directory. */
export function sessionsFolder(env?: Environment): string {
  return join(pithHome(env), "sessions");
}

/** The folder of deleted sessions. */
export function trashFolder(env?: Environment): string {
  return join(pithHome(env), "trash");
}

export function applyDefaults({
  files = realFiles,
  runtime = nodeRuntime,
  processes = realProcessTable,
  limits = formatLimits,
  durability = "durable",
  env = process.env,
  redaction = noRedaction,
}: SessionFileOptions): Required<SessionFileOptions> {
  return { files, runtime, processes, limits, durability, env, redaction };
}

/**
 * Returns the name of the session folder of a working directory: readable, and unique per directory.
 * `/home/me/my project` → `home-me-my-project-0b25e4e5a9`. A long path is cut at its start.
 */
export function sessionFolderName(cwd: string): string {
  const path = resolve(cwd);
  const hash = createHash("sha256").update(path).digest("hex").slice(0, FOLDER_HASH_CHARS);
  const readableName = truncateFolderName(path.toWellFormed().replace(/[^\p{L}\p{N}._]+/gu, "-"));
  return [readableName.replace(/^[-.]+|[-.]+$/g, ""), hash].filter((part) => part !== "").join("-");
}

// Most file systems allow 255 bytes for a name, and a character may need four.
function truncateFolderName(safeName: string): string {
  const chars = [...safeName].slice(-MAX_FOLDER_NAME_CHARS);
  while (Buffer.byteLength(chars.join("")) > MAX_FOLDER_NAME_BYTES) chars.shift();
  return chars.join("");
}

const FOLDER_HASH_CHARS = 10;
const MAX_FOLDER_NAME_CHARS = 80;
const MAX_FOLDER_NAME_BYTES = 200;

/** Checks that an id is a valid file name on every system and does not look like a flag. Returns a message for the user, or null. */
export function sessionIdProblem(id: string): string | null {
  if (id === "") return "a session id needs at least one character; leave it out to get a random id";
  if (id.length > MAX_SESSION_ID_CHARS)
    return `a session id has at most ${MAX_SESSION_ID_CHARS} characters; this one has ${id.length}`;
  if (!/^[A-Za-z0-9._-]+$/.test(id))
    return "a session id may contain only the letters A-Z and a-z, digits, dots, dashes and underscores";
  if (!/^[A-Za-z0-9]/.test(id)) return "a session id must start with a letter or a digit";
  if (id.includes("..")) return "a session id must not contain two dots in a row";
  if (id.endsWith(".")) return "a session id must not end with a dot";
  if (WINDOWS_DEVICE_PATTERN.test(id)) return `"${id}" is a device name on Windows; choose another id`;
  return null;
}

/** Makes a session id safe as a part of a path. A header from elsewhere may contain any id, so an invalid one is replaced by its hash. */
export function sessionIdToFileName(id: string): string {
  return sessionIdProblem(id) === null
    ? id
    : `id-${createHash("sha256").update(id, "utf16le").digest("hex").slice(0, 32)}`;
}

const MAX_SESSION_ID_CHARS = 64;
/** Windows reserves these names with any extension. */
const WINDOWS_DEVICE_PATTERN = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

export interface FolderOptions {
  readonly files: Files;
  readonly env: Environment;
}

/** The path of the session folder of a working directory. */
export function projectSessionsFolder(cwd: string, { env }: Pick<FolderOptions, "env">): string {
  return join(sessionsFolder(env), sessionFolderName(cwd));
}

/** Creates that folder, with the note that names the working directory. */
export function createProjectSessionsFolder(cwd: string, { files, env }: FolderOptions): string {
  const folder = projectSessionsFolder(cwd, { env });
  makeDurableFolder(folder, files);
  writeFolderCwd(folder, resolve(cwd), files);
  return folder;
}

/** Writes the note that names the working directory of a session folder; an existing note stays. */
export function writeFolderCwd(folder: string, cwd: string, files: Files): void {
  if (files.stat(folderNotePath(folder))) return;
  try {
    createFileAtomically(folderNotePath(folder), Buffer.from(`${JSON.stringify({ cwd })}\n`), files);
  } catch (error) {
    // Another process wrote the same note first.
    if (diskErrorCode(error) !== "EEXIST") throw error;
  }
}

/** Lists all session folders; links are not followed. */
export function listSessionFolders({ files, env }: FolderOptions): readonly string[] {
  const root = sessionsFolder(env);
  const names = ignoreDiskErrors(() => files.list(root)) ?? [];
  return names
    .map((name) => join(root, name))
    .filter((folder) => ignoreDiskErrors(() => files.stat(folder))?.kind === "folder");
}

export interface SessionMatch {
  readonly path: string;
  readonly id: string;
}

/** Finds session files by the id in their names, without opening them; in the given folders, or in all. */
export function findSessionFiles(
  matchesId: (id: string) => boolean,
  { folders, ...options }: FolderOptions & { readonly folders?: readonly string[] | undefined },
): readonly SessionMatch[] {
  return (folders ?? listSessionFolders(options)).flatMap((folder) =>
    // An unreadable folder must not hide the sessions of the others.
    (ignoreDiskErrors(() => options.files.list(folder)) ?? []).flatMap((name) => {
      const id = sessionIdFromFileName(name);
      return id !== null && matchesId(id) ? [{ path: join(folder, name), id }] : [];
    }),
  );
}

export interface NewSessionFile {
  readonly type: "free";
  readonly path: string;
  /** A runtime whose `now` and `sessionId` always return the time and id of the new session. */
  readonly runtime: Runtime;
}

/** Chooses the path of a new session and creates its folder; an id that is invalid or in use gives `unavailable`. */
export function prepareSessionFile(
  cwd: string,
  { id, ...config }: Required<SessionFileOptions> & { readonly id?: string | undefined },
): NewSessionFile | UnavailableResult {
  const problem = id === undefined ? null : (sessionIdProblem(id) ?? duplicateIdProblem(id, config));
  if (problem) return { type: "unavailable", code: "EINVAL", why: problem };
  const now = config.runtime.now();
  const newId = id ?? config.runtime.sessionId();
  const runtime = { ...config.runtime, now: () => now, sessionId: () => newId };
  return { type: "free", path: join(createProjectSessionsFolder(cwd, config), sessionFileName(newId, now)), runtime };
}

/** The working directory of a session: from the note in its folder, or else from its header, or else the file's folder. */
export function sessionCwd(path: string, { cwd }: Pick<Header, "cwd">, files: Files): string {
  return readFolderCwd(dirname(path), files) ?? (typeof cwd === "string" && cwd !== "" ? cwd : dirname(path));
}

function duplicateIdProblem(id: string, config: Required<SessionFileOptions>): string | null {
  const [existing] = findSessionFiles((otherId) => otherId === id, config);
  return existing ? `the session ${id} already exists (${existing.path}); open it, or choose another id` : null;
}
