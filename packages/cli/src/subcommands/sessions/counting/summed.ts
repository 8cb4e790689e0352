/** Sums over sessions: each file is read once from end to end, and told of while that takes long. */

import { addedUsage, noUsage } from "@pith/context";
import { realFiles, type SessionItem, totalsOf } from "@pith/context/node";
import { bytesTold } from "../../../printing/amounts.ts";
import type { Call, Outcome } from "../../subcommand.ts";
import { meant } from "../finding/reading.ts";
import { redactionHere } from "../finding/redaction-here.ts";
import { placeIn } from "../finding/session-folders.ts";
import { sessionsIn } from "../showing/listed.ts";
import { progress } from "../wording/progress.ts";
import { blobsBeside } from "./blobs-beside.ts";
import type { Sums } from "./sums.ts";
import { sumsText } from "./sums-text.ts";

export async function summed(call: Call): Promise<Outcome> {
  const [word] = call.arguments;
  const found = word === undefined ? null : await meant(word, call);
  if (found?.type === "mistake") return found;
  const items = found
    ? [itemAt(found)]
    : await sessionsIn(placeIn({ ...call, flags: { all: true, ...call.flags } }), call.home);
  // The biggest are named by what was said in them, maybe to another program.
  const sums = (await redactionHere(call)).redacted(await sumsOf(items, call.note));
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
  usage: noUsage,
  biggest: [],
};

async function added(sums: Sums, item: SessionItem, blobs: number): Promise<Sums> {
  const counted = await totalsOf(item.path);
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
    usage: addedUsage(sums.usage, totals.usage),
    biggest: [...sums.biggest, sized].sort((one, other) => other.bytes - one.bytes).slice(0, MOST),
  };
}

const MOST = 10;
