/** Defines the `recall` tool, which finds entries of this session, or of another one that the model may read. */

import type { Entry, Redaction, Session } from "@pith/context";
import { authorOf, entryReference, splitContent } from "@pith/context/host";
import type {
  EntryHit,
  EntryQuery,
  OpenOtherSession,
  SearchableSession,
  SearchEntries,
  SearchEntriesResult,
} from "../../ports.ts";
import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import { findCall, isResultEntry, mainArgument } from "../call-results.ts";
import { describeEntry } from "../entry-text.ts";
import { showEntry } from "../read/references.ts";
import { countLinesWithin, errorOutput, textOutput } from "../tool-io.ts";
import { type FoundEntry, type HitLines, splitWords, toLine, writeHitLines } from "./hit-lines.ts";
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
  const { request } = context;
  const { offset, range } = request;
  const page = range ? { offset: 0, limit: MAX_READ_HITS } : { offset: offset - 1, limit: HITS_PER_SEARCH };
  const result = await readPage(page, context);
  if (result.type === "failed") return errorOutput(result.why);
  const found = await readHitEntries(result.hits, context);
  const hits = range ? found.slice(offset - 1) : found;
  const total = range ? found.length : result.count;
  // All hits of this page are in the current turn.
  if (hits.length === 0 && offset - 1 + result.hits.length < total)
    return await searchSession({ ...context, request: { ...request, offset: offset + result.hits.length } });
  const { lines, shownCount } = await writeLines(hits, context);
  const firstHidden = hits[shownCount];
  const hitCount = range ? hits.length : result.hits.length;
  const shownUpTo = offset - 1 + (firstHidden ? (range ? shownCount : firstHidden.position) : hitCount);
  const incomplete = result.incomplete === null ? "" : ` Not all entries could be searched: ${result.incomplete}.`;
  if (lines.length === 0) return textOutput(`${NO_MATCHES}${incomplete}`);
  const isWhole = page.offset === 0 && (range !== null || result.hits.length < page.limit);
  const heading = await writeHeading(isWhole ? { result, found } : null, context);
  return textOutput(
    [
      `${heading}${incomplete}`,
      ...lines,
      footer(context, hits[0]?.entry, shownUpTo < total ? shownUpTo + 1 : null),
    ].join("\n"),
  );
}

function readPage(page: HitPage, { call, request, session }: RecallContext): Promise<SearchEntriesResult> {
  const { text, file, tool } = request;
  const filters = { ...(file !== "" && { file }), ...(tool !== "" && { tool }) };
  const onProgress = ({ done, total }: IndexProgress): void => call.update(formatProgress(done, total));
  return session.search({ text, ...filters, ...page }, { signal: call.signal, onProgress });
}

interface ReadHits {
  readonly result: SearchEntriesResult;
  /** Those that can be shown. */
  readonly found: readonly HitEntry[];
}

/** Counts the hits that can be shown. Other ones can be on any page, so all hits are read unless they were already. */
async function writeHeading(known: ReadHits | null, context: RecallContext): Promise<string> {
  const { result, found } = known ?? (await readAllHits(context));
  const order = context.request.text === "" ? "newest first" : "best first";
  if (result.type === "failed") return `Matches, ${order}.`;
  const isMore = result.more || result.count > MAX_READ_HITS;
  return found.length === 1 && !isMore ? "1 match." : `${found.length}${isMore ? " or more" : ""} matches, ${order}.`;
}

async function readAllHits(context: RecallContext): Promise<ReadHits> {
  const result = await readPage({ offset: 0, limit: MAX_READ_HITS }, context);
  return { result, found: result.type === "failed" ? [] : await readHitEntries(result.hits, context) };
}

async function writeLines(hits: readonly FoundEntry[], context: RecallContext): Promise<HitLines> {
  const { call, request, session } = context;
  const { maxLines, maxTokens } = request.offset === 1 ? FIRST_PAGE : NEXT_PAGE;
  const filters = [request.file, request.tool].filter((filter) => filter !== "");
  const otherBranch = await findOtherBranchEntries(
    hits.map(({ entry }) => entry),
    context,
  );
  return await writeHitLines(hits, {
    entries: session.store,
    queryWords: [...splitWords(request.text), ...filters.map((filter) => filter.toLowerCase())],
    maxLines,
    maxTokens: Math.min(maxTokens, Math.floor(call.maxOutputBytes / BYTES_PER_TOKEN)),
    isOnOtherBranch: ({ id }) => otherBranch.has(id),
    redact: (text) => redact(text, context),
  });
}

/** RCL4: most answers are among the best hits. A model that goes on needs more of them. */
const FIRST_PAGE = { maxLines: 8, maxTokens: 640 };
const NEXT_PAGE = { maxLines: 25, maxTokens: 2_000 };
const BYTES_PER_TOKEN = 4;
/** More than the lines of a page, because a line can name several hits. */
const HITS_PER_SEARCH = 60;

const NO_MATCHES = "No matches. Try fewer or other words, the start of a word (deploy*), or file:path.";

type HitPage = Pick<EntryQuery, "offset" | "limit">;
type IndexProgress = Parameters<Parameters<SearchEntries>[1]["onProgress"]>[0];

interface HitEntry extends FoundEntry {
  /** Among the hits of the search, from 0. */
  readonly position: number;
}

async function readHitEntries(hits: readonly EntryHit[], context: RecallContext): Promise<readonly HitEntry[]> {
  const { session, request, options, isOther } = context;
  const currentTurn = isOther ? new Set<string>() : listCurrentTurn(options.session);
  const found: HitEntry[] = [];
  for (const [position, { id, ...hit }] of hits.entries()) {
    const entry = currentTurn.has(id) ? undefined : await session.store.entry(id);
    if (entry && isShown(entry, request.range)) found.push({ ...hit, entry, position });
  }
  return found;
}

/** For a range, and for the number of matches. */
const MAX_READ_HITS = 500;

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
  if (!isResultEntry(entry)) return null;
  const { toolName, isError } = entry.message;
  const found = await findCall(entry, context.session.store);
  const argument = found ? toLine(redact(mainArgument(found.call), context), CALL_CHARS) : "";
  return `${isError ? "failed " : ""}result of ${toolName} ${argument}`.trim();
}

const CALL_CHARS = 60;

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
  const sources = { entries: session.store, redaction: options.redaction };
  return await showEntry(entry, { call, lines: { offset: request.offset }, reference }, sources);
}

async function listEntries({ first, last }: EntryRange, context: RecallContext): Promise<ToolOutput> {
  const { call, session, request } = context;
  const maxBytes = Math.min(MAX_LIST_BYTES, call.maxOutputBytes);
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
    if (countLinesWithin(lines, maxBytes) < lines.length) break;
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
