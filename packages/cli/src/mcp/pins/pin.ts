/** What a server offered when somebody trusted it: each tool by a hash of all that it says of itself, so that no change goes unseen. */

import { createHash } from "node:crypto";
import { isObject } from "../../home/json.ts";
import type { NamedServer } from "../mcp-servers.ts";

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
  /** Of all of it. */
  readonly hash: string;
  /** By the names of the tools. */
  readonly tools: Readonly<Record<string, string>>;
}

export function pinOf(tools: readonly OfferedTool[], trusted: string): Pin {
  const hashes = tools.map((tool): [string, string] => [tool.name, hashOf(told(tool))]);
  // Two of one name are no longer told apart by it, but they are in the hash of all.
  return { trusted, hash: hashOf(hashes.toSorted(byText)), tools: Object.fromEntries(hashes) };
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
  const identity = "url" in server ? [server.url] : [place, server.command, ...(server.args ?? [])];
  return `${name} ${hashOf(identity)}`;
}

function told({ name, title, description, inputSchema, outputSchema, annotations }: OfferedTool): unknown {
  return { name, title, description, inputSchema, outputSchema, annotations };
}

function hashOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(inOrder(value)))
    .digest("hex");
}

/** The order in which a server names things says nothing. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  return Object.entries(value)
    .toSorted(byText)
    .map(([name, each]) => [name, inOrder(each)]);
}

function byText([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
