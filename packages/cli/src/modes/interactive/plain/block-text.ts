/** Renders transcript blocks and state changes as sentences that can be read aloud, without boxes or symbols. Pure. */

import { several, severalLines } from "../../../text/format.ts";
import { clipped, oneLine, plain } from "../../../text/safe-text.ts";
import type { Answered, Block, Called, Compacted, Note, Said, ShellLine } from "../state/blocks.ts";
import type { Facts } from "../state/footer.ts";
import type { ScreenState, Signs, Work } from "../state/screen-state.ts";

/** One sentence, such as `Tool bash npm test: done, 12 lines.`; a failed call adds its first lines. */
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

export function toldChange(before: ScreenState, after: ScreenState): readonly string[] {
  const lines = [
    ...factsTold(before.facts, after.facts),
    ...workTold(before.work, after.work),
    ...queueTold(before, after),
    ...signsTold(before.signs, after.signs),
    ...(after.hint !== null && after.hint !== before.hint ? [`Hint: ${after.hint}`] : []),
    ...(before.work.type !== "idle" && after.work.type === "idle" ? [readyTold(after.facts)] : []),
  ];
  return lines.map(plain);
}

/** A start is told at once; afterwards only what became another. */
function factsTold(before: Facts, after: Facts): readonly string[] {
  const { model, folder, mode, sessionName } = after;
  if (before.model === "" && model !== "")
    return [`Model ${model}, folder ${folder}${mode === null ? "" : `, permission mode ${mode}`}.`];
  return [
    ...(model === before.model ? [] : [`Model: ${model}.`]),
    ...(mode === before.mode || mode === null ? [] : [`Permission mode: ${mode}.`]),
    ...(sessionName === before.sessionName || sessionName === null ? [] : [`Session: ${sessionName}.`]),
  ];
}

function workTold(before: Work, after: Work): readonly string[] {
  if (after.type === before.type) return [];
  switch (after.type) {
    case "compacting":
      return ["Compacting, to make room. Ctrl+C stops it."];
    case "summarising":
      return ["The branch that is left is told in short. Ctrl+C stops it."];
    case "retrying":
      return [`It is tried again, because: ${after.why}`];
    case "running":
    case "idle":
      return [];
  }
}

/** Only when they come: read out at every change, they would be heard all the time. */
function signsTold(before: Signs, after: Signs): readonly string[] {
  if (before === after) return [];
  const statuses = Object.entries(after.statuses).filter(([key]) => !Object.hasOwn(before.statuses, key));
  const widgets = Object.entries(after.widgets).filter(([key]) => !Object.hasOwn(before.widgets, key));
  return [...statuses.map(([, text]) => `Status: ${text}`), ...widgets.flatMap(([, lines]) => lines)];
}

function queueTold({ queue: before }: ScreenState, { queue: after }: ScreenState): readonly string[] {
  const steering = after.steering.slice(before.steering.length).map((text) => `Waits to be heard: ${text}`);
  const later = after.followUp.slice(before.followUp.length).map((text) => `Waits for the end: ${text}`);
  return [...steering, ...later];
}

function readyTold({ meter }: Facts): string {
  if (!meter?.limit) return "Ready.";
  return `Ready. The context is ${meter.isEstimate ? "about " : ""}${Math.round((meter.tokens / meter.limit) * 100)} % full.`;
}
