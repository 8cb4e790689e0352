/** The file of what was trusted, in Pith's home: believed only where nobody else could have written it, replaced whole, by one program at a time. */

import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { believedText, inOrder, ownFile, setAside, syncFolder } from "@pith/agent/node";
import { isObject, objectIn } from "../../json.ts";
import type { TrustedFile, TrustRecord } from "./trust-record.ts";

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

/** Null takes the trust away. Whatever other programs keep at the same time stays. */
export async function keepTrust(
  root: string,
  { home, record }: { readonly home: string; readonly record: Recording },
): Promise<TrustKept> {
  const file = trustFile(home);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    return await inOrder(file, async (isOurTurn) => {
      const read = await trustIn(file);
      if (read.type === "unbelieved") return { type: "failed", message: `${read.why}, so nothing was changed in it` };
      if (read.type === "damaged") await setAside(file);
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
  | { readonly type: "damaged" | "unbelieved"; readonly why: string };

async function trustIn(file: string): Promise<Read> {
  const read = await believedText(file, MOST_BYTES);
  if (read.type === "unbelieved") return read;
  if (read.type === "none") return { type: "read", projects: new Map() };
  const value = objectIn(read.text) ?? {};
  if (typeof value.version === "number" && value.version > 1)
    return { type: "unbelieved", why: `${file} was written by a newer version` };
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
  await ownFile(file, new TextEncoder().encode(`${text}\n`), { last });
  await syncFolder(dirname(file));
}

function unreadable(error: Error): Read {
  return { type: "unbelieved", why: `the file of what is trusted cannot be read (${error.message})` };
}

export function trustFile(home: string): string {
  return join(home, "trust.json");
}

const MOST_BYTES = 64 * 1024 * 1024;
