/** The one line that tells of a call: how it stands, what it is, how much came of it, and how long it took. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { counted, secondsTold } from "../../../printing/amounts.ts";
import type { Called } from "../../state/block.ts";
import type { Brush } from "../brush.ts";
import { linesIn } from "../lines/part-shown.ts";
import { shownLine } from "../lines/wrapped.ts";
import type { Ink } from "../theme.ts";
import { callWords } from "./call-words.ts";
import { changeCount } from "./diff-rows.ts";

export function callHeading(block: Called, { width, theme, now }: Brush): string {
  const { sign, ink } = SIGNS[block.state];
  const facts = [amountOf(block), STATES[block.state] ?? "", timeOf(block, now)].filter((fact) => fact !== "");
  const behind = facts.map((fact) => ` · ${fact}`).join("");
  const [tool = "", ...words] = shownLine(callWords(block.tool, block.arguments)).split(" ");
  const room = Math.max(8, width - 2 - visibleWidth(tool) - 1 - visibleWidth(behind));
  const rest = truncateToWidth(words.join(" "), room, "…");
  return `${theme[ink](sign)} ${theme.strong(tool)}${rest === "" ? "" : ` ${rest}`}${theme.dim(behind)}`;
}

/** How it stands is seen without colour, too. */
const SIGNS: Readonly<Record<Called["state"], { readonly sign: string; readonly ink: Ink }>> = {
  writing: { sign: "○", ink: "dim" },
  waiting: { sign: "○", ink: "dim" },
  running: { sign: "●", ink: "accent" },
  done: { sign: "✓", ink: "good" },
  failed: { sign: "✗", ink: "bad" },
  "broken-off": { sign: "–", ink: "warning" },
};

const STATES: Partial<Record<Called["state"], string>> = {
  writing: "being written",
  failed: "failed",
  "broken-off": "broke off",
};

function amountOf({ tool, state, output, diff, arguments: { content } }: Called): string {
  if (diff !== undefined) return changeCount(diff);
  if (tool === "write" && typeof content === "string") return counted(linesIn(content).length, "line");
  const isListed = state === "done" && COUNTED.includes(tool);
  return isListed ? counted(linesIn(output).length, "line") : "";
}

/** Of these nothing else is shown while they are folded. */
export const COUNTED: readonly string[] = ["read", "grep", "find", "ls", "fetch"];

function timeOf({ state, since, tookMs }: Called, now: number): string {
  const ms = tookMs ?? (state === "running" && since !== undefined ? now - since : 0);
  return ms >= 1_000 ? secondsTold(ms) : "";
}
