/** One block of a transcript in words, as somebody would read it out: no boxes, no signs, one line where one is enough. Pure. */

import { oneLine } from "../../../printing/one-line.ts";
import { plain } from "../../../printing/plain.ts";
import type { Answered, Block, Compacted, Note, Said, ShellLine } from "../../state/block.ts";
import { severalLines } from "./several.ts";
import { toldCall } from "./told-call.ts";

/** Lines without anything that steers a terminal; none where nothing is to be said of it. */
export function toldBlock(block: Block): readonly string[] {
  const text = plain(wordsOf(block)).replace(/\s+$/, "");
  return text === "" ? [] : text.split("\n");
}

function wordsOf(block: Block): string {
  switch (block.kind) {
    case "said":
      return saidTold(block);
    case "answered":
      return answerTold(block);
    case "thought":
      return `Pith thought: ${severalLines(block.text)}.`;
    case "called":
      return toldCall(block);
    case "shell":
      return shellTold(block);
    case "compacted":
      return compactedTold(block);
    case "branch-told":
      return `The branch that was left, in short: ${block.summary}`;
    case "pinned":
      return `Pinned: ${block.text}`;
    case "note":
      return `${tones[block.tone]}${block.text.replaceAll(DRAWN, "")}`;
  }
}

const tones: Readonly<Record<Note["tone"], string>> = { plain: "", good: "", warning: "Warning: ", bad: "Error: " };

/** Bars and rules, which would be read out sign by sign. */
const DRAWN = / *[\u2500-\u259f]+ */g;

function saidTold({ text, images, from }: Said): string {
  const who = from === "program" ? "Said for you" : "You";
  const pictures =
    images.length === 0 ? "" : ` (with ${images.length === 1 ? "a picture" : `${images.length} pictures`})`;
  return `${who}${pictures}: ${text}`;
}

/** What comes behind its first paragraph needs no name before it. */
function answerTold({ text, printed }: Answered): string {
  const rest = text.slice(printed);
  if (rest.trim() === "") return "";
  return printed === 0 ? `Pith: ${rest.trimStart()}` : rest;
}

function shellTold({ command, output, exitCode, isCancelled, isPrivate }: ShellLine): string {
  const end = isCancelled ? "stopped" : exitCode === 0 ? "done" : `ended with ${exitCode ?? "no code"}`;
  const unseen = isPrivate ? "; the model does not see it" : "";
  return `${output.replace(/\s+$/, "")}\nShell ${oneLine(command)}: ${end}${unseen}.`.trimStart();
}

function compactedTold({ entry, warnings, isUndone }: Compacted): string {
  if (isUndone) return "A compaction, which was undone.";
  const found = warnings.map((warning) => `\nWarning: ${warning}`).join("");
  return `Compacted: ${entry.tokensBefore} tokens became a summary. /context tells what fills the context now, /undo takes it back.${found}`;
}
