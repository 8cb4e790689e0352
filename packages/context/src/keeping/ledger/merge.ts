/** Ledgers made into one: each thing once, the newest last, within the bounds. In however many steps, the same is kept. */

import { type Ledger, type LedgerFile, MOST } from "./ledger.ts";
import { newest, wanted } from "./newest.ts";
import { newestCommands } from "./newest-commands.ts";
import { rolledUp } from "./roll-up.ts";

export function mergedLedgers(older: Ledger, newer: Ledger): Ledger {
  return mergedInOrder([older, newer]);
}

/** From the oldest to the newest; each may hold more than the bounds. */
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
