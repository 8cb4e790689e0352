/** Implements `pith sessions prune`. No other code deletes a user's non-empty session, and this only after 30 days in the trash. */

import { rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import {
  diskErrorCode,
  listSessions,
  listTrash,
  realFiles,
  type SessionItem,
  type TrashItem,
} from "@pith/context/node";
import type { HostContext } from "@pith/host/host-context";
import { formatAge, formatBytes, formatCount, formatNumber } from "@pith/host/text/format";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import { createProgressReporter, parseAge, type SubcommandCall, type SubcommandResult } from "../../args/subcommand.ts";
import { readSession } from "../../sessions/find-session.ts";
import { logDeletion, moveToTrash } from "../../sessions/trash.ts";
import { describeSession, shortId } from "./list-search.ts";

export type ExpiredTrash = TrashItem;

const GRACE_DAYS = 30;

async function listExpiredTrash(home: string, now: number): Promise<readonly ExpiredTrash[]> {
  const items = await listTrash({ env: { PITH_HOME: home } });
  return items.filter(({ trashed }) => now - Date.parse(trashed) > GRACE_DAYS * 24 * 3_600_000);
}

export interface EmptyTrashResult {
  readonly removed: readonly ExpiredTrash[];
  /** Why folders could not be removed, for the user. */
  readonly errors: readonly string[];
}

async function emptyTrash(expiredItems: readonly ExpiredTrash[], home: string): Promise<EmptyTrashResult> {
  const removed: ExpiredTrash[] = [];
  const errors: string[] = [];
  for (const item of expiredItems) {
    const error = await removeTrashFolder(item, home);
    if (error === null) removed.push(item);
    else errors.push(`${item.folder}: ${error}`);
  }
  return { removed, errors };
}

/** Returns the error, or null if the folder is removed. */
async function removeTrashFolder({ id, from, folder }: ExpiredTrash, home: string): Promise<string | null> {
  // Never removes a folder outside the trash or the target of a link.
  const isInTrash = dirname(resolve(folder)) === join(home, "trash") && realFiles.stat(folder)?.kind === "folder";
  if (!isInTrash || basename(folder) === "") return "not a folder in the trash";
  // PRUNE4: logged before the removal, so that no session is removed without a log line.
  const logError = await logDeletion(home, { act: "removed", id, path: from, folder, by: "prune" });
  if (logError !== null) return logError;
  try {
    await rm(folder, { recursive: true });
    return null;
  } catch (error) {
    const code = diskErrorCode(error);
    if (code === "") throw error;
    return `cannot be removed: ${code}`;
  }
}

export interface PruneOptions {
  readonly type: "options";
  readonly ageMs: number;
  readonly ageText: string;
  readonly emptiesTrash: boolean;
  /** Whether to prune, not only to show what would be pruned. */
  readonly isConfirmed: boolean;
}

/** Nothing is pruned without `--yes` and an explicit age. */
function parsePruneFlags(flags: SubcommandCall["flags"]): PruneOptions | UsageError {
  const olderThan = flags["older-than"];
  const isConfirmed = flags.yes === true;
  if (isConfirmed && flags["dry-run"] === true)
    return usageError("--dry-run and --yes cannot be combined; use only one of them");
  if (isConfirmed && olderThan === undefined) return usageError("--yes requires an age, such as --older-than 90d");
  const ageMs = parseAge(typeof olderThan === "string" ? olderThan : DEFAULT_AGE);
  if (ageMs === null || ageMs < MIN_AGE_MS)
    return usageError(`--older-than must be an age of at least a day, such as 90d, 12w or 1y, not "${olderThan}"`);
  return {
    type: "options",
    ageMs,
    ageText: String(olderThan ?? DEFAULT_AGE),
    emptiesTrash: flags["empty-trash"] === true,
    isConfirmed,
  };
}

const DEFAULT_AGE = "90d";
const MIN_AGE_MS = 24 * 3_600_000;

export interface ReportInput extends PruneCandidates {
  readonly trash: readonly ExpiredTrash[];
  readonly options: PruneOptions;
  readonly now: number;
}

function createReport(input: ReportInput): { readonly text: string; readonly data: unknown } {
  const { total, inactive, keptCounts, trash, options } = input;
  const bytes = inactive.reduce((sum, { item }) => sum + item.size, 0);
  const data = {
    isDone: false,
    olderThan: options.ageText,
    total,
    bytes,
    inactive: inactive.map(({ item, newest }) => ({ id: item.id, path: item.path, size: item.size, newest })),
    kept: keptCounts,
    trash: trash.map(({ id, folder, size, trashed }) => ({ id, folder, size, trashed })),
  };
  return { text: formatReport(input, bytes), data };
}

function formatReport({ total, inactive, keptCounts, trash, options, now }: ReportInput, bytes: number): string {
  const heading =
    inactive.length === 0
      ? `No sessions have been inactive for ${formatAgeText(options.ageText)}.`
      : `${formatNumber(inactive.length)} of ${formatCount(total, "session")} inactive for ${formatAgeText(options.ageText)} (${formatBytes(bytes)}):`;
  const keptTexts = (Object.keys(REASON_LABELS) as (keyof typeof REASON_LABELS)[]).flatMap((reason) =>
    keptCounts[reason] > 0 ? [`${keptCounts[reason]} ${REASON_LABELS[reason]}`] : [],
  );
  return [
    heading,
    ...inactive.slice(0, MAX_LISTED_SESSIONS).map((session) => formatInactiveSession(session, now)),
    ...(inactive.length > MAX_LISTED_SESSIONS
      ? [`… ${inactive.length - MAX_LISTED_SESSIONS} more; --json lists all`]
      : []),
    ...(keptTexts.length > 0 ? [`Old, but kept: ${keptTexts.join(", ")}`] : []),
    ...(options.emptiesTrash
      ? [`In the trash for more than ${GRACE_DAYS} days: ${formatCount(trash.length, "session")}`]
      : []),
    ...(inactive.length + trash.length > 0
      ? [`Nothing was changed. To prune, run: ${formatPruneCommand(options)}`]
      : []),
  ].join("\n");
}

/** Returns `90 days` for `90d`. */
function formatAgeText(ageText: string): string {
  const [, count = "", unit = ""] = /^(\d+) ?(\w)$/.exec(ageText.trim()) ?? [];
  return formatCount(Number(count), UNIT_NAMES[unit] ?? unit);
}

const UNIT_NAMES: Readonly<Record<string, string>> = { h: "hour", d: "day", w: "week", m: "month", y: "year" };

const REASON_LABELS: Readonly<Record<Exclude<KeepReason, "younger">, string>> = {
  named: "named",
  labeled: "labeled",
  pinned: "with pins",
  undated: "with no readable timestamp",
  damaged: "damaged",
};

function formatInactiveSession({ item, newest }: InactiveSession, now: number): string {
  return `${shortId(item.id)}  ${formatAge(now - Date.parse(newest)).padStart(7)}  ${formatBytes(item.size).padStart(8)}  ${describeSession(item)}`;
}

function formatPruneCommand({ ageText, emptiesTrash }: PruneOptions): string {
  return `pith sessions prune --older-than ${ageText}${emptiesTrash ? " --empty-trash" : ""} --yes`;
}

const MAX_LISTED_SESSIONS = 50;

export interface InactiveSession {
  readonly item: SessionItem;
  /** The ISO time of the newest entry. */
  readonly newest: string;
}

/** Why a session is kept. */
export type KeepReason = "named" | "labeled" | "pinned" | "younger" | "undated" | "damaged";

export interface PruneCandidates {
  readonly total: number;
  readonly inactive: readonly InactiveSession[];
  readonly keptCounts: Readonly<Record<KeepReason, number>>;
}

export interface FindInactiveOptions extends Pick<HostContext, "home"> {
  /** A Unix time in milliseconds. Sessions with newer entries are kept. */
  readonly cutoffMs: number;
  readonly reportProgress: (line: string) => void;
}

/** Finds old sessions by the times of their entries. Sessions with a name, a label or a pin are never inactive. */
async function findInactiveSessions({ home, cutoffMs, reportProgress }: FindInactiveOptions): Promise<PruneCandidates> {
  const sessions = await listSessions({ env: { PITH_HOME: home } });
  const keptCounts = { named: 0, labeled: 0, pinned: 0, younger: 0, undated: 0, damaged: 0 };
  const inactive: InactiveSession[] = [];
  for (const [index, item] of sessions.entries()) {
    reportProgress(`checked ${index} of ${formatCount(sessions.length, "session")}`);
    // PRUNE2: the modification time of the file can only keep a session, because a backup or a copy may set any time.
    const verdict = item.modified > cutoffMs ? "younger" : await classifySession(item, cutoffMs);
    if (typeof verdict === "string") keptCounts[verdict] += 1;
    else inactive.push(verdict);
  }
  return { total: sessions.length, inactive, keptCounts };
}

async function classifySession(item: SessionItem, cutoffMs: number): Promise<InactiveSession | KeepReason> {
  if (item.damaged !== undefined) return "damaged";
  if (item.name) return "named";
  const state = await readSession(item.path, async (store) => {
    const branch = await store.loadBranch(await store.leaf());
    const times = [store.header.timestamp, ...branch.entries.map(({ timestamp }) => timestamp)].map(Date.parse);
    const marks = { isNamed: Boolean(await store.name()), isLabeled: (await store.labels()).size > 0 };
    return { type: "read" as const, ...marks, newest: Math.max(...times), isDamaged: store.damage.length > 0 };
  });
  if (state.type !== "read" || state.isDamaged) return "damaged";
  if (state.isNamed) return "named";
  if (state.isLabeled) return "labeled";
  if (Number.isNaN(state.newest)) return "undated";
  if (state.newest > cutoffMs) return "younger";
  return hasPins(item.path) ? "pinned" : { item, newest: new Date(state.newest).toISOString() };
}

/** Whether the session contains a pin on any branch, even a removed one: a pin shows that the session matters to the user. */
function hasPins(path: string): boolean {
  const file = realFiles.open(path, "read");
  try {
    const bytes = Buffer.allocUnsafe(PAGE_BYTES + PIN_MARKER.length);
    for (let offset = 0; ; offset += PAGE_BYTES) {
      const count = file.read(bytes, offset);
      // Pages overlap by the length of the marker, so that it is never split.
      if (bytes.subarray(0, count).includes(PIN_MARKER)) return true;
      if (count < bytes.length) return false;
    }
  } finally {
    file.close();
  }
}

const PAGE_BYTES = 1024 * 1024;
const PIN_MARKER = Buffer.from('"pith.pin"');

export async function runPrune(call: SubcommandCall): Promise<SubcommandResult> {
  const options = parsePruneFlags(call.flags);
  if (options.type === "mistake") return options;
  const now = Date.now();
  const candidates = await findInactiveSessions({
    home: call.home,
    cutoffMs: now - options.ageMs,
    reportProgress: createProgressReporter(call.notify),
  });
  const trash = options.emptiesTrash ? await listExpiredTrash(call.home, now) : [];
  if (!options.isConfirmed) return { type: "success", ...createReport({ ...candidates, trash, options, now }) };
  const { movedSessions, errors: moveErrors } = await moveInactiveToTrash(candidates.inactive, call);
  const trashResult = await emptyTrash(trash, call.home);
  const errors = [...moveErrors, ...trashResult.errors];
  for (const error of errors) call.notify(`pith: ${error}`);
  const lines = [
    candidates.inactive.length === 0
      ? `Nothing to prune: no sessions have been inactive for ${formatAgeText(options.ageText)}.`
      : `Moved ${formatCount(movedSessions.length, "session")} to the trash. To restore one, run: pith sessions restore`,
    ...(options.emptiesTrash
      ? [
          `Permanently deleted ${formatCount(trashResult.removed.length, "session")} after ${GRACE_DAYS} days in the trash.`,
        ]
      : []),
  ];
  const removed = trashResult.removed.map(({ id, folder }) => ({ id, folder }));
  const data = { isDone: true, trashed: movedSessions, removed };
  return { type: "success", text: lines.join("\n"), data, ...(errors.length > 0 && { code: 1 }) };
}

interface MovedSession {
  readonly id: string;
  readonly path: string;
  readonly folder: string;
}

/** A session that is in use or cannot be moved does not stop the others. */
async function moveInactiveToTrash(
  inactive: readonly InactiveSession[],
  { home, notify }: SubcommandCall,
): Promise<{ readonly movedSessions: readonly MovedSession[]; readonly errors: readonly string[] }> {
  const movedSessions: MovedSession[] = [];
  const errors: string[] = [];
  const reportProgress = createProgressReporter(notify);
  for (const { item } of inactive) {
    reportProgress(`moved ${movedSessions.length} of ${formatCount(inactive.length, "session")}`);
    const result = await moveToTrash(item.path, { home, by: "prune" });
    if (result.type === "trashed") movedSessions.push({ id: result.id, path: item.path, folder: result.folder });
    else errors.push(`${item.path}: ${result.message}`);
  }
  return { movedSessions, errors };
}
