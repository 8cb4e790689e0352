/** Keeps the outline of a session's tree: each entry in a few words, with its children. An outline only ever grows. */

import { DRAFT_TYPE } from "@pith/agent";
import type { AgentMessage, Entry } from "@pith/context";
import { authorOf, entryText, PIN_TYPE, removeCitations, sanitizeLine } from "@pith/context/host";
import { formatSizes } from "../text/compaction-text.ts";
import { entryDisplayText } from "./entries.ts";

export interface Outline {
  readonly nodes: ReadonlyMap<string, OutlineNode>;
  /** What is read begins with it, as long as the roots are not. */
  readonly top: string | null;
  /** Where one stands; null before the first entry. */
  readonly leaf: string | null;
  readonly labels: ReadonlyMap<string, string>;
  /** Whether all of the session is in it, more is coming, or it is too long for that. */
  readonly reach: "whole" | "growing" | "cut";
}

/** An entry where it hangs. */
export interface OutlineNode extends Pick<OutlineEntry, "id" | "parentId" | "kind" | "time"> {
  /** In the order in which they came, from 0: a list by these numbers needs no names. */
  readonly number: number;
  /** What is shown of it in one line; of a tool's result its call, as soon as that was read. */
  readonly text: string;
  /** The same as a search looks at it: with every letter typed all of them are looked through. */
  readonly searchText: string;
  readonly isFailed: boolean;
  /** In the order in which they were written. */
  readonly children: readonly OutlineNode[];
  /** Whether it lies between the first that was read and where one stands. */
  readonly isOnWay: boolean;
}

/** Entries that follow one another: what was known of its children makes room. */
export interface OutlineGroup {
  readonly parentId: string | null;
  readonly children: readonly OutlineEntry[];
}

export interface OutlineUpdate extends Pick<Outline, "top" | "reach"> {
  readonly groups: readonly OutlineGroup[];
  /** Where they were read just now. */
  readonly labels?: Outline["labels"];
}

export function createOutline(leaf: string | null): Outline {
  const index: OutlineIndex = { nodes: new Map(), calls: new Map(), results: new Map(), orphans: new Map() };
  const outline: IndexedOutline = { ...index, top: null, leaf, labels: new Map(), reach: "growing" };
  return outline;
}

type MutableNode = { -readonly [Field in keyof OutlineNode]: OutlineNode[Field] };

/** What an outline is kept in. */
interface OutlineIndex {
  readonly nodes: Map<string, MutableNode>;
  /** Calls in a few words, by their ids. */
  readonly calls: Map<string, string>;
  /** Results whose call was not read yet, by its id. */
  readonly results: Map<string, MutableNode>;
  /** Children whose parent was not read yet; those of null are the roots. */
  readonly orphans: Map<string | null, readonly MutableNode[]>;
}

type IndexedOutline = Omit<Outline, keyof OutlineIndex> & OutlineIndex;

/** The next outline has the registers of the one before, with more in them: a copy of a hundred thousand would be felt. */
export function extendOutline(outline: Outline, { groups, ...fields }: OutlineUpdate): Outline {
  const index = outline as IndexedOutline;
  const { nodes, orphans } = index;
  for (const { parentId, children } of groups) {
    const childNodes = children.map((entry) => nodes.get(entry.id) ?? addNode(entry, index));
    const parent = parentId === null ? undefined : nodes.get(parentId);
    if (parent) parent.children = childNodes;
    else orphans.set(parentId, childNodes);
  }
  const startId = outline.top === null ? outline.leaf : nodes.get(outline.top)?.parentId;
  for (let node = nodes.get(startId ?? ""); node && !node.isOnWay; node = nodes.get(node.parentId ?? ""))
    node.isOnWay = true;
  return { ...outline, ...fields };
}

/** Every field is always there: what is gone through so often has one shape. */
function addNode(entry: OutlineEntry, index: OutlineIndex): MutableNode {
  const { nodes, orphans } = index;
  const { id, parentId, kind, time, text, isFailed = false } = entry;
  const links = { number: nodes.size, children: orphans.get(id) ?? NO_CHILDREN, isOnWay: false };
  const node: MutableNode = { id, parentId, kind, time, text, searchText: text.toLowerCase(), isFailed, ...links };
  orphans.delete(id);
  nodes.set(id, node);
  linkCallAndResult(entry, node, index);
  return node;
}

/** A result is told by its call, whichever of them is read first. */
function linkCallAndResult(
  { callId, calls: entryCalls = [] }: OutlineEntry,
  node: MutableNode,
  { calls, results }: OutlineIndex,
): void {
  for (const [id, text] of entryCalls) {
    calls.set(id, text);
    const result = results.get(id);
    if (result) setCallText(result, text);
    results.delete(id);
  }
  if (callId === undefined) return;
  const text = calls.get(callId);
  if (text === undefined) results.set(callId, node);
  else setCallText(node, text);
}

function setCallText(result: MutableNode, call: string): void {
  result.text = result.isFailed ? `${call}: ${result.text.slice(result.text.indexOf(" ") + 1)}` : call;
  result.searchText = result.text.toLowerCase();
}

/** One for all, since many have none. */
const NO_CHILDREN: readonly MutableNode[] = [];

/** Those that what is read begins with. */
export function findRoots(outline: Outline): readonly OutlineNode[] {
  const { orphans, nodes, top } = outline as IndexedOutline;
  const topNode = nodes.get(top ?? "");
  return orphans.get(null) ?? (topNode ? [topNode] : []);
}

/** With another name for an entry; an empty one takes it away. */
export function setLabel(outline: Outline, id: string, label: string): Outline {
  const labels = new Map(outline.labels);
  if (label === "") labels.delete(id);
  else labels.set(id, label);
  return { ...outline, labels };
}

/** `calls` is a reply without words; `other` is noted, and nothing to people by itself. */
export type OutlineKind =
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
export function isVisibleEntry(entry: Entry): boolean {
  if (entry.type !== "message") return classifyEntry(entry) !== "other";
  return VISIBLE_ROLES.includes(entry.message.role);
}

const VISIBLE_ROLES: readonly string[] = ["user", "assistant", "toolResult", "bashExecution"];

/** Of all but messages. */
export function classifyEntry(entry: Exclude<Entry, { type: "message" }>): OutlineKind {
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
export interface OutlineEntry {
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: OutlineKind;
  /** How it begins, in one line. */
  readonly text: string;
  /** In milliseconds. */
  readonly time: number;
  /** What a reply calls: the id of each call, and the call in a few words. */
  readonly calls?: readonly (readonly [id: string, words: string])[];
  /** The call whose result this is. */
  readonly callId?: string;
  readonly isFailed?: true;
}

/** An entry may come from before redaction, or from another program: a secret goes before anything is cut, else its half stays. */
export function toOutlineEntry(entry: Entry, redact: (text: string) => string = (text) => text): OutlineEntry {
  const { id, parentId, timestamp } = entry;
  const base = { id, parentId, time: Date.parse(timestamp) || 0 };
  const shorten: Shorten = (text, maxChars = MAX_TEXT_CHARS) =>
    sanitizeLine(redact(text.slice(0, maxChars * 5)), maxChars);
  if (entry.type === "message") return { ...base, ...describeMessage(entry, entry.message, shorten) };
  return { ...base, kind: classifyEntry(entry), text: shorten(describeEntry(entry)) };
}

/** The beginning of a text, as it may be shown in a line. */
type Shorten = (text: string, most?: number) => string;

/** Enough for a wide line and for a search. */
const MAX_TEXT_CHARS = 240;

type OutlineContent = Omit<OutlineEntry, "id" | "parentId" | "time">;

function describeMessage(entry: Entry, message: AgentMessage, shorten: Shorten): OutlineContent {
  switch (message.role) {
    case "user":
      return { kind: authorOf(entry) === "person" ? "you" : "program", text: readMessageText(entry, shorten) };
    case "assistant":
      return describeReply(message, readMessageText(entry, shorten), shorten);
    case "toolResult": {
      const { toolName, toolCallId: callId } = message;
      // What a tool gave is the call's; only a failure speaks for itself.
      if (!message.isError) return { kind: "tool", text: shorten(toolName), callId };
      return { kind: "tool", text: shorten(`${toolName} ${entryText(entry)}`), callId, isFailed: true };
    }
    case "bashExecution":
      return { kind: "shell", text: shorten(message.command) };
    default:
      return { kind: "other", text: readMessageText(entry, shorten) };
  }
}

function readMessageText(entry: Entry, shorten: Shorten): string {
  return shorten(
    entryDisplayText(entry)
      .slice(0, MAX_TEXT_CHARS * 6)
      .replaceAll("**", ""),
  );
}

type ReplyMessage = Extract<AgentMessage, { role: "assistant" }>;

function describeReply(
  { content, stopReason, errorMessage }: ReplyMessage,
  text: string,
  shorten: Shorten,
): OutlineContent {
  const calls = content.flatMap((part) =>
    part.type === "toolCall" ? [[part.id, formatCall(part, shorten)] as const] : [],
  );
  const callFields = calls.length > 0 ? { calls } : {};
  const isBroken = stopReason === "error" || stopReason === "aborted";
  if (isBroken && text === "") {
    const reason = errorMessage === undefined ? "it was stopped" : shorten(errorMessage);
    return { kind: "reply", text: reason, isFailed: true, ...callFields };
  }
  return text === ""
    ? { kind: "calls", text: calls.map(([, call]) => call).join(", "), ...callFields }
    : { kind: "reply", text, ...callFields };
}

type ToolCall = Extract<ReplyMessage["content"][number], { type: "toolCall" }>;

/** A call by what matters most in it: the file, the command, the pattern. */
function formatCall({ name, arguments: args }: ToolCall, shorten: Shorten): string {
  const fields: Readonly<Record<string, unknown>> = Object(args);
  const mainArgument = MAIN_ARGUMENTS.map((field) => fields[field]).find(
    (value) => typeof value === "string" && value !== "",
  );
  return shorten(
    `${name} ${typeof mainArgument === "string" ? mainArgument : JSON.stringify(args ?? {})}`,
    MAX_CALL_CHARS,
  );
}

const MAIN_ARGUMENTS = ["path", "file_path", "command", "pattern", "query", "url"];
const MAX_CALL_CHARS = 120;

function describeEntry(entry: Exclude<Entry, { type: "message" }>): string {
  switch (entry.type) {
    case "compaction":
      return formatSizes(entry);
    case "branch_summary":
      return formatSummary(entry.summary);
    case "custom_message":
      return entryText(entry);
    case "custom":
      return readTextField(entry.data) ?? entry.customType;
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

function readTextField(data: unknown): string | null {
  const { text } = Object(data) as { readonly text?: unknown };
  return typeof text === "string" ? text : null;
}

/** Without the words that every such summary begins with, its headings and its bullets. */
function formatSummary(summary: string): string {
  const lines = summary.replace(/^The user explored[^\n]*\n(?:Summary of that exploration:)?/, "").split("\n");
  const contentLines = lines.map(removeCitations).filter((line) => !/^#|^\s*$|^\W*\(none\)\s*$/.test(line));
  return contentLines.map((line) => line.replace(/^\s*(?:[-*]|\d+\.)\s+(?:\[[ x]\]\s+)?/, "").trim()).join("; ");
}
