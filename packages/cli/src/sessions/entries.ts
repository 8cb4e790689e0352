/** Formats an entry as a line or a paragraph, finds an entry by id or label, and creates the redaction for subcommands. */

import { type AgentMessage, type Entry, type Redaction, readReceipt, Session } from "@pith/context";
import { displayText, entryText, sanitizeLine } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import type { Store } from "@pith/context/store";
import type { Call } from "../args/subcommand.ts";
import { choose } from "../settings/resolve.ts";
import { vaultHere } from "../settings/secrets.ts";
import { amount, counted } from "../text/format.ts";
import { oneLine } from "../text/safe-text.ts";
import { type Mistake, mistake } from "../text/usage-error.ts";

export interface EntryLine {
  /** `you`, `reply`, `compaction`, …; null for what is nothing to people by itself. */
  readonly kind: string | null;
  readonly words: string;
}

export function entryLine(entry: Entry): EntryLine {
  const kind = kindOf(entry);
  return { kind, words: kind === null ? "" : wordsOf(entry) };
}

/** Null for the work between a question and its answer, and for what is only noted. */
function kindOf(entry: Entry): string | null {
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
      return speaker(entry);
    default:
      return null;
  }
}

function speaker(entry: Extract<Entry, { type: "message" }>): string | null {
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

function wordsOf(entry: Entry): string {
  if (entry.type === "compaction") return `${entry.tokensBefore.toLocaleString("en-US")} tokens before it`;
  if (entry.type === "gap") return sanitizeLine(entry.why, WIDTH);
  const words = entry.type === "branch_summary" ? entry.summary : entryDisplayText(entry);
  return sanitizeLine(words.replaceAll(/^#+ .*$/gm, ""), WIDTH);
}

const WIDTH = 72;

const LETTERS = 8;

/** `0123456789abcdef0123-1-0` becomes `01234567-1-0`; of an id that other programs made, the beginning. */
export function shortId(id: string): string {
  const { stem, number } = partsOf(id);
  return oneLine(`${stem.slice(0, LETTERS)}${number}`);
}

/** Whether somebody who writes this may mean that id. */
export function mayMean(written: string, id: string): boolean {
  const known = partsOf(id);
  if (known.number === "") return id.startsWith(written);
  const said = partsOf(written);
  return known.stem.startsWith(said.stem) && known.number === said.number;
}

// A reply has the id of what it answers and a number behind it, so the ids of one turn begin alike.
function partsOf(id: string): { readonly stem: string; readonly number: string } {
  const [, stem = id, number = ""] = /^([^-]+)((?:-\d{1,9})+)$/.exec(id) ?? [];
  return { stem, number };
}

export type FoundEntry = { readonly type: "found"; readonly entry: Entry } | Mistake;

/** A number or a whole id is found wherever it is, the beginning of an id as far as there is time to look. */
export async function findEntry(name: string, { store, leaf }: Session): Promise<FoundEntry> {
  const [, number] = /^\[?#(\d{1,9})\]?$/.exec(name) ?? [];
  const numbered = number === undefined ? undefined : await store.entryByNumber(Number(number));
  if (numbered) return { type: "found", entry: numbered };
  const wanted = name.replace(/^entry:/, "");
  const [labelled, another] = [...(await store.labels())].filter(([, label]) => label === wanted).map(([id]) => id);
  const exact = (await store.entry(wanted)) ?? (labelled === undefined ? undefined : await store.entry(labelled));
  if (exact?.id === labelled && another !== undefined)
    return mistake(`several entries are labelled "${wanted}"; name one by its id`);
  if (exact) return { type: "found", entry: exact };
  const none = mistake(`there is no entry "${wanted.slice(0, 40)}" in this session; /tree shows their ids`);
  if (wanted.length < SHORTEST) return none;
  const found = new Map<string, Entry>();
  for await (const entry of inReach(store, leaf)) if (mayMean(wanted, entry.id)) found.set(entry.id, entry);
  const [first, second] = found.values();
  if (!first) return none;
  return second
    ? mistake(`several entries begin with "${wanted}"; say more of the id`)
    : { type: "found", entry: first };
}

/** Letters of an id by which it can be named. */
const SHORTEST = 4;

/** The branch one stands on, newest first, and then all others; of a very long session what can be seen in a moment. */
async function* inReach(store: Store, leaf: string | null): AsyncGenerator<Entry> {
  for (let id = leaf, seen = 0; id !== null && seen < MOST_SEEN; seen++) {
    const entry = await store.entry(id);
    if (!entry) break;
    yield entry;
    id = entry.parentId;
  }
  const until = performance.now() + PATIENCE_MS;
  const waiting = [...(await store.children(null))];
  for (let seen = 0; seen < MOST_SEEN && performance.now() < until; seen++) {
    const entry = waiting.pop();
    if (!entry) return;
    yield entry;
    for (const child of await store.children(entry.id)) waiting.push(child);
  }
}

const MOST_SEEN = 20_000;

const PATIENCE_MS = 2_000;

/** Letters of one entry, where many are shown. */
const SHORT = 4_000;

/** Letters of one that is shown alone. */
export const WHOLE: number = 256 * 1024;

/** Null for what nobody said or did. */
export function toldEntry(entry: Entry, most: number = SHORT): string | null {
  const told = toldOf(entry);
  if (told === null) return null;
  const head = `${oneLine(told.who)} · ${timeOf(entry.timestamp)} · ${oneLine(entry.id)}`;
  return told.words === "" ? head : `${head}\n${indented(shortened(told.words, most))}`;
}

interface Told {
  readonly who: string;
  readonly words: string;
}

function toldOf(entry: Entry): Told | null {
  switch (entry.type) {
    case "message":
      return toldMessage(entry.message);
    case "compaction": {
      const tokens = readReceipt(entry)?.tokens;
      const sizes = tokens ? `${tokens.before} → ${tokens.after} tokens` : `${entry.tokensBefore} tokens before`;
      return { who: `compaction (${sizes})`, words: entry.summary };
    }
    case "branch_summary":
      return { who: "of a branch that was left", words: entry.summary };
    case "custom_message":
      return entry.display ? { who: entry.customType, words: contentWords(entry.content) } : null;
    case "model_change":
      return { who: `model: ${entry.provider}/${entry.modelId}`, words: "" };
    case "gap":
      return { who: "lost", words: entry.why };
    default:
      return null;
  }
}

function toldMessage(message: AgentMessage): Told | null {
  switch (message.role) {
    case "user":
      return { who: "user", words: contentWords(message.content) };
    case "assistant": {
      const how = message.stopReason === "error" || message.stopReason === "aborted" ? ` (${message.stopReason})` : "";
      return { who: `${message.provider}/${message.model}${how}`, words: contentWords(message.content) };
    }
    case "toolResult":
      return { who: `${message.toolName}${message.isError ? " failed" : ""}`, words: contentWords(message.content) };
    case "bashExecution":
      return { who: "user's command", words: `$ ${message.command}\n${message.output}` };
    case "custom":
      return { who: message.customType, words: contentWords(message.content) };
    case "compactionSummary":
    case "branchSummary":
      return { who: message.role, words: message.summary };
    case "system":
      return null;
  }
}

// Files are not checked block by block.
function contentWords(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.flatMap(blockWords).join("\n") : "";
}

function blockWords(block: Readonly<Record<string, unknown>> | null): readonly string[] {
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

/** So that no words can look like the head of another entry. */
function indented(words: string): string {
  return words.replace(/^(?=.)/gm, "  ");
}

function timeOf(timestamp: string): string {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? "at no known time" : new Date(time).toISOString().slice(0, 16).replace("T", " ");
}

function shortened(words: string, most: number): string {
  if (words.length <= most) return words;
  const head = words.slice(0, most).toWellFormed();
  return `${head}\n… ${amount(words.length - most)} more letters`;
}

export async function entryMeant(store: Store, name: string): Promise<FoundEntry> {
  const found = await findEntry(name, await Session.open(store, nodeRuntime));
  if (found.type === "found") return found;
  return mistake(
    `there is no entry "${name}" in this session, or several begin so; pith sessions show SESSION --tree shows their ids`,
  );
}

/** For all that is shown or written elsewhere, also of sessions that another program has written. */
export async function redactionHere({ home, environment }: Pick<Call, "home" | "environment">): Promise<Redaction> {
  const chosen = await choose({}, { home, environment });
  // Settings with a mistake in them are no reason to show a secret, nor to show nothing.
  const choices = chosen.type === "chosen" ? chosen.choices : {};
  const vault = await vaultHere({ home, environment, choices });
  return { redact: (value) => vault?.redact(value) ?? value };
}

/** Empty where nothing is lost; `missing` are hashes of blobs. */
export function lostTold({ length }: readonly string[]): string {
  return length === 0 ? "" : `; ${counted(length, "kept output")} ${length === 1 ? "is" : "are"} no longer there`;
}

/** The text of an entry as people know it: what was typed, and the names of what was attached. */
export function entryDisplayText(entry: Entry): string {
  if (entry.type !== "message" || entry.message.role !== "user") return entryText(entry);
  return displayText(entry.message.content);
}
