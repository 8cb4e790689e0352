/** Stores what was trusted or declined in Pith's home. A trust file that another user could have written is not used. */

import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { decodeText, unifiedDiff } from "@pith/agent";
import { moveAside, readOwnedFile, syncFolder, withLock, writeOwnerOnlyFile } from "@pith/agent/node";
import type { Redaction } from "@pith/context";
import { isObject, objectIn } from "../text/jsonc.ts";
import { hashOf } from "./project-files.ts";
import { type HeldFile, type Holdings, nameIn, whatCanRun } from "./read-files.ts";

export interface Trust {
  /** By the real path of a project's root. */
  readonly projects: ReadonlyMap<string, TrustRecord>;
  /** For people: why nothing is trusted any more. */
  readonly notes: readonly string[];
}

export type TrustKept = { readonly type: "kept" } | { readonly type: "failed"; readonly message: string };

/** What cannot be believed trusts nothing. */
export async function readTrust(home: string): Promise<Trust> {
  const read = await trustIn(trustFile(home)).catch(unreadable);
  if (read.type === "read") return { projects: read.projects, notes: [] };
  return { projects: new Map(), notes: [`${read.why}, so no folder is trusted`] };
}

/** Null takes the trust away. The file is replaced whole, by one program at a time: whatever other programs keep at the same time stays. */
export async function keepTrust(
  root: string,
  { home, record }: { readonly home: string; readonly record: Recording },
): Promise<TrustKept> {
  const file = trustFile(home);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    return await withLock(file, async (isOurTurn) => {
      const read = await trustIn(file);
      if (read.type === "untrusted") return { type: "failed", message: `${read.why}, so nothing was changed in it` };
      if (read.type === "damaged") await moveAside(file);
      const before = read.type === "read" ? read.projects : new Map<string, TrustRecord>();
      await write(file, withRecord(before, root, record), isOurTurn);
      return { type: "kept" };
    });
  } catch (error) {
    return { type: "failed", message: `${file} cannot be written: ${(error as Error).message}` };
  }
}

/** From what was trusted before. */
export type Recording = (before: TrustRecord | undefined) => TrustRecord | null;

type Read =
  | { readonly type: "read"; readonly projects: ReadonlyMap<string, TrustRecord> }
  | { readonly type: "damaged" | "untrusted"; readonly why: string };

async function trustIn(file: string): Promise<Read> {
  const read = await readOwnedFile(file, MOST_BYTES);
  if (read.type === "untrusted") return read;
  if (read.type === "none") return { type: "read", projects: new Map() };
  const value = objectIn(read.text) ?? {};
  if (typeof value.version === "number" && value.version > 1)
    return { type: "untrusted", why: `${file} was written by a newer version` };
  const projects = isObject(value.projects) ? Object.entries(value.projects) : null;
  if (value.version !== 1 || !projects?.every(isProject)) return { type: "damaged", why: `${file} is damaged` };
  return { type: "read", projects: new Map(projects as [string, TrustRecord][]) };
}

function isProject([, record]: [string, unknown]): boolean {
  return (
    isObject(record) &&
    typeof record.trusted === "string" &&
    isObject(record.files) &&
    Object.values(record.files).every(isFile)
  );
}

function isFile(file: unknown): file is TrustedFile {
  return (
    isObject(file) &&
    typeof file.hash === "string" &&
    typeof file.size === "number" &&
    ["string", "undefined"].includes(typeof file.text)
  );
}

function withRecord(
  before: ReadonlyMap<string, TrustRecord>,
  root: string,
  record: Recording,
): ReadonlyMap<string, TrustRecord> {
  const made = record(before.get(root));
  const others = [...before].filter(([each]) => each !== root);
  return new Map(made === null ? others : [...others, [root, made]]);
}

async function write(
  file: string,
  projects: ReadonlyMap<string, TrustRecord>,
  isOurTurn: () => Promise<boolean>,
): Promise<void> {
  const text = JSON.stringify({ version: 1, projects: Object.fromEntries(projects) }, null, 2);
  const last = async (): Promise<void> => {
    if (!(await isOurTurn())) throw new Error("another program took our turn; try again");
  };
  await writeOwnerOnlyFile(file, new TextEncoder().encode(`${text}\n`), { beforeRename: last });
  await syncFolder(dirname(file));
}

function unreadable(error: Error): Read {
  return { type: "untrusted", why: `the file of what is trusted cannot be read (${error.message})` };
}

export function trustFile(home: string): string {
  return join(home, "trust.json");
}

const MOST_BYTES = 64 * 1024 * 1024;

/** Every file by its hash; a short text without a secret is kept whole, so that a change can be shown. */
export interface TrustRecord {
  /** When. */
  readonly trusted: string;
  /** By their names in the project. */
  readonly files: Readonly<Record<string, TrustedFile>>;
}

export interface TrustedFile {
  readonly hash: string;
  readonly size: number;
  readonly text?: string;
}

export interface Recorded {
  /** When. */
  readonly trusted: string;
  readonly before: TrustRecord | undefined;
  readonly redaction: Redaction;
}

/** What was trusted from another folder of the same project stays trusted. */
export function trustRecord(holds: Holdings, { trusted, before, redaction }: Recorded): TrustRecord {
  const elsewhere = Object.entries(before?.files ?? {}).filter(([name]) => !isInView(name, holds));
  let room = MOST_TEXT_IN_ALL;
  const here = holds.files.map(({ name, hash, bytes }): [string, TrustedFile] => {
    const text = bytes.length <= Math.min(room, MOST_TEXT) ? decodeText(bytes) : null;
    const isKept = text !== null && redaction.redact(text) === text;
    if (isKept) room -= bytes.length;
    return [name, { hash, size: bytes.length, ...(isKept && { text }) }];
  });
  return { trusted, files: Object.fromEntries([...elsewhere, ...here]) };
}

/** Whether it would be read from where one works. */
export function isInView(name: string, { root, folders }: Holdings): boolean {
  return folders.some((folder) => {
    const above = nameIn(root, folder);
    const inside = above === "" ? name : name.startsWith(`${above}/`) ? name.slice(above.length + 1) : null;
    return inside !== null && whatCanRun.some(({ path }) => inside === path || inside.startsWith(`${path}/`));
  });
}

const MOST_TEXT = 16 * 1024;
const MOST_TEXT_IN_ALL = 64 * 1024;

export type Change =
  | { readonly type: "added" | "removed"; readonly name: string }
  /** Without a diff where the old text was too long to be kept, or one of the two is no text. */
  | { readonly type: "changed"; readonly name: string; readonly diff?: string };

/** Those in folders that are not looked at from here are not among them. */
export function changesSince(record: TrustRecord, holds: Holdings): readonly Change[] {
  const now = holds.files.flatMap((file) => changeOf(file, record) ?? []);
  const names = new Set(holds.files.map(({ name }) => name));
  const gone = Object.keys(record.files).filter((name) => !names.has(name) && isInView(name, holds));
  return [...now, ...gone.map((name) => ({ type: "removed", name }) as const)];
}

function changeOf(file: HeldFile, { files }: TrustRecord): Change | null {
  const { name, hash } = file;
  const known = Object.hasOwn(files, name) ? files[name] : undefined;
  if (!known) return { type: "added", name };
  return known.hash === hash ? null : { type: "changed", name, ...diffOf(known, file) };
}

function diffOf({ text: old }: TrustedFile, { name, bytes }: HeldFile): { readonly diff?: string } {
  const fresh = decodeText(bytes);
  // Of bytes that are no letters a diff would say nothing.
  if (old === undefined || fresh === null || old === fresh) return {};
  return { diff: unifiedDiff({ path: name, text: old, splices: [{ start: 0, end: old.length, text: fresh }] }) };
}

/** Whether it was declined as it lies there now. The file of declined hashes permits nothing, whoever wrote it. */
export async function wasDeclined(holds: Holdings, home: string): Promise<boolean> {
  return (await declinedIn(home)).get(keyOf(holds)) === hashOfAll(holds);
}

/** Where it cannot be kept, one is asked again, and nothing else is lost. */
export async function keepDeclined(holds: Holdings, home: string): Promise<void> {
  const file = declinedFile(home);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await withLock(file, async () => {
      const others = [...(await declinedIn(home))].filter(([key]) => key !== keyOf(holds));
      const kept = [...others, [keyOf(holds), hashOfAll(holds)]].slice(-MOST);
      await writeOwnerOnlyFile(
        file,
        new TextEncoder().encode(`${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`),
      );
    });
  } catch {
    // See above.
  }
}

const MOST = 500;

async function declinedIn(home: string): Promise<ReadonlyMap<string, unknown>> {
  const text = await readFile(declinedFile(home), "utf8").catch(() => "");
  return new Map(Object.entries(objectIn(text) ?? {}));
}

/** From another folder of the same project other files may be seen. */
function keyOf({ root, folders }: Holdings): string {
  return folders.at(-1) ?? root;
}

function hashOfAll({ files }: Holdings): string {
  const lines = files.map(({ name, hash }) => `${hash} ${name}\n`);
  return hashOf(new TextEncoder().encode(lines.sort().join("")));
}

function declinedFile(home: string): string {
  return join(home, "declined.json");
}
