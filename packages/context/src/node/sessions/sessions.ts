/** Creates, opens, finds and renames sessions, labels their entries, and sums up their usage. */

import { dirname, resolve } from "node:path";
import { mergeSystemMessages } from "../../context/build-request.ts";
import type { Entry, Header } from "../../entry.ts";
import { parseEntry } from "../../format/entry-line.ts";
import { readRawLine } from "../../format/read-line.ts";
import { createHeader, encodeSession } from "../../format/session-file.ts";
import { Session, type SessionOptions } from "../../session/session.ts";
import { type AppendResult, explainFailedAppend } from "../../session/store.ts";
import { sanitizeLine } from "../../text/sanitize.ts";
import { addToTotals, type SessionTotals, zeroTotals } from "../../usage.ts";
import { catchDiskErrors, diskErrorCode, type OpenFile, realFiles, type UnavailableResult } from "../files.ts";
import { JsonlStore } from "../jsonl/jsonl-store.ts";
import { createStore, type OpenResult, openStore } from "../jsonl/open-store.ts";
import { readValidFile, type ValidFile } from "../jsonl/read-header-and-tail.ts";
import { decodeWholeFile, readLines } from "../jsonl/read-lines.ts";
import { createFileAtomically } from "../jsonl/rewrite.ts";
import { nodeRuntime, yieldToEventLoop } from "../runtime.ts";
import { listSessions } from "./list-sessions.ts";
import {
  applyDefaults,
  findSessionFiles,
  prepareSessionFile,
  type SessionFileOptions,
  type SessionMatch,
} from "./paths.ts";

export interface CreateSessionOptions extends SessionFileOptions {
  /** The working directory of the session. */
  readonly cwd: string;
  /** Default: a random id. */
  readonly id?: string;
  readonly parentSession?: string;
}

/** Creates a session and opens it for writing; if the id is invalid or in use, the result is `unavailable` with a message for the user. */
export async function createSession({ cwd, id, parentSession, ...options }: CreateSessionOptions): Promise<OpenResult> {
  const config = applyDefaults(options);
  return catchDiskErrors(`a session for ${cwd} cannot be created`, () => {
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

/** The options of `openSession`. */
export interface OpenSessionOptions extends SessionOptions {
  /** The system prompt; appended if it differs from the current one of the session. */
  readonly system?: string;
}

/** Opens or creates the session file at this path; throws if the file cannot be used or another process has it open. */
export async function openSession(path: string, { system, ...options }: OpenSessionOptions = {}): Promise<Session> {
  const file = resolve(path);
  const exists = realFiles.stat(file) !== null;
  const store = requireStore(file, exists ? await openStore(file) : await createStore(file, { cwd: dirname(file) }));
  const session = await Session.open(store, nodeRuntime, options);
  if (system !== undefined) await setSystemPrompt(session, system);
  return session;
}

function requireStore(path: string, result: OpenResult): JsonlStore {
  switch (result.type) {
    case "opened":
      return result.store;
    case "held":
      throw new Error(
        `Another process (${result.owner.pid}) is writing to ${path}. Close the session there, or fork it.`,
      );
    case "unavailable":
      throw new Error(`The session was not opened: ${result.why}.`);
  }
}

/** The prompt is stored as a section, because a section can be replaced and system message content is only extended (CTX13). */
async function setSystemPrompt(session: Session, system: string): Promise<void> {
  const current = mergeSystemMessages(session.branch)?.sections?.[PROMPT_SECTION];
  if (current === system) return;
  const timestamp = session.runtime.now();
  const message = { role: "system", content: "", sections: { [PROMPT_SECTION]: system }, timestamp } as const;
  const result = await session.append({ type: "message", message });
  if (result.type === "appended") return;
  await session.close();
  throw new Error(`The system prompt was not written: ${explainFailedAppend(result)}.`);
}

const PROMPT_SECTION = "prompt";

export type FindSessionResult =
  | ({ readonly type: "found" } & SessionMatch)
  | { readonly type: "several"; readonly candidates: readonly SessionMatch[]; readonly why: string }
  | { readonly type: "none"; readonly why: string };

export interface FindSessionOptions extends SessionFileOptions {
  /** The folders to search instead of Pith's own. */
  readonly folders?: readonly string[];
}

/** Finds a session by its id or the start of its id. File names are compared first, headers only if no name matches; an exact id wins. */
export async function findSession(
  idOrPrefix: string,
  { folders, ...options }: FindSessionOptions = {},
): Promise<FindSessionResult> {
  if (idOrPrefix === "") return { type: "none", why: "the session id is empty; give at least its first character" };
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
    return { type: "none", why: `no session id starts with "${idOrPrefix}"; list the sessions to see all ids` };
  if (!second) return { type: "found", ...first };
  const why = `${candidates.length} session ids start with "${idOrPrefix}"; give more of the id, or the path`;
  return { type: "several", candidates: exact.length > 0 ? exact : candidates, why };
}

/** A session by path, store or `Session`. Pass the `Session` if you have one, so that it contains the new entries. */
export type SessionTarget = string | JsonlStore | Session;

/** A result of `openStore` other than `opened`. */
export type OpenFailure = Exclude<OpenResult, { readonly type: "opened" }>;

/** Runs an operation on a session. A path is opened and closed again; an open session is used as it is, without a second lease. */
async function withSession<Value>(
  target: SessionTarget,
  options: SessionFileOptions,
  operation: (session: Session) => Promise<Value>,
): Promise<Value | OpenFailure> {
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

/** Closes a store and ignores disk errors: the entries are written, and a lease that is not released ends with this process. */
export async function closeStore(store: JsonlStore): Promise<void> {
  try {
    await store.close();
  } catch (error) {
    if (diskErrorCode(error) === "") throw error;
  }
}

/** Names a session; an empty name removes the name. The name is an entry, so it becomes the leaf, as in pi. */
export async function renameSession(
  target: SessionTarget,
  name: string,
  options: SessionFileOptions = {},
): Promise<AppendResult | OpenFailure> {
  return withSession(target, options, (session) => session.append({ type: "session_info", name: sanitizeLine(name) }));
}

export interface LabelOptions extends SessionFileOptions {
  readonly entryId: string;
  /** Undefined or empty removes the label. */
  readonly label?: string;
}

export type LabelResult = AppendResult | OpenFailure | { readonly type: "no-entry"; readonly why: string };

/** Labels an entry in a session. The label is an entry, so it becomes the leaf, as in pi. */
export async function labelEntry(
  target: SessionTarget,
  { entryId, label = "", ...options }: LabelOptions,
): Promise<LabelResult> {
  return withSession(target, options, async (session): Promise<LabelResult> => {
    if (!(await session.store.entry(entryId)))
      return { type: "no-entry", why: `the session has no entry ${entryId}; copy the id from the tree` };
    const cleanLabel = sanitizeLine(label);
    return session.append({ type: "label", targetId: entryId, ...(cleanLabel !== "" && { label: cleanLabel }) });
  });
}

export type SessionTotalsResult =
  | { readonly type: "counted"; readonly header: Header | null; readonly totals: SessionTotals }
  | UnavailableResult;

/** Sums up the usage in a session file, even while another process writes to it. Damaged lines are not counted. */
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
    const entry = result.type === "intact" ? parseEntry(result.value) : null;
    if (entry) yield entry;
  }
}

async function sumTotals(entries: Iterable<Entry>): Promise<SessionTotals> {
  let totals = zeroTotals;
  for (const entry of entries) {
    totals = addToTotals(totals, entry);
    // A long file must not block the process.
    if (totals.entries % ENTRIES_PER_YIELD === 0) await yieldToEventLoop();
  }
  return totals;
}

const ENTRIES_PER_YIELD = 1_000;
