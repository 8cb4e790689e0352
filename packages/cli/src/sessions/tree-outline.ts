/** Builds the outline of a session's tree: each entry as a short text, with its children. Entries are only added, never removed. */

import { DRAFT_TYPE, readCallOutcome } from "@pith/agent";
import type { AgentMessage, Entry } from "@pith/context";
import { authorOf, entryText, PIN_TYPE, removeCitations, sanitizeLine } from "@pith/context/host";
import { formatSizes } from "../text/compaction-text.ts";
import { entryDisplayText } from "./entries.ts";

export interface Outline {
  readonly nodes: ReadonlyMap<string, OutlineNode>;
  /** The first loaded entry, as long as the roots are not loaded. */
  readonly top: string | null;
  /** The current position. Null before the first entry. */
  readonly leaf: string | null;
  readonly labels: ReadonlyMap<string, string>;
  /** `truncated`: the session is too long to be loaded completely. */
  readonly status: "complete" | "loading" | "truncated";
}

/** An entry at its position in the tree. */
export interface OutlineNode extends Pick<OutlineEntry, "id" | "parentId" | "kind" | "time"> {
  /** The number in load order, from 0. It can be used as an array index. */
  readonly number: number;
  /** One line of text. For a tool result, the text of its call once the call is loaded. */
  readonly text: string;
  /** The text in lower case. It is stored, because a search compares all nodes after every typed character. */
  readonly searchText: string;
  readonly isFailed: boolean;
  /** In the order in which they were written to the session. */
  readonly children: readonly OutlineNode[];
  /** Whether the entry is on the loaded part of the current branch. */
  readonly isOnBranch: boolean;
}

/** The children of an entry. They replace the children that were loaded before. */
export interface OutlineGroup {
  readonly parentId: string | null;
  readonly children: readonly OutlineEntry[];
}

export interface OutlineUpdate extends Pick<Outline, "top" | "status"> {
  readonly groups: readonly OutlineGroup[];
  /** Present if the labels were read for this update. */
  readonly labels?: Outline["labels"];
}

export function createOutline(leaf: string | null): Outline {
  const index: OutlineIndex = { nodes: new Map(), calls: new Map(), results: new Map(), orphans: new Map() };
  const outline: IndexedOutline = { ...index, top: null, leaf, labels: new Map(), status: "loading" };
  return outline;
}

type MutableNode = { -readonly [Field in keyof OutlineNode]: OutlineNode[Field] };

/** The mutable data of an outline. */
interface OutlineIndex {
  readonly nodes: Map<string, MutableNode>;
  /** Short texts of the tool calls, by call id. */
  readonly calls: Map<string, string>;
  /** Results whose call is not loaded yet, by call id. */
  readonly results: Map<string, MutableNode>;
  /** Children whose parent is not loaded yet. The children of null are the roots. */
  readonly orphans: Map<string | null, readonly MutableNode[]>;
}

type IndexedOutline = Omit<Outline, keyof OutlineIndex> & OutlineIndex;

/** The new outline shares its maps with the old one: a copy of a hundred thousand entries would be noticeably slow. */
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
  for (let node = nodes.get(startId ?? ""); node && !node.isOnBranch; node = nodes.get(node.parentId ?? ""))
    node.isOnBranch = true;
  return { ...outline, ...fields };
}

/** Sets every field, so that all nodes have the same shape and loops over them stay fast. */
function addNode(entry: OutlineEntry, index: OutlineIndex): MutableNode {
  const { nodes, orphans } = index;
  const { id, parentId, kind, time, text, isFailed = false } = entry;
  const links = { number: nodes.size, children: orphans.get(id) ?? NO_CHILDREN, isOnBranch: false };
  const node: MutableNode = { id, parentId, kind, time, text, searchText: text.toLowerCase(), isFailed, ...links };
  orphans.delete(id);
  nodes.set(id, node);
  linkCallAndResult(entry, node, index);
  return node;
}

/** Gives a result the text of its call, in whichever order they are loaded. */
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

/** Shared by all nodes without children. */
const NO_CHILDREN: readonly MutableNode[] = [];

/** Returns the roots, or the first loaded entry if the roots are not loaded yet. */
export function findRoots(outline: Outline): readonly OutlineNode[] {
  const { orphans, nodes, top } = outline as IndexedOutline;
  const topNode = nodes.get(top ?? "");
  return orphans.get(null) ?? (topNode ? [topNode] : []);
}

/** An empty label removes the label. */
export function setLabel(outline: Outline, id: string, label: string): Outline {
  const labels = new Map(outline.labels);
  if (label === "") labels.delete(id);
  else labels.set(id, label);
  return { ...outline, labels };
}

/** `calls` is a reply without text. `other` is metadata that is not shown to the user. */
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

/** Whether the entry is shown to the user. */
export function isVisibleEntry(entry: Entry): boolean {
  if (entry.type !== "message") return classifyEntry(entry) !== "other";
  return VISIBLE_ROLES.includes(entry.message.role);
}

const VISIBLE_ROLES: readonly string[] = ["user", "assistant", "toolResult", "bashExecution"];

function classifyEntry(entry: Exclude<Entry, { type: "message" }>): OutlineKind {
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

/** Small, because an outline may contain a hundred thousand entries. */
export interface OutlineEntry {
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: OutlineKind;
  /** The beginning of the text, as one line. */
  readonly text: string;
  /** In milliseconds. */
  readonly time: number;
  /** The tool calls of a reply. */
  readonly calls?: readonly (readonly [id: string, text: string])[];
  /** The call that this result belongs to. */
  readonly callId?: string;
  readonly isFailed?: true;
}

/**
 * Redacts the text, because the entry may have been written without redaction or by another program. The redaction comes before the
 * truncation, else a half of a secret could stay.
 */
export function toOutlineEntry(entry: Entry, redact: (text: string) => string = (text) => text): OutlineEntry {
  const { id, parentId, timestamp } = entry;
  const base = { id, parentId, time: Date.parse(timestamp) || 0 };
  const shorten: Shorten = (text, maxChars = MAX_TEXT_CHARS) =>
    sanitizeLine(redact(text.slice(0, maxChars * 5)), maxChars);
  if (entry.type === "message") return { ...base, ...describeMessage(entry, entry.message, shorten) };
  return { ...base, kind: classifyEntry(entry), text: shorten(describeEntry(entry)) };
}

/** Returns the redacted beginning of a text as one line. */
type Shorten = (text: string, maxChars?: number) => string;

/** Enough for a wide terminal and for a search. */
const MAX_TEXT_CHARS = 240;

type OutlineContent = Omit<OutlineEntry, "id" | "parentId" | "time">;

function describeMessage(entry: Entry, message: AgentMessage, shorten: Shorten): OutlineContent {
  switch (message.role) {
    case "user":
      return { kind: authorOf(entry) === "person" ? "you" : "program", text: readMessageText(entry, shorten) };
    case "assistant":
      return describeReply(message, readReplyText(entry, shorten), shorten);
    case "toolResult": {
      const { toolName, toolCallId: callId } = message;
      // A successful result is shown by its call. Only a failure shows its own text.
      if (!message.isError) return { kind: "tool", text: shorten(toolName), callId };
      return {
        kind: "tool",
        text: shorten(`${toolName} ${entryText(entry)}`),
        callId,
        ...(readCallOutcome(message) === "failed" && { isFailed: true }),
      };
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

/** Without the marks of Markdown, which say nothing in one line. */
function readReplyText(entry: Entry, shorten: Shorten): string {
  const text = entryDisplayText(entry).slice(0, MAX_TEXT_CHARS * 6);
  return shorten(text.replace(/^(?:#{1,6} +|```.*$)/gm, "").replace(/\*\*|`/g, ""));
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
    const reason = errorMessage === undefined ? "stopped" : shorten(errorMessage);
    return { kind: "reply", text: reason, isFailed: true, ...callFields };
  }
  return text === ""
    ? { kind: "calls", text: calls.map(([, call]) => call).join(", "), ...callFields }
    : { kind: "reply", text, ...callFields };
}

type ToolCall = Extract<ReplyMessage["content"][number], { type: "toolCall" }>;

/** Formats a call with its most important argument: the file, the command or the pattern. */
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
      return entry.label === undefined ? "label removed" : `label: ${entry.label}`;
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

/** Removes the introduction that every branch summary has, the headings and the list markers. */
function formatSummary(summary: string): string {
  const lines = summary.replace(/^The user explored[^\n]*\n(?:Summary of that exploration:)?/, "").split("\n");
  const contentLines = lines.map(removeCitations).filter((line) => !/^#|^\s*$|^\W*\(none\)\s*$/.test(line));
  return contentLines.map((line) => line.replace(/^\s*(?:[-*]|\d+\.)\s+(?:\[[ x]\]\s+)?/, "").trim()).join("; ");
}
