/** Defines the `recall` tool, which finds entries of this session, or of another one that the model may read. */

import type { Entry, Redaction, Session, ToolCallBlock } from "@pith/context";
import { authorOf, entryReference, splitContent } from "@pith/context/host";
import type { EntryHit, OpenOtherSession, SearchableSession, SearchEntries } from "../../ports.ts";
import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import { describeEntry } from "../entry-text.ts";
import { showEntry } from "../read/references.ts";
import { countLinesWithin, errorOutput, textOutput } from "../tool-io.ts";
import { type EntryRange, hasFilter, parseRecallRequest, type RecallRequest } from "./query.ts";

/** Options of the recall tool. */
export interface RecallToolOptions {
  readonly session: Session;
  /** Searches this session. */
  readonly search: SearchEntries;
  /** Without it, other sessions cannot be read. */
  readonly openSession?: OpenOtherSession;
  /** Applied to everything that is shown. */
  readonly redaction?: Redaction | undefined;
  /** The workspace folder; absolute paths below it are searched as relative ones. */
  readonly root?: string;
}

/** Creates `recall`, which searches every entry of the session, even those before a compaction and on other branches. */
export function recallTool(options: RecallToolOptions): Tool {
  return {
    // The search index leaves out what this tool returns, by its name.
    name: "recall",
    description:
      'Searches every entry of this session, on all branches. Query: words, "phrase", start*, file:a.ts, tool:bash, #40-#60, session:ID.',
    parameters,
    isIdempotent: true,
    isConcurrent: true,
    intent: () => ({ type: "nothing" }),
    run: (call) => recall(call, options),
  };
}

// Every byte is in every request, so all filters are part of one text.
const parameters = {
  type: "object",
  properties: { query: { type: "string" }, offset: { type: "integer" } },
  required: ["query"],
};

async function recall(call: ToolCall, options: RecallToolOptions): Promise<ToolOutput> {
  const parsed = parseRecallRequest(call.arguments, options.root);
  if (parsed.type === "invalid") return errorOutput(parsed.message);
  const request = parsed.value;
  const opened = await openTarget(request, options);
  if (opened.type === "refused") return errorOutput(opened.why);
  const { session } = opened;
  try {
    const context = { call, request, session, options, isOther: request.session !== "" };
    return request.range && !hasFilter(request)
      ? await showRange(request.range, context)
      : await searchSession(context);
  } finally {
    await session.close?.();
  }
}

type OpenedTarget =
  | { readonly type: "opened"; readonly session: SearchableSession }
  | { readonly type: "refused"; readonly why: string };

async function openTarget({ session: reference }: RecallRequest, options: RecallToolOptions): Promise<OpenedTarget> {
  const { session, search, openSession } = options;
  if (reference === "") return { type: "opened", session: { store: session.store, search } };
  if (!openSession) return { type: "refused", why: "other sessions cannot be read here" };
  return await openSession(reference, listNamedSessions(session));
}

/** What the user wrote after `@session:` in the latest message. Text that the user did not type does not count. */
function listNamedSessions({ branch: { entries } }: Session): readonly string[] {
  const typed = typedText(entries[findLatestMessage(entries)]);
  return [...typed.matchAll(SESSION_MENTION)].map(([, quoted, name]) => quoted ?? name ?? "");
}

function findLatestMessage(entries: readonly Entry[]): number {
  return entries.findLastIndex((entry) => typedText(entry) !== "");
}

/** The text that a person typed; empty for any other entry. */
function typedText(entry: Entry | undefined): string {
  if (entry?.type !== "message" || entry.message.role !== "user" || authorOf(entry) !== "person") return "";
  return splitContent(entry.message.content).typed.trim();
}

/** Punctuation after a name belongs to the sentence. */
const SESSION_MENTION = /(?<=^|[\s(])@session:(?:"([^"\n]+)"|([^\s"]*[^\s"?!.,;:)]))/g;

interface RecallContext {
  readonly call: ToolCall;
  readonly request: RecallRequest;
  readonly session: SearchableSession;
  readonly options: RecallToolOptions;
  readonly isOther: boolean;
}

async function searchSession(context: RecallContext): Promise<ToolOutput> {
  const { call, request, session } = context;
  const { text, file, tool, offset, range } = request;
  const filters = { ...(file !== "" && { file }), ...(tool !== "" && { tool }) };
  const page = range ? { offset: 0, limit: MAX_HITS_IN_RANGE } : { offset: offset - 1, limit: HITS_PER_PAGE };
  const onProgress = ({ done, total }: IndexProgress): void => call.update(formatProgress(done, total));
  const result = await session.search({ text, ...filters, ...page }, { signal: call.signal, onProgress });
  if (result.type === "failed") return errorOutput(result.why);
  const found = await readHitEntries(result.hits, context);
  const hits = range ? found.slice(offset - 1, offset - 1 + HITS_PER_PAGE) : found;
  const total = range ? found.length : result.count;
  const shownUpTo = offset - 1 + (range ? hits.length : result.hits.length);
  const count = range ? total : total - (result.hits.length - found.length);
  // All hits of this page are in the current turn.
  if (hits.length === 0 && shownUpTo < total)
    return await searchSession({ ...context, request: { ...request, offset: shownUpTo + 1 } });
  const otherBranch = await findOtherBranchEntries(
    hits.map(({ entry }) => entry),
    context,
  );
  const lines = await Promise.all(
    groupByExcerpt(hits).map(async ([{ entry, excerpt }, ...repeated]) => {
      const label = await labelEntry(entry, otherBranch.has(entry.id), context);
      const others = repeated.map((other) => entryReference(other.entry)).join(", ");
      return `${entryReference(entry)} ${label}: ${redact(excerpt, context)}${others === "" ? "" : ` [also ${others}]`}`;
    }),
  );
  const incomplete = result.incomplete === null ? "" : ` Not all entries could be searched: ${result.incomplete}.`;
  if (lines.length === 0) return textOutput(`${NO_MATCHES}${incomplete}`);
  const order = text === "" ? "newest first" : "best first";
  const heading = `${count === 1 ? "1 match" : `${count}${result.more ? " or more" : ""} matches, ${order}`}.`;
  return textOutput(
    [
      `${heading}${incomplete}`,
      ...lines,
      footer(context, hits[0]?.entry, shownUpTo < total ? shownUpTo + 1 : null),
    ].join("\n"),
  );
}

const NO_MATCHES = "No matches. Try fewer or other words, the start of a word (deploy*), or file:path.";

type IndexProgress = Parameters<Parameters<SearchEntries>[1]["onProgress"]>[0];

interface FoundEntry {
  readonly entry: Entry;
  readonly excerpt: string;
}

async function readHitEntries(hits: readonly EntryHit[], context: RecallContext): Promise<readonly FoundEntry[]> {
  const { session, request, options, isOther } = context;
  const currentTurn = isOther ? new Set<string>() : listCurrentTurn(options.session);
  const found: FoundEntry[] = [];
  for (const { id, excerpt } of hits) {
    const entry = currentTurn.has(id) ? undefined : await session.store.entry(id);
    if (entry && isShown(entry, request.range)) found.push({ entry, excerpt });
  }
  return found;
}

const MAX_HITS_IN_RANGE = 500;

/** A file that was read several times gives the same excerpt several times, which is shown once. */
function groupByExcerpt(hits: readonly FoundEntry[]): readonly (readonly [FoundEntry, ...FoundEntry[]])[] {
  const groups = new Map<string, [FoundEntry, ...FoundEntry[]]>();
  for (const hit of hits) {
    const group = groups.get(hit.excerpt);
    if (group) group.push(hit);
    else groups.set(hit.excerpt, [hit]);
  }
  return [...groups.values()];
}
const HITS_PER_PAGE = 25;

function formatProgress(done: number, total: number): string {
  return `indexing the session: ${Math.floor((100 * done) / Math.max(1, total))}%`;
}

/** The entries since the user's latest message, which the model has just seen. */
function listCurrentTurn({ branch: { entries } }: Session): ReadonlySet<string> {
  const start = findLatestMessage(entries);
  return new Set(start < 0 ? [] : entries.slice(start).map(({ id }) => id));
}

/** Summaries only repeat other entries. A command that the user excluded from the context stays hidden. */
function isShown(entry: Entry, range: EntryRange | null): boolean {
  if (entry.type === "compaction" || entry.type === "branch_summary") return false;
  if (entry.type === "message" && entry.message.role === "bashExecution" && entry.message.excludeFromContext)
    return false;
  const { number = 0 } = entry;
  return range === null || (number >= range.first && number <= range.last);
}

async function labelEntry(entry: Entry, isOnOtherBranch: boolean, context: RecallContext): Promise<string> {
  const { kind } = describeEntry(entry);
  const call = await describeCall(entry, context);
  return `(${call ?? kind}${isOnOtherBranch ? ", other branch" : ""})`;
}

/** The ids of those entries that are not on the current branch. Empty for another session. */
async function findOtherBranchEntries(
  entries: readonly Entry[],
  { isOther, options: { session } }: RecallContext,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  // Newest first: then each entry is compared with the last one on the branch, and the branch is walked only once.
  let { leaf: latest } = session;
  for (const { id } of isOther ? [] : entries.toSorted((one, other) => (other.number ?? 0) - (one.number ?? 0)))
    if ((await session.store.commonAncestor(latest, id)) === id) latest = id;
    else ids.add(id);
  return ids;
}

/** What a tool result answers, such as `result of read src/a.ts`. Null for other entries. */
async function describeCall(entry: Entry, context: RecallContext): Promise<string | null> {
  if (entry.type !== "message" || entry.message.role !== "toolResult") return null;
  const { toolCallId, toolName, isError } = entry.message;
  const call = await findCall(entry, toolCallId, context.session);
  const argument = Object.values(call?.arguments ?? {}).find((value) => typeof value === "string") ?? "";
  const shown = toLine(redact(String(argument), context), CALL_CHARS);
  return `${isError ? "failed " : ""}result of ${toolName}${shown === "" ? "" : ` ${shown}`}`;
}

/** The call is in the reply before the results of this turn. */
async function findCall(entry: Entry, id: string, { store }: SearchableSession): Promise<ToolCallBlock | undefined> {
  let parent = entry.parentId;
  for (let step = 0; step < MAX_STEPS_TO_CALL && parent !== null; step++) {
    const before = await store.entry(parent);
    if (before?.type === "message" && before.message.role === "assistant")
      return before.message.content.find((block) => block.type === "toolCall" && block.id === id) as
        | ToolCallBlock
        | undefined;
    parent = before?.parentId ?? null;
  }
  return undefined;
}

const CALL_CHARS = 60;
const MAX_STEPS_TO_CALL = 20;

function footer(
  { isOther, request: { session } }: RecallContext,
  example: Entry | undefined,
  next: number | null,
): string {
  const reference = example ? entryReference(example) : "#40";
  const open = isOther ? `recall "session:${session} ${reference}"` : `read ${reference}`;
  return `[Open an entry with ${open}.${next === null ? "" : ` Continue with offset ${next}.`}]`;
}

async function showRange(range: EntryRange, context: RecallContext): Promise<ToolOutput> {
  const { store } = context.session;
  const last = Math.min(range.last, await store.lastNumber());
  if (range.first > last) return errorOutput(`the last entry is #${last}`);
  return range.first === range.last
    ? await openEntry(range.first, context)
    : await listEntries({ ...range, last }, context);
}

async function openEntry(number: number, context: RecallContext): Promise<ToolOutput> {
  const { call, session, request, options } = context;
  const entry = await session.store.entryByNumber(number);
  if (!entry) return errorOutput(`#${number} is not in the session; check the number`);
  const reference = { text: `#${number}` };
  return await showEntry(entry, { call, lines: { offset: request.offset }, reference }, options.redaction);
}

async function listEntries({ first, last }: EntryRange, context: RecallContext): Promise<ToolOutput> {
  const { session, request } = context;
  const start = first + request.offset - 1;
  const end = Math.min(last, start + MAX_LISTED_NUMBERS - 1);
  const listed: Entry[] = [];
  for (let number = start; number <= end; number++) {
    const entry = await session.store.entryByNumber(number);
    if (entry && describeEntry(entry).text !== "") listed.push(entry);
  }
  const otherBranch = await findOtherBranchEntries(listed, context);
  const lines: string[] = [];
  for (const entry of listed) {
    if (countLinesWithin(lines, MAX_LIST_BYTES) < lines.length) break;
    const label = await labelEntry(entry, otherBranch.has(entry.id), context);
    const text = toLine(redact(describeEntry(entry).text, context), LISTED_CHARS);
    lines.push(`${entryReference(entry)} ${label}: ${text}`);
  }
  const nextNumber = lines.length < listed.length ? (listed[lines.length]?.number ?? end) : end + 1;
  const next = nextNumber <= last ? nextNumber - first + 1 : null;
  if (lines.length === 0 && next === null) return textOutput(`#${start} to #${last} have no text.`);
  return textOutput([...lines, footer(context, listed[0], next)].join("\n"));
}

const MAX_LISTED_NUMBERS = 100;
const LISTED_CHARS = 200;
const MAX_LIST_BYTES = 8 * 1024;

function redact(text: string, { options }: RecallContext): string {
  return options.redaction?.redact(text) ?? text;
}

function toLine(text: string, maxChars: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars - 1)}…`;
}
