/** Creates, compares, reads and saves the trust records of MCP servers: hashes of the program's files and of each tool's definition. */

import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { moveAside, readOwnedFile, syncFolder, withLock, writeOwnerOnlyFile } from "@pith/agent/node";
import type { NamedServer } from "../settings/settings.ts";
import { isObject, parseJsonObject } from "../text/jsonc.ts";
import { listFileChanges, type ProgramFiles } from "./program-files.ts";

/** A tool as the server describes it. All of it is untrusted text. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
}

export interface ServerTrustRecord {
  /** When the user trusted it, as an ISO time. */
  readonly trusted: string;
  /** The files of the program. Absent for an HTTP server, and in records of version 1. */
  readonly files?: ProgramFiles;
  /** The hash of all tools. */
  readonly hash: string;
  /** The hash of each tool by name. */
  readonly tools: Readonly<Record<string, string>>;
}

export function createTrustRecord(
  tools: readonly OfferedTool[],
  trustedAt: string,
  files?: ProgramFiles | null,
): ServerTrustRecord {
  const hashes = tools.map((tool): [string, string] => [tool.name, hashJson(selectTrustedFields(tool))]);
  // Two tools with the same name share an entry in `tools`, but both are part of `hash`.
  const toolHashes = { hash: hashJson(hashes.toSorted(compareNames)), tools: Object.fromEntries(hashes) };
  return { trusted: trustedAt, ...(files && { files }), ...toolHashes };
}

/** Whether the tools and files are the same as in the previous record. */
export function isSameTrustRecord(before: ServerTrustRecord | undefined, after: ServerTrustRecord): boolean {
  return before?.hash === after.hash && (after.files === undefined || hasSameFiles(before, after.files));
}

export function hasSameFiles(before: ServerTrustRecord | undefined, files: ProgramFiles): boolean {
  return before?.files !== undefined && listFileChanges(before.files, files).length === 0;
}

export interface ToolChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export function findToolChanges(before: ServerTrustRecord, after: ServerTrustRecord): ToolChanges {
  const oldHashes = new Map(Object.entries(before.tools));
  const newHashes = new Map(Object.entries(after.tools));
  return {
    added: [...newHashes.keys()].filter((name) => !oldHashes.has(name)),
    removed: [...oldHashes.keys()].filter((name) => !newHashes.has(name)),
    changed: [...newHashes].flatMap(([name, hash]) =>
      oldHashes.has(name) && oldHashes.get(name) !== hash ? [name] : [],
    ),
  };
}

/** The key of a server's trust record. A server with the same name and another command or URL has another key. */
export function trustRecordKey({ name, server, from }: NamedServer, cwd: string): string {
  const workspace = from === "settings" ? "" : cwd;
  if ("url" in server) return `${name} ${hashJson([server.url])}`;
  // Variables set by a folder are part of the key, because they can make a program load any code.
  // Variables set by the user or an editor are not, because they contain tokens that change.
  const variables = from === "folder" && Object.keys(server.env ?? {}).length > 0 ? [server.env] : [];
  return `${name} ${hashJson([workspace, server.command, ...(server.args ?? []), ...variables])}`;
}

function selectTrustedFields({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: OfferedTool): unknown {
  return { name, title, description, inputSchema, outputSchema, annotations };
}

function hashJson(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sortKeys(value)))
    .digest("hex");
}

/** Sorts object keys, so that their order does not change the hash. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  return Object.entries(value)
    .toSorted(compareNames)
    .map(([name, item]) => [name, sortKeys(item)]);
}

function compareNames([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export type ReadTrustRecordsResult =
  | { readonly type: "read"; readonly records: ReadonlyMap<string, ServerTrustRecord> }
  | { readonly type: "damaged" | "untrusted"; readonly why: string };

export type SaveTrustRecordResult = { readonly type: "saved" } | { readonly type: "failed"; readonly message: string };

/** Returns `untrusted` if another user could have written the file. */
export async function readTrustRecords(home: string): Promise<ReadTrustRecordsResult> {
  const file = trustRecordsPath(home);
  try {
    return await readRecordFile(file);
  } catch (error) {
    return { type: "untrusted", why: `cannot read ${file}: ${(error as Error).message}` };
  }
}

/** Adds a record under a lock and replaces the file atomically, so that records of other processes are kept. */
export async function saveTrustRecord(
  key: string,
  record: ServerTrustRecord,
  home: string,
): Promise<SaveTrustRecordResult> {
  const file = trustRecordsPath(home);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    return await withLock(file, async (hasLock) => {
      const current = await readRecordFile(file);
      if (current.type === "untrusted") return { type: "failed", message: `${current.why}; the file was not changed` };
      if (current.type === "damaged") await moveAside(file);
      const others = current.type === "read" ? [...current.records].filter(([otherKey]) => otherKey !== key) : [];
      const servers = Object.fromEntries([...others, [key, record]].slice(-MAX_RECORDS));
      const assertLock = async (): Promise<void> => {
        if (!(await hasLock())) throw new Error("another process took the lock; try again");
      };
      const text = `${JSON.stringify({ version: VERSION, servers }, null, 2)}\n`;
      await writeOwnerOnlyFile(file, new TextEncoder().encode(text), { beforeRename: assertLock });
      await syncFolder(dirname(file));
      return { type: "saved" };
    });
  } catch (error) {
    return { type: "failed", message: `cannot write ${file}: ${(error as Error).message}` };
  }
}

/** Records of version 1 have no files. They are still read, and the user is asked about the program. */
const VERSION = 2;
const MAX_RECORDS = 1_000;
const MAX_FILE_BYTES = 16 * 1024 * 1024;

async function readRecordFile(file: string): Promise<ReadTrustRecordsResult> {
  const content = await readOwnedFile(file, MAX_FILE_BYTES);
  if (content.type === "untrusted") return content;
  if (content.type === "none") return { type: "read", records: new Map() };
  const { version, servers } = parseJsonObject(content.text) ?? {};
  if (typeof version === "number" && version > VERSION)
    return { type: "untrusted", why: `${file} was written by a newer version of Pith` };
  const entries = isObject(servers) ? Object.entries(servers) : null;
  if ((version !== 1 && version !== VERSION) || !entries?.every(isRecordEntry))
    return { type: "damaged", why: `${file} is damaged` };
  return { type: "read", records: new Map(entries as [string, ServerTrustRecord][]) };
}

function isRecordEntry([, record]: [string, unknown]): boolean {
  return (
    isObject(record) &&
    typeof record.trusted === "string" &&
    typeof record.hash === "string" &&
    isHashRecord(record.tools) &&
    (record.files === undefined ||
      (isObject(record.files) && isHashRecord(record.files.program) && isHashRecord(record.files.packages)))
  );
}

function isHashRecord(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((hash) => typeof hash === "string");
}

function trustRecordsPath(home: string): string {
  return join(home, "mcp-pins.json");
}
