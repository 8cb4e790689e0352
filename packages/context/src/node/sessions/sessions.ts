/** Creates, finds and renames sessions, labels their entries, and totals what they hold and cost. */

import { resolve } from "node:path";
import type { Entry, Header } from "../../entry.ts";
import { parseEntry } from "../../format/entry-line.ts";
import { readRawLine } from "../../format/read-line.ts";
import { createHeader, encodeSession } from "../../format/session-file.ts";
import { Session } from "../../session/session.ts";
import type { AppendResult } from "../../session/store.ts";
import { sanitizeLine } from "../../text/sanitize.ts";
import { addToTotals, type SessionTotals, zeroTotals } from "../../usage.ts";
import { catchDiskErrors, diskErrorCode, type OpenFile, type UnavailableResult } from "../files.ts";
import { JsonlStore } from "../jsonl/jsonl-store.ts";
import { type OpenResult, openStore } from "../jsonl/open-store.ts";
import { decodeWholeFile, readLines } from "../jsonl/read-lines.ts";
import { createFileAtomically } from "../jsonl/rewrite.ts";
import { readValidFile, type ValidFile } from "../jsonl/valid-file.ts";
import { yieldToEventLoop } from "../runtime.ts";
import { listSessions } from "./list-sessions.ts";
import {
  applyDefaults,
  findSessionFiles,
  prepareSessionFile,
  type SessionFileOptions,
  type SessionMatch,
} from "./paths.ts";

export interface CreateSessionOptions extends SessionFileOptions {
  /** The directory it belongs to. */
  readonly cwd: string;
  /** An id of the user's own; made up if not said. */
  readonly id?: string;
  readonly parentSession?: string;
}

/** Open for writing; an id that cannot be used is `unavailable`, with a sentence to show. */
export async function createSession({ cwd, id, parentSession, ...options }: CreateSessionOptions): Promise<OpenResult> {
  const config = applyDefaults(options);
  return catchDiskErrors(`no session can be made for ${cwd}`, () => {
    const target = prepareSessionFile(cwd, { ...config, id });
    if (target.type !== "free") return target;
    const header = createHeader(
      { cwd: resolve(cwd), ...(parentSession !== undefined && { parentSession }) },
      target.runtime,
    );
    createFileAtomically(target.path, encodeSession([JSON.stringify(header)], target.runtime.checksum), config.files);
    return openStore(target.path, config);
  });
}

export type FindSessionResult =
  | ({ readonly type: "found" } & SessionMatch)
  | { readonly type: "several"; readonly candidates: readonly SessionMatch[]; readonly why: string }
  | { readonly type: "none"; readonly why: string };

export interface FindSessionOptions extends SessionFileOptions {
  /** Looked through instead of Pith's own. */
  readonly folders?: readonly string[];
}

/** The names of files are looked at first, headers only if none fits; a whole id goes before one that only begins so. */
export async function findSession(
  idOrPrefix: string,
  { folders, ...options }: FindSessionOptions = {},
): Promise<FindSessionResult> {
  if (idOrPrefix === "") return { type: "none", why: "say at least the first letter of a session's id" };
  const hasPrefix = (id: string): boolean => id.startsWith(idOrPrefix);
  const matches = findSessionFiles(hasPrefix, { ...applyDefaults(options), folders });
  if (matches.length > 0) return chooseSessionMatch(idOrPrefix, matches);
  const sessions = await listSessions({ ...options, ...(folders && { folders }) });
  return chooseSessionMatch(
    idOrPrefix,
    sessions.filter(({ id }) => hasPrefix(id)).map(({ path, id }) => ({ path, id })),
  );
}

function chooseSessionMatch(idOrPrefix: string, candidates: readonly SessionMatch[]): FindSessionResult {
  const exact = candidates.filter(({ id }) => id === idOrPrefix);
  const [first, second] = exact.length > 0 ? exact : candidates;
  if (!first)
    return { type: "none", why: `no session's id begins with "${idOrPrefix}"; list the sessions to see them all` };
  if (!second) return { type: "found", ...first };
  const why = `${candidates.length} sessions have an id that begins with "${idOrPrefix}"; say more of it, or give the path`;
  return { type: "several", candidates: exact.length > 0 ? exact : candidates, why };
}

/** Whoever has a `Session` gives that one: it then knows of what was added. */
export type SessionTarget = string | JsonlStore | Session;

/** Why it could not be opened. */
export type OpenFailure = Exclude<OpenResult, { readonly type: "opened" }>;

/** A path is opened and closed again; for a session that is open, no second lease is taken. */
export async function withSession<Outcome>(
  target: SessionTarget,
  options: SessionFileOptions,
  operation: (session: Session) => Promise<Outcome>,
): Promise<Outcome | OpenFailure> {
  if (target instanceof Session) return catchDiskErrors("the session cannot be read", () => operation(target));
  const config = applyDefaults(options);
  if (target instanceof JsonlStore)
    return catchDiskErrors(`${target.path} cannot be read`, async () =>
      operation(await Session.open(target, config.runtime, config)),
    );
  const openResult = await openStore(target, config);
  if (openResult.type !== "opened") return openResult;
  try {
    return await catchDiskErrors(`${target} cannot be read`, async () =>
      operation(await Session.open(openResult.store, config.runtime, config)),
    );
  } finally {
    await closeStore(openResult.store);
  }
}

/** What was done is done: a disk that fails at the very end leaves at most a lease, which ends with this process. */
export async function closeStore(store: JsonlStore): Promise<void> {
  try {
    await store.close();
  } catch (error) {
    if (diskErrorCode(error) === "") throw error;
  }
}

/** The name is an entry like any other, so it becomes the leaf, as in pi. An empty name takes the name away. */
export async function renameSession(
  target: SessionTarget,
  name: string,
  options: SessionFileOptions = {},
): Promise<AppendResult | OpenFailure> {
  return withSession(target, options, (session) => session.append({ type: "session_info", name: sanitizeLine(name) }));
}

export interface LabelOptions extends SessionFileOptions {
  readonly entryId: string;
  /** Left out or empty, it takes the label away. */
  readonly label?: string;
}

export type LabelResult = AppendResult | OpenFailure | { readonly type: "no-entry"; readonly why: string };

/** The label is an entry like any other, so it becomes the leaf, as in pi. */
export async function labelEntry(
  target: SessionTarget,
  { entryId, label = "", ...options }: LabelOptions,
): Promise<LabelResult> {
  return withSession(target, options, async (session): Promise<LabelResult> => {
    if (!(await session.store.entry(entryId))) return entryNotFound(entryId);
    const cleanLabel = sanitizeLine(label);
    return session.append({ type: "label", targetId: entryId, ...(cleanLabel !== "" && { label: cleanLabel }) });
  });
}

function entryNotFound(id: string): LabelResult {
  return { type: "no-entry", why: `the session has no entry ${id}; take its id from the tree` };
}

export type SessionTotalsResult =
  | { readonly type: "counted"; readonly header: Header | null; readonly totals: SessionTotals }
  | UnavailableResult;

/** Also while another process writes it: then up to where it stood. What is damaged counts nothing. */
export async function readSessionTotals(path: string, options: SessionFileOptions = {}): Promise<SessionTotalsResult> {
  const config = applyDefaults(options);
  return catchDiskErrors<SessionTotalsResult>(`${path} cannot be read`, async () => {
    const file = config.files.open(path, "read");
    try {
      return await computeFileTotals(file, config);
    } finally {
      file.close();
    }
  });
}

async function computeFileTotals(
  file: OpenFile,
  { runtime, limits }: Required<SessionFileOptions>,
): Promise<SessionTotalsResult> {
  const validFile = readValidFile(file, runtime.checksum, limits);
  if (validFile)
    return { type: "counted", header: validFile.header, totals: await sumTotals(readValidEntries(validFile)) };
  const { header, lines } = decodeWholeFile(file, { checksum: runtime.checksum, limits });
  return { type: "counted", header, totals: await sumTotals(lines.map(({ entry }) => entry)) };
}

function* readValidEntries({ file, rules, start, end, limits }: ValidFile): Generator<Entry> {
  for (const line of readLines(file, { start, end, limits })) {
    const result = readRawLine(line, rules);
    const entry = result.type === "whole" ? parseEntry(result.value) : null;
    if (entry) yield entry;
  }
}

async function sumTotals(entries: Iterable<Entry>): Promise<SessionTotals> {
  let totals = zeroTotals;
  for (const entry of entries) {
    totals = addToTotals(totals, entry);
    // A long file must not hold up whoever else works in this process.
    if (totals.entries % ENTRIES_PER_YIELD === 0) await yieldToEventLoop();
  }
  return totals;
}

const ENTRIES_PER_YIELD = 1_000;
