/** Names the folders, files and ids of sessions below `$PITH_HOME`, which never depends on the working directory. */

import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Header } from "../../entry.ts";
import type { Runtime } from "../../runtime.ts";
import { noRedaction, type Redaction } from "../../session/session.ts";
import { formatLimits } from "../../settings.ts";
import { diskErrorCode, type Files, ignoreDiskErrors, realFiles, type UnavailableResult } from "../files.ts";
import type { StoreOptions } from "../jsonl/jsonl-store.ts";
import { createFileAtomically, makeDurableFolder } from "../jsonl/rewrite.ts";
import { realProcessTable } from "../process-owner.ts";
import { nodeRuntime } from "../runtime.ts";
import { folderNotePath, readFolderCwd, sessionFileName, sessionIdFromFileName } from "../session-file-name.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What every act on sessions can be given; a real machine stands in for what is left out. */
export interface SessionFileOptions extends Partial<Omit<StoreOptions, "runtime">> {
  readonly runtime?: Runtime;
  /** Where `PITH_HOME` is looked up. */
  readonly env?: Environment;
  /** What is written passes it; without it, all is written as it is. */
  readonly redaction?: Redaction;
}

/** `$PITH_HOME`, or `~/.pith`. */
export function pithHome(env: Environment = process.env): string {
  // A relative one counts from the user's home, or it would be another place in every folder.
  return resolve(homedir(), env.PITH_HOME || ".pith");
}

export function sessionsFolder(env?: Environment): string {
  return join(pithHome(env), "sessions");
}

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
 * Readable, and never the same for two directories. `/home/me/my project` → `home-me-my-project-0b25e4e5a9`; of a long path the end is
 * shown.
 */
export function sessionFolderName(cwd: string): string {
  const path = resolve(cwd);
  const hash = createHash("sha256").update(path).digest("hex").slice(0, FOLDER_HASH_CHARS);
  const readableName = truncateFolderName(path.toWellFormed().replace(/[^\p{L}\p{N}._]+/gu, "-"));
  return [readableName.replace(/^[-.]+|[-.]+$/g, ""), hash].filter((part) => part !== "").join("-");
}

// Most disks take 255 bytes for a name, and a letter may need four.
function truncateFolderName(safeName: string): string {
  const chars = [...safeName].slice(-MAX_FOLDER_NAME_CHARS);
  while (Buffer.byteLength(chars.join("")) > MAX_FOLDER_NAME_BYTES) chars.shift();
  return chars.join("");
}

const FOLDER_HASH_CHARS = 10;
const MAX_FOLDER_NAME_CHARS = 80;
const MAX_FOLDER_NAME_BYTES = 200;

/**
 * An id must be safe in a file name on every system and must never be taken for a flag. What is wrong with it, as a sentence that says
 * what to do; null for an id that is good.
 */
export function sessionIdProblem(id: string): string | null {
  if (id === "") return "a session id needs at least one letter; leave it out to have one made";
  if (id.length > MAX_SESSION_ID_CHARS)
    return `a session id has at most ${MAX_SESSION_ID_CHARS} letters; this one has ${id.length}`;
  if (!/^[A-Za-z0-9._-]+$/.test(id))
    return "a session id holds only letters A-Z and a-z, digits, dot, dash and underscore";
  if (!/^[A-Za-z0-9]/.test(id)) return "a session id begins with a letter or a digit";
  if (id.includes("..")) return "a session id holds no two dots in a row";
  if (id.endsWith(".")) return "a session id does not end in a dot";
  if (WINDOWS_DEVICE_PATTERN.test(id)) return `"${id}" is the name of a device on Windows; choose another id`;
  return null;
}

/** The id as a part of a path. The header of a file that came from elsewhere may hold anything: what is no good id is named by its hash. */
export function sessionIdToFileName(id: string): string {
  return sessionIdProblem(id) === null
    ? id
    : `id-${createHash("sha256").update(id, "utf16le").digest("hex").slice(0, 32)}`;
}

const MAX_SESSION_ID_CHARS = 64;
/** Windows takes them for devices whatever follows the first dot. */
const WINDOWS_DEVICE_PATTERN = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

export interface FolderOptions {
  readonly files: Files;
  readonly env: Environment;
}

export function projectSessionsFolder(cwd: string, { env }: Pick<FolderOptions, "env">): string {
  return join(sessionsFolder(env), sessionFolderName(cwd));
}

/** The same, there and noted. */
export function createProjectSessionsFolder(cwd: string, { files, env }: FolderOptions): string {
  const folder = projectSessionsFolder(cwd, { env });
  makeDurableFolder(folder, files);
  writeFolderCwd(folder, resolve(cwd), files);
  return folder;
}

/** Says in the folder which directory it stands for; a note that is there stays. */
export function writeFolderCwd(folder: string, cwd: string, files: Files): void {
  if (files.stat(folderNotePath(folder))) return;
  try {
    createFileAtomically(folderNotePath(folder), Buffer.from(`${JSON.stringify({ cwd })}\n`), files);
  } catch (error) {
    // Another process was faster, and its note says the same.
    if (diskErrorCode(error) !== "EEXIST") throw error;
  }
}

/** All folders of sessions; links are not followed. */
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

/** Compares file names only; no file is opened. Over all folders; those given come instead. */
export function findSessionFiles(
  matchesId: (id: string) => boolean,
  { folders, ...options }: FolderOptions & { readonly folders?: readonly string[] | undefined },
): readonly SessionMatch[] {
  return (folders ?? listSessionFolders(options)).flatMap((folder) =>
    // A folder that cannot be read must not keep those in the others from being found.
    (ignoreDiskErrors(() => options.files.list(folder)) ?? []).flatMap((name) => {
      const id = sessionIdFromFileName(name);
      return id !== null && matchesId(id) ? [{ path: join(folder, name), id }] : [];
    }),
  );
}

export interface NewSessionFile {
  readonly type: "free";
  readonly path: string;
  /** Time and id of the new session, however often they are asked for. */
  readonly runtime: Runtime;
}

/** Makes the folder; an id that cannot be used, or is, comes back as a sentence. */
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

/** The directory a session belongs to now: of the folder it lies in, else of its header, else where the file is. */
export function sessionCwd(path: string, { cwd }: Pick<Header, "cwd">, files: Files): string {
  return readFolderCwd(dirname(path), files) ?? (typeof cwd === "string" && cwd !== "" ? cwd : dirname(path));
}

function duplicateIdProblem(id: string, config: Required<SessionFileOptions>): string | null {
  const [existing] = findSessionFiles((otherId) => otherId === id, config);
  return existing ? `the session ${id} is there already (${existing.path}); open that one, or choose another id` : null;
}
