/** A shell line of the user's own, and what it said. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { keyTold } from "../../keys/key-hint.ts";
import type { ShellLine } from "../../state/block.ts";
import type { Brush } from "../brush.ts";
import { partShown } from "../lines/part-shown.ts";
import { shownLine } from "../lines/wrapped.ts";

export function drawShell(block: ShellLine, brush: Brush): readonly string[] {
  const { width, theme } = brush;
  const facts = factsOf(block, brush)
    .map((fact) => ` · ${fact}`)
    .join("");
  const command = truncateToWidth(shownLine(block.command), Math.max(8, width - 2 - visibleWidth(facts)), "…");
  const head = `${theme.user("$")} ${theme.strong(command)}${isBad(block) ? theme.bad(facts) : theme.dim(facts)}`;
  return [head, ...partShown({ text: block.output, few: FEW, end: "last", ink: theme.dim }, brush)];
}

function factsOf({ isOpen, isCancelled, exitCode, isPrivate }: ShellLine, { keymap }: Brush): readonly string[] {
  const end = isCancelled ? "stopped" : exitCode ? `exit code ${exitCode}` : "";
  const now = isOpen ? ["running", keyTold("stop", "stops it", keymap)] : [end];
  return [...now, isPrivate ? "the model does not see it" : ""].filter((fact) => fact !== "");
}

function isBad({ isOpen, exitCode }: ShellLine): boolean {
  return !isOpen && exitCode !== null && exitCode !== 0;
}

/** Who ran it wants to read it. */
const FEW = 12;
