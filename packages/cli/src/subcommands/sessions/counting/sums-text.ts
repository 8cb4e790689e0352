/** Sums over sessions as lines for people. */

import { amount, bytesTold, costTold, counted } from "../../../printing/amounts.ts";
import type { Sized, Sums } from "./sums.ts";

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
