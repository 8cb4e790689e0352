/** Names the folders, files and ids of sessions below `$PITH_HOME`, which never depends on the working directory. */

import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import type { Header } from "../../entry.ts";
import type { Ports } from "../../runtime.ts";
import { asItIs, type Redaction } from "../../session/session.ts";
import { formatLimits } from "../../settings.ts";
import { diskError, type Files, orNull, realFiles, type Unavailable } from "../files.ts";
import type { StoreParts } from "../jsonl/jsonl-store.ts";
import { createWhole, makeFolder } from "../jsonl/rewrite.ts";
import { realProcesses } from "../process-owner.ts";
import { machine } from "../runtime.ts";
import { idInName, notedCwd, notePath } from "../session-place.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What every act on sessions can be given; a real machine stands in for what is left out. */
export interface HomeParts extends Partial<Omit<StoreParts, "ports">> {
  readonly ports?: Ports;
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

export function settled({
  files = realFiles,
  ports = machine,
  processes = realProcesses,
  limits = formatLimits,
  durability = "durable",
  env = process.env,
  redaction = asItIs,
}: HomeParts): Required<HomeParts> {
  return { files, ports, processes, limits, durability, env, redaction };
}

/**
 * Readable, and never the same for two directories. `/home/me/my project` → `home-me-my-project-0b25e4e5a9`; of a long path the end is
 * shown.
 */
export function folderName(cwd: string): string {
  const path = resolve(cwd);
  const hash = createHash("sha256").update(path).digest("hex").slice(0, HASH_LETTERS);
  const letters = shortened(path.toWellFormed().replace(/[^\p{L}\p{N}._]+/gu, "-"));
  return [letters.replace(/^[-.]+|[-.]+$/g, ""), hash].filter((part) => part !== "").join("-");
}

// Most disks take 255 bytes for a name, and a letter may need four.
function shortened(safe: string): string {
  const letters = [...safe].slice(-LETTERS);
  while (Buffer.byteLength(letters.join("")) > BYTES) letters.shift();
  return letters.join("");
}

const HASH_LETTERS = 10;
const LETTERS = 80;
const BYTES = 200;

/** As pi names its files: when the session began, and its id. */
export function fileName(id: string, began: number): string {
  return `${fileTime(began)}_${id}.jsonl`;
}

/** A time that every disk takes as a part of a name. */
export function fileTime(time: number): string {
  return new Date(time).toISOString().replace(/[:.]/g, "-");
}

export function isSessionName(name: string): boolean {
  return name.endsWith(".jsonl") && name !== ".jsonl";
}

/**
 * An id must be safe in a file name on every system and must never be taken for a flag. What is wrong with it, as a sentence that says
 * what to do; null for an id that is good.
 */
export function wrongId(id: string): string | null {
  if (id === "") return "a session id needs at least one letter; leave it out to have one made";
  if (id.length > LONGEST) return `a session id has at most ${LONGEST} letters; this one has ${id.length}`;
  if (!/^[A-Za-z0-9._-]+$/.test(id))
    return "a session id holds only letters A-Z and a-z, digits, dot, dash and underscore";
  if (!/^[A-Za-z0-9]/.test(id)) return "a session id begins with a letter or a digit";
  if (id.includes("..")) return "a session id holds no two dots in a row";
  if (id.endsWith(".")) return "a session id does not end in a dot";
  if (DEVICE.test(id)) return `"${id}" is the name of a device on Windows; choose another id`;
  return null;
}

/** The id as a part of a path. The header of a file that came from elsewhere may hold anything: what is no good id is named by its hash. */
export function idAsName(id: string): string {
  return wrongId(id) === null ? id : `id-${createHash("sha256").update(id, "utf16le").digest("hex").slice(0, 32)}`;
}

const LONGEST = 64;
/** Windows takes them for devices whatever follows the first dot. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

export interface FolderParts {
  readonly files: Files;
  readonly env: Environment;
}

export function workFolder(cwd: string, { env }: Pick<FolderParts, "env">): string {
  return join(sessionsFolder(env), folderName(cwd));
}

/** The same, there and noted. */
export function madeWorkFolder(cwd: string, { files, env }: FolderParts): string {
  const folder = workFolder(cwd, { env });
  makeFolder(folder, files);
  noteCwd(folder, resolve(cwd), files);
  return folder;
}

/** Says in the folder which directory it stands for; a note that is there stays. */
export function noteCwd(folder: string, cwd: string, files: Files): void {
  if (files.stat(notePath(folder))) return;
  try {
    createWhole(notePath(folder), Buffer.from(`${JSON.stringify({ cwd })}\n`), files);
  } catch (error) {
    // Another process was faster, and its note says the same.
    if (diskError(error) !== "EEXIST") throw error;
  }
}

/** All folders of sessions; links are not followed. */
export function allFolders({ files, env }: FolderParts): readonly string[] {
  const all = sessionsFolder(env);
  const names = orNull(() => files.list(all)) ?? [];
  return names.map((name) => join(all, name)).filter((folder) => orNull(() => files.stat(folder))?.kind === "folder");
}

export interface Candidate {
  readonly path: string;
  readonly id: string;
}

/** Compares file names only; no file is opened. Over all folders; those given come instead. */
export function nameMatches(
  isMeant: (id: string) => boolean,
  { folders, ...parts }: FolderParts & { readonly folders?: readonly string[] | undefined },
): readonly Candidate[] {
  return (folders ?? allFolders(parts)).flatMap((folder) =>
    // A folder that cannot be read must not keep those in the others from being found.
    (orNull(() => parts.files.list(folder)) ?? []).flatMap((name) => {
      const id = idInName(name);
      return id !== null && isMeant(id) ? [{ path: join(folder, name), id }] : [];
    }),
  );
}

export interface NewPlace {
  readonly type: "free";
  readonly path: string;
  /** Time and id of the new session, however often they are asked for. */
  readonly ports: Ports;
}

/** Makes the folder; an id that cannot be used, or is, comes back as a sentence. */
export function newPlace(
  cwd: string,
  { id, ...parts }: Required<HomeParts> & { readonly id?: string | undefined },
): NewPlace | Unavailable {
  const wrong = id === undefined ? null : (wrongId(id) ?? takenId(id, parts));
  if (wrong) return { type: "unavailable", code: "EINVAL", why: wrong };
  const now = parts.ports.now();
  const fresh = id ?? parts.ports.sessionId();
  const ports = { ...parts.ports, now: () => now, sessionId: () => fresh };
  return { type: "free", path: join(madeWorkFolder(cwd, parts), fileName(fresh, now)), ports };
}

/** The directory a session belongs to now: of the folder it lies in, else of its header, else where the file is. */
export function cwdOf(path: string, { cwd }: Pick<Header, "cwd">, files: Files): string {
  return notedCwd(dirname(path), files) ?? (typeof cwd === "string" && cwd !== "" ? cwd : dirname(path));
}

function takenId(id: string, parts: Required<HomeParts>): string | null {
  const [taken] = nameMatches((each) => each === id, parts);
  return taken ? `the session ${id} is there already (${taken.path}); open that one, or choose another id` : null;
}
