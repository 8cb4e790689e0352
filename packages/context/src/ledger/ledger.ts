/** Defines the ledger that code keeps of the work, each item with its entry, and merges ledgers within fixed limits. */

import { lineTemplate } from "../text/score-units.ts";
import { onlyLooks } from "./shell-command.ts";

/** Every list has its newest item last. */
export interface Ledger {
  readonly files: readonly LedgerFile[];
  /** Files that are no longer listed one by one. */
  readonly folders: readonly LedgerFolder[];
  readonly commands: readonly LedgerCommand[];
  readonly errors: readonly LedgerLine[];
  /** Lines of long outputs. */
  readonly lines: readonly LedgerLine[];
  readonly references: readonly LedgerReference[];
  readonly images: readonly LedgerImage[];
}

/** A file that was ever modified stays a modified one. */
export interface LedgerFile {
  readonly path: string;
  readonly did: "read" | "modified";
  readonly entryId: string;
}

/** How many files of a folder were rolled up; "." for those of the top, and for folders that are no longer listed. */
export interface LedgerFolder {
  readonly folder: string;
  readonly read: number;
  readonly modified: number;
}

export interface LedgerCommand {
  readonly command: string;
  /** Null where it is not known how it ended. */
  readonly exitCode: number | null;
  readonly entryId: string;
}

export interface LedgerLine {
  readonly text: string;
  readonly entryId: string;
}

export interface LedgerReference {
  readonly kind: "url" | "commit" | "id";
  readonly text: string;
  readonly entryId: string;
}

export interface LedgerImage {
  /** `blob:<hash>`, or `entry:<id>` where the image stands in the entry itself. */
  readonly handle: string;
  /** E.g. `800x600`. */
  readonly size: string | null;
  readonly path: string | null;
  readonly caption: string | null;
  readonly entryId: string;
}

export const emptyLedger: Ledger = {
  files: [],
  folders: [],
  commands: [],
  errors: [],
  lines: [],
  references: [],
  images: [],
};

/** How many items each list holds. */
export const MOST = {
  modified: 200,
  read: 200,
  folders: 60,
  commands: 60,
  /** Commands that only look at something. */
  looks: 20,
  errors: 20,
  lines: 40,
  references: 60,
  images: 30,
} as const;

/** How many letters of each foreign text are kept. */
export const LETTERS = { path: 1000, command: 200, line: 300, reference: 300, caption: 80, id: 100 } as const;

export interface Wanted<Item> {
  /** Items with one text are the same; the newest of them counts. */
  readonly by: (item: Item) => string;
  readonly most: number;
}

/** The newest last, as they come. */
export function newest<Item>(items: readonly Item[], wanted: Wanted<Item>): readonly Item[] {
  return newestFound(items, { ...wanted, find: (item) => [item] });
}

/** The same of what is found in each of the sources, oldest first; no more of them are looked at than fill the list. */
export function newestFound<Source, Item>(
  sources: readonly Source[],
  { find, by, most }: Wanted<Item> & { readonly find: (source: Source) => readonly Item[] },
): readonly Item[] {
  const known = new Map<string, Item>();
  for (let at = sources.length - 1; at >= 0 && known.size < most; at--)
    for (const item of find(sources[at] as Source).toReversed()) {
      const text = by(item);
      if (!known.has(text)) known.set(text, item);
    }
  return [...known.values()].slice(0, most).reverse();
}

const itsText = ({ text }: LedgerLine | LedgerReference): string => text;

/** What each list of a ledger holds. */
export const wanted: WantedLists = {
  errors: { by: ({ text }) => lineTemplate(text), most: MOST.errors },
  lines: { by: itsText, most: MOST.lines },
  references: { by: itsText, most: MOST.references },
  // Several images may stand in one entry and have one handle.
  images: { by: ({ handle, size, path, caption }) => JSON.stringify([handle, size, path, caption]), most: MOST.images },
};

interface WantedLists {
  readonly errors: Wanted<LedgerLine>;
  readonly lines: Wanted<LedgerLine>;
  readonly references: Wanted<LedgerReference>;
  readonly images: Wanted<LedgerImage>;
}

/** Of what is found in each of the sources, oldest first; no more of them are looked at than fill both lists. */
export function newestCommands<Source>(
  sources: readonly Source[],
  find: (source: Source) => readonly LedgerCommand[],
): readonly LedgerCommand[] {
  /** Null for one that its list had no room for. */
  const known = new Map<string, LedgerCommand | null>();
  // LED3: looking pushes out no doing.
  const room = { doing: MOST.commands as number, looking: MOST.looks as number };
  for (let at = sources.length - 1; at >= 0 && room.doing + room.looking > 0; at--)
    for (const item of find(sources[at] as Source).toReversed()) {
      if (known.has(item.command)) continue;
      const kind = onlyLooks(item.command) ? "looking" : "doing";
      known.set(item.command, room[kind] > 0 ? item : null);
      room[kind] = Math.max(0, room[kind] - 1);
    }
  return [...known.values()].filter((item) => item !== null).reverse();
}

/** The folders with these files counted in; where they become too many, the oldest are counted under ".". */
export function rolledUp(folders: readonly LedgerFolder[], files: readonly LedgerFile[]): readonly LedgerFolder[] {
  return withoutOldest(joinedFolders([...folders, ...files.map(asFolder)]));
}

/** Each folder once, at the place of its newest mention. */
function joinedFolders(folders: readonly LedgerFolder[]): readonly LedgerFolder[] {
  const byName = new Map<string, LedgerFolder>();
  for (const { folder, read, modified } of folders) {
    const before = byName.get(folder) ?? { read: 0, modified: 0 };
    byName.delete(folder);
    byName.set(folder, { folder, read: sum(before.read, read), modified: sum(before.modified, modified) });
  }
  return [...byName.values()];
}

// A ledger comes from a file, where any number may stand.
function sum(one: number, other: number): number {
  return Math.min(one + other, MOST_COUNTED);
}

export const MOST_COUNTED = 999_999_999;

function asFolder({ path, did }: LedgerFile): LedgerFolder {
  return { folder: folderOf(path), read: did === "read" ? 1 : 0, modified: did === "modified" ? 1 : 0 };
}

/** `src/parts` of `src/parts/a.ts`; both kinds of slashes count. */
function folderOf(path: string): string {
  const slash = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  if (slash < 0) return TOP;
  return path.slice(0, Math.max(slash, 1));
}

const TOP = ".";

function withoutOldest(folders: readonly LedgerFolder[]): readonly LedgerFolder[] {
  const excess = folders.length - MOST.folders;
  if (excess <= 0) return folders;
  const oldest = folders.slice(0, excess + 1).map((each) => ({ ...each, folder: TOP }));
  return joinedFolders([...oldest, ...folders.slice(excess + 1)]);
}

export function mergedLedgers(older: Ledger, newer: Ledger): Ledger {
  return mergedInOrder([older, newer]);
}

/** From the oldest to the newest; each may hold more than the bounds. In however many steps, the same is kept. */
export function mergedInOrder(ledgers: readonly Ledger[]): Ledger {
  const all = {
    files: ledgers.flatMap(({ files }) => files),
    folders: ledgers.flatMap(({ folders }) => folders),
    commands: ledgers.flatMap(({ commands }) => commands),
    errors: ledgers.flatMap(({ errors }) => errors),
    lines: ledgers.flatMap(({ lines }) => lines),
    references: ledgers.flatMap(({ references }) => references),
    images: ledgers.flatMap(({ images }) => images),
  };
  const files = newestFiles(all.files);
  return {
    files: files.listed,
    folders: rolledUp(all.folders, files.tooOld),
    commands: newestCommands(all.commands, (command) => [command]),
    errors: newest(all.errors, wanted.errors),
    lines: newest(all.lines, wanted.lines),
    references: newest(all.references, wanted.references),
    images: newest(all.images, wanted.images),
  };
}

// LED3: what was read does not push out what was modified.
function newestFiles(all: readonly LedgerFile[]): { listed: readonly LedgerFile[]; tooOld: readonly LedgerFile[] } {
  const files = joined(all);
  const kept = new Set([
    ...files.filter(({ did }) => did === "modified").slice(-MOST.modified),
    ...files.filter(({ did }) => did === "read").slice(-MOST.read),
  ]);
  return { listed: files.filter((file) => kept.has(file)), tooOld: files.filter((file) => !kept.has(file)) };
}

/** Each path once, at its newest touch; with the entry that modified it last, if one did. */
function joined(files: readonly LedgerFile[]): readonly LedgerFile[] {
  const byPath = new Map<string, LedgerFile>();
  for (const file of files) {
    const before = byPath.get(file.path);
    byPath.delete(file.path);
    byPath.set(file.path, file.did === "read" && before?.did === "modified" ? before : file);
  }
  return [...byPath.values()];
}
