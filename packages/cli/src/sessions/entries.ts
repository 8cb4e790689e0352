/** Formats the entries of a session, finds an entry by id, number or label, and creates the redaction for subcommands. */

import { type AgentMessage, type Entry, type Redaction, Session } from "@pith/context";
import { displayText, entryText, sanitizeLine } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import type { Store } from "@pith/context/store";
import { createVault } from "@pith/host/settings/secrets";
import { formatCount, formatNumber } from "@pith/host/text/format";
import { escapeLineBreaks } from "@pith/host/text/safe-text";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import type { SubcommandCall } from "../args/subcommand.ts";
import { loadSettings } from "../settings/resolve.ts";
import { formatSizes } from "../text/compaction-text.ts";
import { formatCallEnd } from "../text/tool-call-text.ts";

export interface EntryLine {
  /** `you`, `reply`, `compaction`, …; null for entries that are not shown to the user. */
  readonly kind: string | null;
  readonly text: string;
}

export function toEntryLine(entry: Entry): EntryLine {
  const kind = describeKind(entry);
  return { kind, text: kind === null ? "" : formatEntryText(entry) };
}

/** Null for tool calls, tool results and metadata. */
function describeKind(entry: Entry): string | null {
  switch (entry.type) {
    case "compaction":
      return "compaction";
    case "branch_summary":
      return "branch summary";
    case "custom_message":
      return entry.display ? "note" : null;
    case "gap":
      return "lost";
    case "message":
      return describeMessageKind(entry);
    default:
      return null;
  }
}

function describeMessageKind(entry: Extract<Entry, { type: "message" }>): string | null {
  switch (entry.message.role) {
    case "user":
      return "you";
    case "assistant":
      return entryText(entry).trim() === "" ? null : "reply";
    case "bashExecution":
      return "shell";
    default:
      return null;
  }
}

function formatEntryText(entry: Entry): string {
  if (entry.type === "compaction") return formatSizes(entry);
  if (entry.type === "gap") return sanitizeLine(entry.why, MAX_LINE_CHARS);
  const text = entry.type === "branch_summary" ? entry.summary : entryDisplayText(entry);
  return sanitizeLine(text.replaceAll(/^#+ .*$/gm, ""), MAX_LINE_CHARS);
}

const MAX_LINE_CHARS = 72;

const SHORT_ID_CHARS = 8;

/** `0123456789abcdef0123-1-0` becomes `01234567-1-0`. An id of another program is cut after its beginning. */
export function shortId(id: string): string {
  const { stem, number } = splitId(id);
  return escapeLineBreaks(`${stem.slice(0, SHORT_ID_CHARS)}${number}`);
}

/** Whether the input may be an abbreviation of the id. */
export function matchesId(input: string, id: string): boolean {
  const idParts = splitId(id);
  if (idParts.number === "") return id.startsWith(input);
  const inputParts = splitId(input);
  return idParts.stem.startsWith(inputParts.stem) && idParts.number === inputParts.number;
}

/** The ids of one turn have the same stem: a reply has the id of the entry it answers, followed by a number. */
function splitId(id: string): { readonly stem: string; readonly number: string } {
  const [, stem = id, number = ""] = /^([^-]+)((?:-\d{1,9})+)$/.exec(id) ?? [];
  return { stem, number };
}

export type FindEntryResult = { readonly type: "found"; readonly entry: Entry } | UsageError;

/** Finds an entry by `#number`, id, label or the beginning of an id. The search for the beginning of an id is limited in time. */
export async function findEntry(name: string, { store, leaf }: Session): Promise<FindEntryResult> {
  const [, number] = /^\[?#(\d{1,9})\]?$/.exec(name) ?? [];
  const numberedEntry = number === undefined ? undefined : await store.entryByNumber(Number(number));
  if (numberedEntry) return { type: "found", entry: numberedEntry };
  const idOrLabel = name.replace(/^entry:/, "");
  const [labelledId, otherLabelledId] = [...(await store.labels())]
    .filter(([, label]) => label === idOrLabel)
    .map(([id]) => id);
  const exactMatch =
    (await store.entry(idOrLabel)) ?? (labelledId === undefined ? undefined : await store.entry(labelledId));
  if (exactMatch?.id === labelledId && otherLabelledId !== undefined)
    return usageError(`several entries have the label "${idOrLabel}"; use an id`);
  if (exactMatch) return { type: "found", entry: exactMatch };
  const notFound = usageError(`no entry "${idOrLabel.slice(0, 40)}" in this session; /tree shows the entries`);
  if (idOrLabel.length < MIN_ID_CHARS) return notFound;
  const matches = new Map<string, Entry>();
  for await (const entry of walkEntries(store, leaf)) if (matchesId(idOrLabel, entry.id)) matches.set(entry.id, entry);
  const [first, second] = matches.values();
  if (!first) return notFound;
  return second
    ? usageError(`several entries start with "${idOrLabel}"; type more of the id`)
    : { type: "found", entry: first };
}

/** Finds the entry that a reference such as `#5` or `entry:3f2a9c11` names. */
export async function findReferencedEntry(reference: string, store: Store): Promise<Entry | undefined> {
  const [, number] = /^#(\d{1,9})$/.exec(reference) ?? [];
  return number === undefined
    ? await store.entry(reference.replace(/^entry:/, ""))
    : await store.entryByNumber(Number(number));
}

/** The shortest beginning of an id that is accepted. */
const MIN_ID_CHARS = 4;

/** Walks the current branch, newest first, then all entries. Stops early in a very long session. */
async function* walkEntries(store: Store, leaf: string | null): AsyncGenerator<Entry> {
  for (let id = leaf, visited = 0; id !== null && visited < MAX_VISITED_ENTRIES; visited++) {
    const entry = await store.entry(id);
    if (!entry) break;
    yield entry;
    id = entry.parentId;
  }
  const deadline = performance.now() + SEARCH_TIMEOUT_MS;
  const stack = [...(await store.children(null))];
  for (let visited = 0; visited < MAX_VISITED_ENTRIES && performance.now() < deadline; visited++) {
    const entry = stack.pop();
    if (!entry) return;
    yield entry;
    for (const child of await store.children(entry.id)) stack.push(child);
  }
}

const MAX_VISITED_ENTRIES = 20_000;

const SEARCH_TIMEOUT_MS = 2_000;

/** The limit for an entry in a list. */
const MAX_ENTRY_CHARS = 4_000;

/** The limit for an entry that is shown alone. */
export const MAX_WHOLE_ENTRY_CHARS: number = 256 * 1024;

/** Null if the entry has nothing to show. */
export function formatEntry(entry: Entry, maxChars: number = MAX_ENTRY_CHARS): string | null {
  const description = describeEntry(entry);
  if (description === null) return null;
  const head = `${escapeLineBreaks(description.author)} · ${formatTime(entry.timestamp)} · ${escapeLineBreaks(entry.id)}`;
  return description.text === "" ? head : `${head}\n${indent(truncateText(description.text, maxChars))}`;
}

interface EntryDescription {
  readonly author: string;
  readonly text: string;
}

function describeEntry(entry: Entry): EntryDescription | null {
  switch (entry.type) {
    case "message":
      return describeMessage(entry.message);
    case "compaction":
      return { author: `compaction (${formatSizes(entry)})`, text: entry.summary };
    case "branch_summary":
      return { author: "branch summary", text: entry.summary };
    case "custom_message":
      return entry.display ? { author: entry.customType, text: formatContent(entry.content) } : null;
    case "model_change":
      return { author: `model: ${entry.provider}/${entry.modelId}`, text: "" };
    case "gap":
      return { author: "lost", text: entry.why };
    default:
      return null;
  }
}

function describeMessage(message: AgentMessage): EntryDescription | null {
  switch (message.role) {
    case "user":
      return { author: "user", text: formatContent(message.content) };
    case "assistant": {
      const stopSuffix =
        message.stopReason === "error" || message.stopReason === "aborted" ? ` (${message.stopReason})` : "";
      return { author: `${message.provider}/${message.model}${stopSuffix}`, text: formatContent(message.content) };
    }
    case "toolResult":
      return { author: `${message.toolName}${formatCallEnd(message)}`, text: formatContent(message.content) };
    case "bashExecution":
      return { author: "user's command", text: `$ ${message.command}\n${message.output}` };
    case "custom":
      return { author: message.customType, text: formatContent(message.content) };
    case "compactionSummary":
    case "branchSummary":
      return { author: message.role, text: message.summary };
    case "system":
      return null;
  }
}

/** The content is `unknown`, because the blocks of a session file are not validated. */
function formatContent(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.flatMap(formatBlock).join("\n") : "";
}

function formatBlock(block: Readonly<Record<string, unknown>> | null): readonly string[] {
  switch (block?.type) {
    case "text":
      return [String(block.text ?? "")];
    case "thinking":
      return [];
    case "image":
      return ["[image]"];
    case "toolCall":
      return [`→ ${block.name} ${JSON.stringify(block.arguments ?? {})}`];
    default:
      return [];
  }
}

/** Indents the text, so that no line of it looks like the head of another entry. */
function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}

function formatTime(timestamp: string): string {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? "unknown time" : new Date(time).toISOString().slice(0, 16).replace("T", " ");
}

function truncateText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const head = text.slice(0, maxChars).toWellFormed();
  return `${head}\n… ${formatNumber(text.length - maxChars)} more characters`;
}

export async function findEntryInStore(store: Store, name: string): Promise<FindEntryResult> {
  const result = await findEntry(name, await Session.open(store, nodeRuntime));
  if (result.type === "found") return result;
  return usageError(
    `no entry "${name}" in this session, or several start with it; pith sessions show SESSION --tree lists the ids`,
  );
}

/** Creates the redaction for output of subcommands. Sessions may come from other programs, so stored text can still contain secrets. */
export async function createRedaction({
  home,
  environment,
}: Pick<SubcommandCall, "home" | "environment">): Promise<Redaction> {
  const resolved = await loadSettings({}, { home, environment });
  // Invalid settings must disable neither the redaction nor the output.
  const settings = resolved.type === "resolved" ? resolved.settings : {};
  const vault = await createVault({ home, environment, settings });
  return { redact: (value) => vault?.redact(value) ?? value };
}

/** Empty if no blob is missing. */
export function describeMissingBlobs({ length }: readonly string[]): string {
  return length === 0 ? "" : `; ${formatCount(length, "stored output")} ${length === 1 ? "is" : "are"} missing`;
}

/** Returns the text of an entry as the user knows it: the typed text and the names of attachments. */
export function entryDisplayText(entry: Entry): string {
  if (entry.type !== "message" || entry.message.role !== "user") return entryText(entry);
  return displayText(entry.message.content);
}
