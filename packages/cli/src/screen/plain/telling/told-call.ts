/** What a tool did, in one sentence, such as `Tool bash npm test: done, 12 lines.`; of what failed also the first lines. Pure. */

import { clipped } from "../../../printing/clipped.ts";
import { oneLine } from "../../../printing/one-line.ts";
import type { Called } from "../../state/block.ts";
import { several, severalLines } from "./several.ts";

export function toldCall(call: Called): string {
  const name = calledName(call);
  switch (call.state) {
    case "writing":
    case "waiting":
      return `${name}: waits.`;
    case "running":
      return `${name}: running.`;
    case "done":
      return `${name}: done, ${amountOf(call)}${timeOf(call)}.`;
    case "failed":
      return `${name}: failed${timeOf(call)}: ${headOf(call.output)}`;
    case "broken-off":
      return `${name}: broken off.`;
  }
}

/** The tool, and what it was called with as far as that says which. */
export function calledName({ tool, arguments: given }: Called): string {
  const { path, command, pattern, url } = given;
  const which = [command, pattern, path, url].filter((each) => typeof each === "string");
  return `Tool ${[tool, ...which].map((word) => clipped(oneLine(word))).join(" ")}`;
}

function amountOf({ output, diff, images }: Called): string {
  if (images.length > 0) return several(images.length, "picture");
  if (diff === undefined) return severalLines(output);
  const lines = diff.split("\n").filter((line) => !/^(?:\+\+\+|---) /.test(line));
  const [came, went] = ["+", "-"].map((sign) => lines.filter((line) => line.startsWith(sign)).length);
  return `${several(came ?? 0, "line")} added, ${went === 0 ? "none" : (went ?? 0)} removed`;
}

function timeOf({ tookMs = 0 }: Called): string {
  return tookMs < LONG ? "" : `, ${several(Math.round(tookMs / 1_000), "second")}`;
}

/** In milliseconds: shorter is not worth a word. */
const LONG = 2_000;

function headOf(output: string): string {
  const lines = output.trim().slice(0, MOST_LETTERS).split("\n");
  const more = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`and ${several(more, "more line")}`] : [])].join("\n");
}

const MOST_LINES = 5;
const MOST_LETTERS = 2_000;
