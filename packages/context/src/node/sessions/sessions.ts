/** Creates, finds and renames sessions, labels their entries, and totals what they hold and cost. */

import { resolve } from "node:path";
import type { Entry, Header } from "../../entry.ts";
import { entryAlone } from "../../format/entry-line.ts";
import { readRaw } from "../../format/read-line.ts";
import { encodeSession, newHeader } from "../../format/session-file.ts";
import { Session } from "../../session/session.ts";
import type { Appended } from "../../session/store.ts";
import { plainText } from "../../text/sanitize.ts";
import { noTotals, type SessionTotals, sessionTotals } from "../../usage.ts";
import { diskError, type OpenFile, orUnavailable, type Unavailable } from "../files.ts";
import { JsonlStore } from "../jsonl/jsonl-store.ts";
import { type Opened, openStore } from "../jsonl/open-store.ts";
import { forwards, wholeFile } from "../jsonl/read-lines.ts";
import { createWhole } from "../jsonl/rewrite.ts";
import { type SoundFile, soundFile } from "../jsonl/valid-file.ts";
import { listSessions } from "./list-sessions.ts";
import { type Candidate, type HomeParts, nameMatches, newPlace, settled } from "./paths.ts";

export interface NewSession extends HomeParts {
  /** The directory it belongs to. */
  readonly cwd: string;
  /** An id of the user's own; made up if not said. */
  readonly id?: string;
  readonly parentSession?: string;
}

/** Open for writing; an id that cannot be used is `unavailable`, with a sentence to show. */
export async function createSession({ cwd, id, parentSession, ...parts }: NewSession): Promise<Opened> {
  const all = settled(parts);
  return orUnavailable(`no session can be made for ${cwd}`, () => {
    const place = newPlace(cwd, { ...all, id });
    if (place.type !== "free") return place;
    const header = newHeader({ cwd: resolve(cwd), ...(parentSession !== undefined && { parentSession }) }, place.ports);
    createWhole(place.path, encodeSession([JSON.stringify(header)], place.ports.checksum), all.files);
    return openStore(place.path, all);
  });
}

export type Finding =
  | ({ readonly type: "found" } & Candidate)
  | { readonly type: "several"; readonly candidates: readonly Candidate[]; readonly why: string }
  | { readonly type: "none"; readonly why: string };

export interface Search extends HomeParts {
  /** Looked through instead of Pith's own. */
  readonly folders?: readonly string[];
}

/** The names of files are looked at first, headers only if none fits; a whole id goes before one that only begins so. */
export async function findSession(idOrPrefix: string, { folders, ...parts }: Search = {}): Promise<Finding> {
  if (idOrPrefix === "") return { type: "none", why: "say at least the first letter of a session's id" };
  const begins = (id: string): boolean => id.startsWith(idOrPrefix);
  const named = nameMatches(begins, { ...settled(parts), folders });
  if (named.length > 0) return finding(idOrPrefix, named);
  const listed = await listSessions({ ...parts, ...(folders && { folders }) });
  return finding(
    idOrPrefix,
    listed.filter(({ id }) => begins(id)).map(({ path, id }) => ({ path, id })),
  );
}

function finding(wanted: string, candidates: readonly Candidate[]): Finding {
  const exact = candidates.filter(({ id }) => id === wanted);
  const [first, second] = exact.length > 0 ? exact : candidates;
  if (!first)
    return { type: "none", why: `no session's id begins with "${wanted}"; list the sessions to see them all` };
  if (!second) return { type: "found", ...first };
  const why = `${candidates.length} sessions have an id that begins with "${wanted}"; say more of it, or give the path`;
  return { type: "several", candidates: exact.length > 0 ? exact : candidates, why };
}

/** Whoever has a `Session` gives that one: it then knows of what was added. */
export type Target = string | JsonlStore | Session;

/** Why it could not be opened. */
export type NotOpened = Exclude<Opened, { readonly type: "opened" }>;

/** A path is opened and closed again; for a session that is open, no second lease is taken. */
export async function withSession<Outcome>(
  target: Target,
  parts: HomeParts,
  act: (session: Session) => Promise<Outcome>,
): Promise<Outcome | NotOpened> {
  if (target instanceof Session) return orUnavailable("the session cannot be read", () => act(target));
  const all = settled(parts);
  if (target instanceof JsonlStore)
    return orUnavailable(`${target.path} cannot be read`, async () => act(await Session.open(target, all.ports, all)));
  const opened = await openStore(target, all);
  if (opened.type !== "opened") return opened;
  try {
    return await orUnavailable(`${target} cannot be read`, async () =>
      act(await Session.open(opened.store, all.ports, all)),
    );
  } finally {
    await closed(opened.store);
  }
}

/** What was done is done: a disk that fails at the very end leaves at most a lease, which ends with this process. */
export async function closed(store: JsonlStore): Promise<void> {
  try {
    await store.close();
  } catch (error) {
    if (diskError(error) === "") throw error;
  }
}

/** The name is an entry like any other, so it becomes the leaf, as in pi. An empty name takes the name away. */
export async function renameSession(
  target: Target,
  name: string,
  parts: HomeParts = {},
): Promise<Appended | NotOpened> {
  return withSession(target, parts, (session) => session.append({ type: "session_info", name: plainText(name) }));
}

export interface Labelling extends HomeParts {
  readonly entryId: string;
  /** Left out or empty, it takes the label away. */
  readonly label?: string;
}

export type Labelled = Appended | NotOpened | { readonly type: "no-entry"; readonly why: string };

/** The label is an entry like any other, so it becomes the leaf, as in pi. */
export async function labelEntry(target: Target, { entryId, label = "", ...parts }: Labelling): Promise<Labelled> {
  return withSession(target, parts, async (session): Promise<Labelled> => {
    if (!(await session.store.entry(entryId))) return noEntry(entryId);
    const shown = plainText(label);
    return session.append({ type: "label", targetId: entryId, ...(shown !== "" && { label: shown }) });
  });
}

function noEntry(id: string): Labelled {
  return { type: "no-entry", why: `the session has no entry ${id}; take its id from the tree` };
}

export type TotalsOf =
  | { readonly type: "counted"; readonly header: Header | null; readonly totals: SessionTotals }
  | Unavailable;

/** Also while another process writes it: then up to where it stood. What is damaged counts nothing. */
export async function totalsOf(path: string, parts: HomeParts = {}): Promise<TotalsOf> {
  const all = settled(parts);
  return orUnavailable<TotalsOf>(`${path} cannot be read`, async () => {
    const file = all.files.open(path, "read");
    try {
      return await counted(file, all);
    } finally {
      file.close();
    }
  });
}

async function counted(file: OpenFile, { ports, limits }: Required<HomeParts>): Promise<TotalsOf> {
  const sound = soundFile(file, ports.checksum, limits);
  if (sound) return { type: "counted", header: sound.header, totals: await summed(entriesIn(sound)) };
  const { header, lines } = wholeFile(file, { checksum: ports.checksum, limits });
  return { type: "counted", header, totals: await summed(lines.map(({ entry }) => entry)) };
}

function* entriesIn({ file, rules, start, end, limits }: SoundFile): Generator<Entry> {
  for (const line of forwards(file, { start, end, limits })) {
    const reading = readRaw(line, rules);
    const entry = reading.type === "whole" ? entryAlone(reading.value) : null;
    if (entry) yield entry;
  }
}

async function summed(entries: Iterable<Entry>): Promise<SessionTotals> {
  let totals = noTotals;
  for (const entry of entries) {
    totals = sessionTotals(totals, entry);
    // A long file must not hold up whoever else works in this process.
    if (totals.entries % PAUSE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return totals;
}

const PAUSE = 1_000;
