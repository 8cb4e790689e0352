/** Implements `pith sessions stats`: adds up the entries, disk space, tokens and cost of sessions. */

import { basename, dirname, join } from "node:path";
import type { Usage } from "@pith/context";
import { sumUsage, zeroTotals, zeroUsage } from "@pith/context/host";
import { readSessionTotals, realFiles, type SessionItem } from "@pith/context/node";
import { formatBytes, formatCost, formatCount, formatNumber } from "@pith/host/text/format";
import { createProgressReporter, type SubcommandCall, type SubcommandResult } from "../../args/subcommand.ts";
import { createRedaction } from "../../sessions/entries.ts";
import { findSessionForCall, parseSessionScope } from "../../sessions/find-session.ts";
import { listSessionsInScope } from "./list-search.ts";

/** Returns a function that sums up the blob sizes of a session. A blob that several sessions share by a hard link is counted once. */
function createBlobCounter(): (path: string) => number {
  const countedBlobs = new Set<string>();
  return (path) => {
    const folder = join(dirname(path), ".pith", basename(path), "blobs");
    let bytes = 0;
    for (const name of realFiles.list(folder)) {
      const stat = realFiles.stat(join(folder, name));
      if (stat?.kind !== "file" || countedBlobs.has(stat.identity)) continue;
      countedBlobs.add(stat.identity);
      bytes += stat.size;
    }
    return bytes;
  };
}

function formatStats(stats: SessionStats): string {
  if (stats.sessions === 0) return "No sessions yet.";
  const { bytes, usage } = stats;
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  const cachedText = usage.cacheRead > 0 ? ` (${formatNumber(usage.cacheRead)} from the cache)` : "";
  const lines: readonly (readonly [string, string])[] = [
    [
      "sessions",
      `${formatNumber(stats.sessions)}${stats.damaged > 0 ? `, ${formatNumber(stats.damaged)} of them unreadable` : ""}`,
    ],
    [
      "disk",
      `${formatBytes(bytes.logs + bytes.blobs)}: logs ${formatBytes(bytes.logs)}, blobs ${formatBytes(bytes.blobs)}`,
    ],
    [
      "contents",
      `${formatNumber(stats.entries)} entries, ${formatCount(stats.messages, "message")}, ${formatCount(stats.toolCalls, "tool call")}, ${formatCount(stats.compactions, "compaction")}`,
    ],
    ["tokens", `${formatNumber(input)} in${cachedText}, ${formatNumber(usage.output)} out`],
    ["cost", usage.cost.total > 0 ? formatCost(usage.cost.total) : "none, or unknown prices"],
    ...formatEstimates(stats.estimates),
  ];
  const biggestLines = stats.sessions === 1 ? [] : ["", "largest", ...stats.biggest.map(formatSizedSession)];
  return [...lines.map(([label, value]) => `${label.padEnd(10)}${value}`), ...biggestLines].join("\n");
}

function formatEstimates({
  count,
  expectedCost,
  actualCost,
  errors,
}: SessionStats["estimates"]): readonly (readonly [string, string])[] {
  if (count === 0) return [];
  const costs = `expected ${formatCost(expectedCost)}, actual ${formatCost(actualCost)}`;
  const error = `${Math.round((errors / count) * 100)}%`;
  return [["estimates", `${formatCount(count, "compaction")}: ${costs}, off by ${error} on average`]];
}

function formatSizedSession({ id, bytes, cost, title }: SizedSession): string {
  const price = cost > 0 ? formatCost(cost) : "–";
  return `  ${id.slice(0, 8).padEnd(8)}  ${formatBytes(bytes).padStart(8)}  ${price.padStart(8)}  ${[...title].slice(0, MAX_TITLE_CHARS).join("")}`;
}

const MAX_TITLE_CHARS = 60;

/** Reads each session file once, completely. */
export async function runStats(call: SubcommandCall): Promise<SubcommandResult> {
  const [sessionRef] = call.arguments;
  const match = sessionRef === undefined ? null : await findSessionForCall(sessionRef, call);
  if (match?.type === "mistake") return match;
  const items = match
    ? [createSessionItem(match)]
    : await listSessionsInScope(parseSessionScope({ ...call, flags: { all: true, ...call.flags } }), call.home);
  // The list of the biggest sessions quotes their first message, which another program may have written without redaction.
  const stats = (await createRedaction(call)).redact(await collectStats(items, call.notify));
  return { type: "success", text: formatStats(stats), data: stats };
}

function createSessionItem({ path, id }: { readonly path: string; readonly id: string }): SessionItem {
  const { size = 0, modified = 0 } = realFiles.stat(path) ?? {};
  return { path, id, size, modified, cwd: "", created: "", firstMessage: "" };
}

async function collectStats(items: readonly SessionItem[], notify: (line: string) => void): Promise<SessionStats> {
  const reportProgress = createProgressReporter(notify);
  const countBlobBytes = createBlobCounter();
  let stats: SessionStats = EMPTY_STATS;
  let bytesRead = 0;
  const totalBytes = items.reduce((sum, { size }) => sum + size, 0);
  for (const item of items) {
    reportProgress(`${formatBytes(bytesRead)} of ${formatBytes(totalBytes)} read`);
    stats = await addSession(stats, item, countBlobBytes(item.path));
    bytesRead += item.size;
  }
  return stats;
}

const EMPTY_STATS: SessionStats = {
  sessions: 0,
  damaged: 0,
  bytes: { logs: 0, blobs: 0 },
  entries: 0,
  messages: 0,
  toolCalls: 0,
  compactions: 0,
  estimates: zeroTotals.estimates,
  usage: zeroUsage,
  biggest: [],
};

async function addSession(stats: SessionStats, item: SessionItem, blobBytes: number): Promise<SessionStats> {
  const result = await readSessionTotals(item.path);
  const bytes = { logs: stats.bytes.logs + item.size, blobs: stats.bytes.blobs + blobBytes };
  const hasHeader = result.type === "counted" && result.header !== null;
  const base = { ...stats, sessions: stats.sessions + 1, bytes };
  if (result.type !== "counted") return { ...base, damaged: stats.damaged + 1 };
  const { totals, header } = result;
  const title = item.name ?? item.firstMessage;
  const sizedSession = {
    id: header?.id ?? item.id,
    path: item.path,
    bytes: item.size + blobBytes,
    title,
    cost: totals.usage.cost.total,
  };
  return {
    ...base,
    damaged: stats.damaged + (hasHeader ? 0 : 1),
    entries: stats.entries + totals.entries,
    messages: stats.messages + totals.userMessages + totals.assistantMessages,
    toolCalls: stats.toolCalls + totals.toolCalls,
    compactions: stats.compactions + totals.compactions,
    estimates: {
      count: stats.estimates.count + totals.estimates.count,
      expectedCost: stats.estimates.expectedCost + totals.estimates.expectedCost,
      actualCost: stats.estimates.actualCost + totals.estimates.actualCost,
      errors: stats.estimates.errors + totals.estimates.errors,
    },
    usage: sumUsage([stats.usage, totals.usage]),
    biggest: [...stats.biggest, sizedSession].sort((a, b) => b.bytes - a.bytes).slice(0, MAX_BIGGEST_SESSIONS),
  };
}

const MAX_BIGGEST_SESSIONS = 10;

export interface SessionStats {
  readonly sessions: number;
  readonly damaged: number;
  readonly bytes: { readonly logs: number; readonly blobs: number };
  readonly entries: number;
  readonly messages: number;
  readonly toolCalls: number;
  readonly compactions: number;
  /** The expected and the actual cost of compactions, and the sum of their relative errors. */
  readonly estimates: typeof zeroTotals.estimates;
  readonly usage: Usage;
  readonly biggest: readonly SizedSession[];
}

export interface SizedSession {
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
  readonly title: string;
  readonly cost: number;
}
