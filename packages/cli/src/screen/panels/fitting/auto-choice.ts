/** Whether anything is compacted by itself, with what that means for this window. */

import type { Budget } from "@pith/context";
import { amount } from "../../../printing/amounts.ts";
import type { Walk } from "../../widgets/list.ts";
import { choice } from "../choice.ts";
import type { Panel } from "../panel.ts";

export function autoChoice(budget: Budget): Panel<Walk, boolean> {
  const { enabled } = budget.limits;
  return choice({
    title: `Automatic compaction is ${enabled ? "on" : "off"}`,
    body: ({ theme }) => rowsOf(budget).map(([name, says]) => `   ${theme.dim(name.padEnd(18))} ${says}`),
    options: [
      { key: "1", label: "on ", says: "the context is made smaller when it is full", value: true },
      { key: "2", label: "off", says: "only when you ask for it with /compact", value: false },
    ],
    at: enabled ? 0 : 1,
  });
}

function rowsOf({ contextWindow, limit, tail, limits }: Budget): readonly (readonly [string, string])[] {
  const reserve = limits.thresholds.find((threshold) => threshold.reserve !== undefined)?.reserve;
  const isKnown = Number.isFinite(limit);
  return [
    ["window", isKnown ? `${amount(contextWindow)} tokens` : "unknown: compacted when the provider refuses a request"],
    ...(isKnown ? [["compacted above", `${amount(limit)} tokens`] as const] : []),
    [
      "reserveTokens",
      `${reserve === undefined ? "none" : amount(reserve)}: ${isKnown ? `${amount(contextWindow - limit)} stay free for answers` : "stays free for answers"}`,
    ],
    ["keepRecentTokens", `${amount(limits.tail.tokens)}: the newest ${amount(tail)} stay as they were said`],
  ];
}
