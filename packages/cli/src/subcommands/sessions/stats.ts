/** Implements `pith sessions stats`: sums up the entries, disk space, tokens and cost of sessions. */

import { basename, dirname, join } from "node:path";
import type { Usage } from "@pith/context";
import { addUsage, zeroUsage } from "@pith/context/host";
import { readSessionTotals, realFiles, type SessionItem } from "@pith/context/node";
import { type Call, type Outcome, progress } from "../../args/subcommand.ts";
import { redactionHere } from "../../sessions/entries.ts";
import { meant, placeIn } from "../../sessions/find-session.ts";
import { amount, bytesTold, costTold, counted } from "../../text/format.ts";
import { sessionsIn } from "./list-search.ts";

/** Bytes of the blobs of the session at this path. A blob that sessions share by a second name counts once. */
export function blobsBeside(): (path: string) => number {
  const seen = new Set<string>();
  return (path) => {
    const folder = join(dirname(path), ".pith", basename(path), "blobs");
    let bytes = 0;
    for (const name of realFiles.list(folder)) {
      const stat = realFiles.stat(join(folder, name));
      if (stat?.kind !== "file" || seen.has(stat.identity)) continue;
      seen.add(stat.identity);
      bytes += stat.size;
    }
    return bytes;
  };
}

export function sumsText(sums: Sums): string {
  if (sums.sessions === 0) return "no session yet";
  const { bytes, usage } = sums;
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  const cached = usage.cacheRead > 0 ? ` (${amount(usage.cacheRead)} from the cache)` : "";
  const lines: readonly (readonly [string, string])[] = [
    [
      "sessions",
      `${amount(sums.sessions)}${sums.damaged > 0 ? `, of which ${amount(sums.damaged)} cannot be read` : ""}`,
    ],
    ["room", `${bytesTold(bytes.logs + bytes.blobs)}: logs ${bytesTold(bytes.logs)}, blobs ${bytesTold(bytes.blobs)}`],
    [
      "holds",
      `${amount(sums.entries)} entries, ${counted(sums.messages, "message")}, ${counted(sums.toolCalls, "call")} of tools, ${counted(sums.compactions, "compaction")}`,
    ],
    ["tokens", `${amount(input)} in${cached}, ${amount(usage.output)} out`],
    ["cost", usage.cost.total > 0 ? costTold(usage.cost.total) : "nothing, or nobody knows the prices"],
  ];
  const biggest = sums.sessions === 1 ? [] : ["", "biggest", ...sums.biggest.map(lineOf)];
  return [...lines.map(([word, value]) => `${word.padEnd(10)}${value}`), ...biggest].join("\n");
}

function lineOf({ id, bytes, cost, words }: Sized): string {
  const price = cost > 0 ? costTold(cost) : "–";
  return `  ${id.slice(0, 8).padEnd(8)}  ${bytesTold(bytes).padStart(8)}  ${price.padStart(8)}  ${[...words].slice(0, WIDTH).join("")}`;
}

const WIDTH = 60;

/** Reads each file once, from end to end. */
export async function summed(call: Call): Promise<Outcome> {
  const [word] = call.arguments;
  const found = word === undefined ? null : await meant(word, call);
  if (found?.type === "mistake") return found;
  const items = found
    ? [itemAt(found)]
    : await sessionsIn(placeIn({ ...call, flags: { all: true, ...call.flags } }), call.home);
  // The biggest are named by what was said in them, maybe to another program.
  const sums = (await redactionHere(call)).redact(await sumsOf(items, call.note));
  return { type: "shown", text: sumsText(sums), data: sums };
}

function itemAt({ path, id }: { readonly path: string; readonly id: string }): SessionItem {
  const { size = 0, modified = 0 } = realFiles.stat(path) ?? {};
  return { path, id, size, modified, cwd: "", created: "", firstMessage: "" };
}

async function sumsOf(items: readonly SessionItem[], note: (line: string) => void): Promise<Sums> {
  const told = progress(note);
  const blobs = blobsBeside();
  let sums: Sums = NOTHING;
  let read = 0;
  const all = items.reduce((sum, { size }) => sum + size, 0);
  for (const item of items) {
    told(`${bytesTold(read)} of ${bytesTold(all)} read`);
    sums = await added(sums, item, blobs(item.path));
    read += item.size;
  }
  return sums;
}

const NOTHING: Sums = {
  sessions: 0,
  damaged: 0,
  bytes: { logs: 0, blobs: 0 },
  entries: 0,
  messages: 0,
  toolCalls: 0,
  compactions: 0,
  usage: zeroUsage,
  biggest: [],
};

async function added(sums: Sums, item: SessionItem, blobs: number): Promise<Sums> {
  const counted = await readSessionTotals(item.path);
  const bytes = { logs: sums.bytes.logs + item.size, blobs: sums.bytes.blobs + blobs };
  const isRead = counted.type === "counted" && counted.header !== null;
  const before = { ...sums, sessions: sums.sessions + 1, bytes };
  if (counted.type !== "counted") return { ...before, damaged: sums.damaged + 1 };
  const { totals, header } = counted;
  const words = item.name ?? item.firstMessage;
  const sized = {
    id: header?.id ?? item.id,
    path: item.path,
    bytes: item.size + blobs,
    words,
    cost: totals.usage.cost.total,
  };
  return {
    ...before,
    damaged: sums.damaged + (isRead ? 0 : 1),
    entries: sums.entries + totals.entries,
    messages: sums.messages + totals.userMessages + totals.assistantMessages,
    toolCalls: sums.toolCalls + totals.toolCalls,
    compactions: sums.compactions + totals.compactions,
    usage: addUsage(sums.usage, totals.usage),
    biggest: [...sums.biggest, sized].sort((one, other) => other.bytes - one.bytes).slice(0, MOST),
  };
}

const MOST = 10;

export interface Sums {
  readonly sessions: number;
  readonly damaged: number;
  readonly bytes: { readonly logs: number; readonly blobs: number };
  readonly entries: number;
  readonly messages: number;
  readonly toolCalls: number;
  readonly compactions: number;
  readonly usage: Usage;
  readonly biggest: readonly Sized[];
}

export interface Sized {
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
  readonly words: string;
  readonly cost: number;
}
