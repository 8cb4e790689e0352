/** Implements `pith sessions prune`, the only place that deletes a user's non-empty session: after 30 days in the trash. */

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
import { ageIn, type Call, type Outcome, progress } from "../../args/subcommand.ts";
import { looked } from "../../sessions/find-session.ts";
import { intoTrash, logged } from "../../sessions/trash.ts";
import { ageTold, amount, bytesTold, counted } from "../../text/format.ts";
import { type Mistake, mistake } from "../../text/usage-error.ts";
import { shortId, wordsOf } from "./list-search.ts";

export type OldTrash = TrashItem;

export const GRACE_DAYS = 30;

export async function oldTrash(home: string, now: number): Promise<readonly OldTrash[]> {
  const all = await listTrash({ env: { PITH_HOME: home } });
  return all.filter(({ trashed }) => now - Date.parse(trashed) > GRACE_DAYS * 24 * 3_600_000);
}

export interface Emptied {
  readonly gone: readonly OldTrash[];
  /** Why one stays, for people. */
  readonly faults: readonly string[];
}

export async function emptied(old: readonly OldTrash[], home: string): Promise<Emptied> {
  const gone: OldTrash[] = [];
  const faults: string[] = [];
  for (const each of old) {
    const fault = await removed(each, home);
    if (fault === null) gone.push(each);
    else faults.push(`${each.folder}: ${fault}`);
  }
  return { gone, faults };
}

/** What stood in the way; null where it is gone. */
async function removed({ id, from, folder }: OldTrash, home: string): Promise<string | null> {
  // Neither what lies elsewhere nor what a link leads to.
  const isOurs = dirname(resolve(folder)) === join(home, "trash") && realFiles.stat(folder)?.kind === "folder";
  if (!isOurs || basename(folder) === "") return "it is no folder of the trash";
  // PRUNE4: said before it is done, so that nothing vanishes without a line.
  const fault = await logged(home, { act: "removed", id, path: from, folder, by: "prune" });
  if (fault !== null) return fault;
  try {
    await rm(folder, { recursive: true });
    return null;
  } catch (error) {
    const code = diskErrorCode(error);
    if (code === "") throw error;
    return `it cannot be removed: the disk gave ${code}`;
  }
}

export interface PruneWish {
  readonly type: "wish";
  /** Milliseconds. */
  readonly age: number;
  readonly said: string;
  readonly emptiesTrash: boolean;
  /** Whether it is to be done, not only shown. */
  readonly isMeant: boolean;
}

/** Nothing is pruned without `--yes` and an explicit age. */
export function pruneWish(flags: Call["flags"]): PruneWish | Mistake {
  const said = flags["older-than"];
  const isMeant = flags.yes === true;
  if (isMeant && flags["dry-run"] === true)
    return mistake("--dry-run only shows it and --yes does it; write one of them");
  if (isMeant && said === undefined) return mistake("say how old with --yes, such as --older-than 90d");
  const age = ageIn(typeof said === "string" ? said : USUAL);
  if (age === null || age < LEAST)
    return mistake(`--older-than is "${said}"; write an age of at least a day, such as 90d, 12w or 1y`);
  return { type: "wish", age, said: String(said ?? USUAL), emptiesTrash: flags["empty-trash"] === true, isMeant };
}

const USUAL = "90d";
const LEAST = 24 * 3_600_000;

export interface ReportParts extends Sorted {
  readonly trash: readonly OldTrash[];
  readonly wish: PruneWish;
  readonly now: number;
}

export function reportOf(parts: ReportParts): { readonly text: string; readonly data: unknown } {
  const { total, silent, stays, trash, wish } = parts;
  const bytes = silent.reduce((sum, { item }) => sum + item.size, 0);
  const data = {
    isDone: false,
    olderThan: wish.said,
    total,
    bytes,
    silent: silent.map(({ item, newest }) => ({ id: item.id, path: item.path, size: item.size, newest })),
    stays,
    trash: trash.map(({ id, folder, size, trashed }) => ({ id, folder, size, trashed })),
  };
  return { text: textOf(parts, bytes), data };
}

function textOf({ total, silent, stays, trash, wish, now }: ReportParts, bytes: number): string {
  const head =
    silent.length === 0
      ? `none of ${counted(total, "session")} has been silent for ${wish.said}`
      : `${counted(silent.length, "session")} of ${amount(total)} silent for ${wish.said}, ${bytesTold(bytes)}:`;
  const kept = (Object.keys(REASONS) as (keyof typeof REASONS)[]).flatMap((reason) =>
    stays[reason] > 0 ? [`${stays[reason]} ${REASONS[reason]}`] : [],
  );
  return [
    head,
    ...silent.slice(0, MOST).map((each) => lineOf(each, now)),
    ...(silent.length > MOST ? [`… ${silent.length - MOST} more; --json names all`] : []),
    ...(kept.length > 0 ? [`old, but staying: ${kept.join(", ")}`] : []),
    ...(wish.emptiesTrash ? [`${counted(trash.length, "session")} in the trash for more than ${GRACE_DAYS} days`] : []),
    ...(silent.length + trash.length > 0 ? [`nothing was done; to do it: ${commandOf(wish)}`] : []),
  ].join("\n");
}

const REASONS: Readonly<Record<Exclude<Reason, "younger">, string>> = {
  named: "named",
  labelled: "labelled",
  pinned: "with pins",
  undated: "without a time that can be read",
  damaged: "damaged",
};

function lineOf({ item, newest }: Silent, now: number): string {
  return `${shortId(item.id)}  ${ageTold(now - Date.parse(newest)).padStart(7)}  ${bytesTold(item.size).padStart(8)}  ${wordsOf(item)}`;
}

function commandOf({ said, emptiesTrash }: PruneWish): string {
  return `pith sessions prune --older-than ${said}${emptiesTrash ? " --empty-trash" : ""} --yes`;
}

const MOST = 50;

export interface Silent {
  readonly item: SessionItem;
  /** When the newest entry was written, ISO. */
  readonly newest: string;
}

/** Why a session stays although its file is old. */
export type Reason = "named" | "labelled" | "pinned" | "younger" | "undated" | "damaged";

export interface Sorted {
  readonly total: number;
  readonly silent: readonly Silent[];
  readonly stays: Readonly<Record<Reason, number>>;
}

export interface Sorting {
  /** Pith's home. */
  readonly home: string;
  /** Milliseconds since 1970: whatever is newer stays. */
  readonly before: number;
  readonly told: (line: string) => void;
}

/** Judges by a session's own entries. One that is named, labelled or pinned is never silent. */
export async function silentSessions({ home, before, told }: Sorting): Promise<Sorted> {
  const all = await listSessions({ env: { PITH_HOME: home } });
  const stays = { named: 0, labelled: 0, pinned: 0, younger: 0, undated: 0, damaged: 0 };
  const silent: Silent[] = [];
  for (const [at, item] of all.entries()) {
    told(`looked at ${at} of ${counted(all.length, "session")}`);
    // PRUNE2: the file's time only ever keeps a session, for a backup or a copy makes it any time.
    const found = item.modified > before ? "younger" : await judged(item, before);
    if (typeof found === "string") stays[found] += 1;
    else silent.push(found);
  }
  return { total: all.length, silent, stays };
}

async function judged(item: SessionItem, before: number): Promise<Silent | Reason> {
  if (item.damaged !== undefined) return "damaged";
  if (item.name) return "named";
  const seen = await looked(item.path, async (store) => {
    const window = await store.loadBranch(await store.leaf());
    const times = [store.header.timestamp, ...window.entries.map(({ timestamp }) => timestamp)].map(Date.parse);
    const marks = { isNamed: Boolean(await store.name()), isLabelled: (await store.labels()).size > 0 };
    return { type: "seen" as const, ...marks, newest: Math.max(...times), isDamaged: store.damage.length > 0 };
  });
  if (seen.type !== "seen" || seen.isDamaged) return "damaged";
  if (seen.isNamed) return "named";
  if (seen.isLabelled) return "labelled";
  if (Number.isNaN(seen.newest)) return "undated";
  if (seen.newest > before) return "younger";
  return hasPins(item.path) ? "pinned" : { item, newest: new Date(seen.newest).toISOString() };
}

/** On whatever branch, and also where it was taken away again: whoever pins something cares for the session. */
function hasPins(path: string): boolean {
  const file = realFiles.open(path, "read");
  try {
    const bytes = Buffer.allocUnsafe(PAGE + PINNED.length);
    for (let at = 0; ; at += PAGE) {
      const count = file.read(bytes, at);
      // Pages overlap by so much that none of it is parted.
      if (bytes.subarray(0, count).includes(PINNED)) return true;
      if (count < bytes.length) return false;
    }
  } finally {
    file.close();
  }
}

const PAGE = 1024 * 1024;
const PINNED = Buffer.from('"pith.pin"');

export async function pruned(call: Call): Promise<Outcome> {
  const wish = pruneWish(call.flags);
  if (wish.type === "mistake") return wish;
  const now = Date.now();
  const found = await silentSessions({ home: call.home, before: now - wish.age, told: progress(call.note) });
  const trash = wish.emptiesTrash ? await oldTrash(call.home, now) : [];
  if (!wish.isMeant) return { type: "shown", ...reportOf({ ...found, trash, wish, now }) };
  const { moved, faults } = await movedAway(found.silent, call);
  const away = await emptied(trash, call.home);
  const all = [...faults, ...away.faults];
  for (const fault of all) call.note(`pith: ${fault}`);
  const lines = [
    `${counted(moved.length, "session")} moved into the trash; pith sessions restore brings one back`,
    ...(wish.emptiesTrash
      ? [`${counted(away.gone.length, "session")} removed for good, after ${GRACE_DAYS} days in the trash`]
      : []),
  ];
  const data = { isDone: true, trashed: moved, removed: away.gone.map(idOf) };
  return { type: "shown", text: lines.join("\n"), data, ...(all.length > 0 && { code: 1 }) };
}

interface Moved {
  readonly id: string;
  readonly path: string;
  readonly folder: string;
}

/** One that is in use, or cannot be moved, is no reason to leave the others. */
async function movedAway(
  silent: readonly Silent[],
  { home, note }: Call,
): Promise<{ readonly moved: readonly Moved[]; readonly faults: readonly string[] }> {
  const moved: Moved[] = [];
  const faults: string[] = [];
  const told = progress(note);
  for (const { item } of silent) {
    told(`${moved.length} of ${counted(silent.length, "session")}`);
    const gone = await intoTrash(item.path, { home, by: "prune" });
    if (gone.type === "gone") moved.push({ id: gone.id, path: item.path, folder: gone.folder });
    else faults.push(`${item.path}: ${gone.message}`);
  }
  return { moved, faults };
}

function idOf({ id, folder }: OldTrash): object {
  return { id, folder };
}
