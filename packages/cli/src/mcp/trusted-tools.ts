/** Pins what is trusted of an MCP server, so that every change is noticed: the files of its program, and each tool by its whole definition. */

import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { moveAside, readOwnedFile, syncFolder, withLock, writeOwnerOnlyFile } from "@pith/agent/node";
import type { NamedServer } from "../settings/settings.ts";
import { isObject, objectIn } from "../text/jsonc.ts";
import { listFileChanges, type ProgramFiles } from "./program-files.ts";

/** A tool as its server tells of it. Nothing of it is ours. */
export interface OfferedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
}

export interface Pin {
  /** When. */
  readonly trusted: string;
  /** What runs. Absent for an address, and in pins of version 1. */
  readonly files?: ProgramFiles;
  /** Of all tools. */
  readonly hash: string;
  /** By the names of the tools. */
  readonly tools: Readonly<Record<string, string>>;
}

export function pinOf(tools: readonly OfferedTool[], trusted: string, files?: ProgramFiles | null): Pin {
  const hashes = tools.map((tool): [string, string] => [tool.name, hashOf(told(tool))]);
  // Two of one name are no longer told apart by it, but they are in the hash of all.
  const all = { hash: hashOf(hashes.toSorted(byText)), tools: Object.fromEntries(hashes) };
  return { trusted, ...(files && { files }), ...all };
}

/** Whether all that is trusted is as it was. */
export function isSamePin(before: Pin | undefined, now: Pin): boolean {
  return before?.hash === now.hash && (now.files === undefined || hasSameFiles(before, now.files));
}

export function hasSameFiles(before: Pin | undefined, now: ProgramFiles): boolean {
  return before?.files !== undefined && listFileChanges(before.files, now).length === 0;
}

export interface PinChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export function changesSince(before: Pin, now: Pin): PinChanges {
  const had = new Map(Object.entries(before.tools));
  const has = new Map(Object.entries(now.tools));
  return {
    added: [...has.keys()].filter((name) => !had.has(name)),
    removed: [...had.keys()].filter((name) => !has.has(name)),
    changed: [...has].flatMap(([name, hash]) => (had.has(name) && had.get(name) !== hash ? [name] : [])),
  };
}

/** Another program, or another address, is another server, whatever it is called. */
export function pinKey({ name, server, from }: NamedServer, cwd: string): string {
  const place = from === "settings" ? "" : cwd;
  if ("url" in server) return `${name} ${hashOf([server.url])}`;
  // Variables of a folder's file can make a program load anything; those of the user and of an editor hold tokens that change.
  const variables = from === "folder" && Object.keys(server.env ?? {}).length > 0 ? [server.env] : [];
  return `${name} ${hashOf([place, server.command, ...(server.args ?? []), ...variables])}`;
}

function told({ name, title, description, inputSchema, outputSchema, annotations }: OfferedTool): unknown {
  return { name, title, description, inputSchema, outputSchema, annotations };
}

function hashOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sortKeys(value)))
    .digest("hex");
}

/** The order in which a server names things says nothing. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  return Object.entries(value)
    .toSorted(byText)
    .map(([name, each]) => [name, sortKeys(each)]);
}

function byText([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

export type PinsRead =
  | { readonly type: "read"; readonly pins: ReadonlyMap<string, Pin> }
  | { readonly type: "damaged" | "untrusted"; readonly why: string };

export type PinKept = { readonly type: "kept" } | { readonly type: "failed"; readonly message: string };

/** Believed only where no other user could have written the file. */
export async function readPins(home: string): Promise<PinsRead> {
  const file = pinFile(home);
  try {
    return await pinsIn(file);
  } catch (error) {
    return { type: "untrusted", why: `${file} cannot be read: ${(error as Error).message}` };
  }
}

/** Replaces the file whole, one program at a time. Whatever other programs keep at the same time stays. */
export async function keepPin(key: string, pin: Pin, home: string): Promise<PinKept> {
  const file = pinFile(home);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    return await withLock(file, async (isOurTurn) => {
      const read = await pinsIn(file);
      if (read.type === "untrusted") return { type: "failed", message: `${read.why}, so nothing was changed in it` };
      if (read.type === "damaged") await moveAside(file);
      const others = read.type === "read" ? [...read.pins].filter(([each]) => each !== key) : [];
      const servers = Object.fromEntries([...others, [key, pin]].slice(-MOST));
      const last = async (): Promise<void> => {
        if (!(await isOurTurn())) throw new Error("another program took our turn; try again");
      };
      const text = `${JSON.stringify({ version: VERSION, servers }, null, 2)}\n`;
      await writeOwnerOnlyFile(file, new TextEncoder().encode(text), { beforeRename: last });
      await syncFolder(dirname(file));
      return { type: "kept" };
    });
  } catch (error) {
    return { type: "failed", message: `${file} cannot be written: ${(error as Error).message}` };
  }
}

/** Version 1 knew nothing of programs: such a pin is read, and the program is asked about. */
const VERSION = 2;
const MOST = 1_000;
const MOST_BYTES = 16 * 1024 * 1024;

async function pinsIn(file: string): Promise<PinsRead> {
  const read = await readOwnedFile(file, MOST_BYTES);
  if (read.type === "untrusted") return read;
  if (read.type === "none") return { type: "read", pins: new Map() };
  const { version, servers } = objectIn(read.text) ?? {};
  if (typeof version === "number" && version > VERSION)
    return { type: "untrusted", why: `${file} was written by a newer version` };
  const pins = isObject(servers) ? Object.entries(servers) : null;
  if ((version !== 1 && version !== VERSION) || !pins?.every(isPinned))
    return { type: "damaged", why: `${file} is damaged` };
  return { type: "read", pins: new Map(pins as [string, Pin][]) };
}

function isPinned([, pin]: [string, unknown]): boolean {
  return (
    isObject(pin) &&
    typeof pin.trusted === "string" &&
    typeof pin.hash === "string" &&
    isHashes(pin.tools) &&
    (pin.files === undefined || (isObject(pin.files) && isHashes(pin.files.program) && isHashes(pin.files.packages)))
  );
}

function isHashes(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((hash) => typeof hash === "string");
}

function pinFile(home: string): string {
  return join(home, "mcp-pins.json");
}
