/** Keeps the outline of a session's tree: each entry in a few words, with its children. An outline only ever grows. */

import { DRAFT_TYPE } from "@pith/agent";
import type { AgentMessage, Entry } from "@pith/context";
import { authorOf, entryText, PIN_TYPE, removeCitations, sanitizeLine } from "@pith/context/host";
import { entryDisplayText } from "./entries.ts";

export interface Outline {
  readonly nodes: ReadonlyMap<string, Twig>;
  /** What is read begins with it, as long as the roots are not. */
  readonly top: string | null;
  /** Where one stands; null before the first entry. */
  readonly leaf: string | null;
  readonly labels: ReadonlyMap<string, string>;
  /** Whether all of the session is in it, more is coming, or it is too long for that. */
  readonly reach: "whole" | "growing" | "cut";
}

/** An entry where it hangs. */
export interface Twig extends Pick<Sketch, "id" | "parentId" | "kind" | "time"> {
  /** In the order in which they came, from 0: a list by these numbers needs no names. */
  readonly number: number;
  /** What is shown of it in one line; of a tool's result its call, as soon as that was read. */
  readonly words: string;
  /** The same as a search looks at it: with every letter typed all of them are looked through. */
  readonly sought: string;
  readonly isFailed: boolean;
  /** In the order in which they were written. */
  readonly children: readonly Twig[];
  /** Whether it lies between the first that was read and where one stands. */
  readonly isOnWay: boolean;
}

/** Entries that follow one another: what was known of its children makes room. */
export interface Family {
  readonly parentId: string | null;
  readonly children: readonly Sketch[];
}

export interface Growth extends Pick<Outline, "top" | "reach"> {
  readonly families: readonly Family[];
  /** Where they were read just now. */
  readonly labels?: Outline["labels"];
}

export function emptyOutline(leaf: string | null): Outline {
  const registers: Registers = { nodes: new Map(), calls: new Map(), results: new Map(), adrift: new Map() };
  const outline: Kept = { ...registers, top: null, leaf, labels: new Map(), reach: "growing" };
  return outline;
}

type Draft = { -readonly [Field in keyof Twig]: Twig[Field] };

/** What an outline is kept in. */
interface Registers {
  readonly nodes: Map<string, Draft>;
  /** Calls in a few words, by their ids. */
  readonly calls: Map<string, string>;
  /** Results whose call was not read yet, by its id. */
  readonly results: Map<string, Draft>;
  /** Children whose parent was not read yet; those of null are the roots. */
  readonly adrift: Map<string | null, readonly Draft[]>;
}

type Kept = Omit<Outline, keyof Registers> & Registers;

/** The next outline has the registers of the one before, with more in them: a copy of a hundred thousand would be felt. */
export function grown(outline: Outline, { families, ...told }: Growth): Outline {
  const registers = outline as Kept;
  const { nodes, adrift } = registers;
  for (const { parentId, children } of families) {
    const twigs = children.map((sketch) => nodes.get(sketch.id) ?? added(sketch, registers));
    const parent = parentId === null ? undefined : nodes.get(parentId);
    if (parent) parent.children = twigs;
    else adrift.set(parentId, twigs);
  }
  const known = outline.top === null ? outline.leaf : nodes.get(outline.top)?.parentId;
  for (let twig = nodes.get(known ?? ""); twig && !twig.isOnWay; twig = nodes.get(twig.parentId ?? ""))
    twig.isOnWay = true;
  return { ...outline, ...told };
}

/** Every field is always there: what is gone through so often has one shape. */
function added(sketch: Sketch, registers: Registers): Draft {
  const { nodes, adrift } = registers;
  const { id, parentId, kind, time, words, isFailed = false } = sketch;
  const place = { number: nodes.size, children: adrift.get(id) ?? NONE, isOnWay: false };
  const twig: Draft = { id, parentId, kind, time, words, sought: words.toLowerCase(), isFailed, ...place };
  adrift.delete(id);
  nodes.set(id, twig);
  paired(sketch, twig, registers);
  return twig;
}

/** A result is told by its call, whichever of them is read first. */
function paired({ callId, calls: called = [] }: Sketch, twig: Draft, { calls, results }: Registers): void {
  for (const [id, words] of called) {
    calls.set(id, words);
    const result = results.get(id);
    if (result) tellCall(result, words);
    results.delete(id);
  }
  if (callId === undefined) return;
  const words = calls.get(callId);
  if (words === undefined) results.set(callId, twig);
  else tellCall(twig, words);
}

function tellCall(result: Draft, call: string): void {
  result.words = result.isFailed ? `${call}: ${result.words.slice(result.words.indexOf(" ") + 1)}` : call;
  result.sought = result.words.toLowerCase();
}

/** One for all, since many have none. */
const NONE: readonly Draft[] = [];

/** Those that what is read begins with. */
export function rootsOf(outline: Outline): readonly Twig[] {
  const { adrift, nodes, top } = outline as Kept;
  const first = nodes.get(top ?? "");
  return adrift.get(null) ?? (first ? [first] : []);
}

/** With another name for an entry; an empty one takes it away. */
export function relabelled(outline: Outline, id: string, label: string): Outline {
  const labels = new Map(outline.labels);
  if (label === "") labels.delete(id);
  else labels.set(id, label);
  return { ...outline, labels };
}

/** `calls` is a reply without words; `other` is noted, and nothing to people by itself. */
export type SketchKind =
  | "you"
  | "program"
  | "reply"
  | "calls"
  | "tool"
  | "shell"
  | "compaction"
  | "left"
  | "pin"
  | "draft"
  | "note"
  | "lost"
  | "other";

/** Whether it is something to people. */
export function isSeen(entry: Entry): boolean {
  if (entry.type !== "message") return kindOf(entry) !== "other";
  return ROLES_SEEN.includes(entry.message.role);
}

const ROLES_SEEN: readonly string[] = ["user", "assistant", "toolResult", "bashExecution"];

/** Of all but messages. */
export function kindOf(entry: Exclude<Entry, { type: "message" }>): SketchKind {
  switch (entry.type) {
    case "compaction":
      return "compaction";
    case "branch_summary":
      return "left";
    case "custom_message":
      if (entry.customType === PIN_TYPE) return "pin";
      return entry.display ? "note" : "other";
    case "custom":
      if (entry.customType === DRAFT_TYPE) return "draft";
      return entry.customType === PIN_TYPE ? "pin" : "other";
    case "gap":
      return "lost";
    default:
      return "other";
  }
}

/** Small, because an outline may hold a hundred thousand of them. */
export interface Sketch {
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: SketchKind;
  /** How it begins, in one line. */
  readonly words: string;
  /** In milliseconds. */
  readonly time: number;
  /** What a reply calls: the id of each call, and the call in a few words. */
  readonly calls?: readonly (readonly [id: string, words: string])[];
  /** The call whose result this is. */
  readonly callId?: string;
  readonly isFailed?: true;
}

/** An entry may come from before redaction, or from another program: a secret goes before anything is cut, else its half stays. */
export function sketchOf(entry: Entry, redacted: (text: string) => string = (text) => text): Sketch {
  const { id, parentId, timestamp } = entry;
  const place = { id, parentId, time: Date.parse(timestamp) || 0 };
  const cut: Cut = (text, most = LETTERS) => sanitizeLine(redacted(text.slice(0, most * 5)), most);
  if (entry.type === "message") return { ...place, ...sketchOfMessage(entry, entry.message, cut) };
  return { ...place, kind: kindOf(entry), words: cut(wordsOf(entry)) };
}

/** The beginning of a text, as it may be shown in a line. */
type Cut = (text: string, most?: number) => string;

/** Enough for a wide line and for a search. */
const LETTERS = 240;

type Told = Omit<Sketch, "id" | "parentId" | "time">;

function sketchOfMessage(entry: Entry, message: AgentMessage, cut: Cut): Told {
  switch (message.role) {
    case "user":
      return { kind: authorOf(entry) === "person" ? "you" : "program", words: saidIn(entry, cut) };
    case "assistant":
      return repliedWith(message, saidIn(entry, cut), cut);
    case "toolResult": {
      const { toolName, toolCallId: callId } = message;
      // What a tool gave is the call's; only a failure speaks for itself.
      if (!message.isError) return { kind: "tool", words: cut(toolName), callId };
      return { kind: "tool", words: cut(`${toolName} ${entryText(entry)}`), callId, isFailed: true };
    }
    case "bashExecution":
      return { kind: "shell", words: cut(message.command) };
    default:
      return { kind: "other", words: saidIn(entry, cut) };
  }
}

function saidIn(entry: Entry, cut: Cut): string {
  return cut(
    entryDisplayText(entry)
      .slice(0, LETTERS * 6)
      .replaceAll("**", ""),
  );
}

type Reply = Extract<AgentMessage, { role: "assistant" }>;

function repliedWith({ content, stopReason, errorMessage }: Reply, words: string, cut: Cut): Told {
  const calls = content.flatMap((part) => (part.type === "toolCall" ? [[part.id, callWords(part, cut)] as const] : []));
  const called = calls.length > 0 ? { calls } : {};
  const isBroken = stopReason === "error" || stopReason === "aborted";
  if (isBroken && words === "") {
    const why = errorMessage === undefined ? "it was stopped" : cut(errorMessage);
    return { kind: "reply", words: why, isFailed: true, ...called };
  }
  return words === ""
    ? { kind: "calls", words: calls.map(([, call]) => call).join(", "), ...called }
    : { kind: "reply", words, ...called };
}

type ToolCall = Extract<Reply["content"][number], { type: "toolCall" }>;

/** A call by what matters most in it: the file, the command, the pattern. */
function callWords({ name, arguments: given }: ToolCall, cut: Cut): string {
  const fields: Readonly<Record<string, unknown>> = Object(given);
  const main = MAIN.map((field) => fields[field]).find((value) => typeof value === "string" && value !== "");
  return cut(`${name} ${typeof main === "string" ? main : JSON.stringify(given ?? {})}`, CALL_LETTERS);
}

const MAIN = ["path", "file_path", "command", "pattern", "query", "url"];
const CALL_LETTERS = 120;

function wordsOf(entry: Exclude<Entry, { type: "message" }>): string {
  switch (entry.type) {
    case "compaction":
      return `${entry.tokensBefore.toLocaleString("en-US")} tokens before it`;
    case "branch_summary":
      return told(entry.summary);
    case "custom_message":
      return entryText(entry);
    case "custom":
      return textIn(entry.data) ?? entry.customType;
    case "gap":
      return entry.why;
    case "model_change":
      return `model: ${entry.provider}/${entry.modelId}`;
    case "thinking_level_change":
      return `thinking: ${entry.thinkingLevel}`;
    case "label":
      return entry.label === undefined ? "label taken away" : `label: ${entry.label}`;
    case "session_info":
      return `name: ${entry.name ?? ""}`;
    default:
      return entry.type.replaceAll("_", " ");
  }
}

function textIn(data: unknown): string | null {
  const { text } = Object(data) as { readonly text?: unknown };
  return typeof text === "string" ? text : null;
}

/** Without the words that every such summary begins with, its headings and its bullets. */
function told(summary: string): string {
  const lines = summary.replace(/^The user explored[^\n]*\n(?:Summary of that exploration:)?/, "").split("\n");
  const points = lines.map(removeCitations).filter((line) => !/^#|^\s*$|^\W*\(none\)\s*$/.test(line));
  return points.map((line) => line.replace(/^\s*(?:[-*]|\d+\.)\s+(?:\[[ x]\]\s+)?/, "").trim()).join("; ");
}
