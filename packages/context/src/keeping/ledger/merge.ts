/** Ledgers made into one: each thing once, the newest last, within the bounds. In however many steps, the same is kept. */

import { onlyLooks } from "../../reading/tools/shell-files.ts";
import { lineTemplate } from "../line-template.ts";
import { type Ledger, type LedgerCommand, type LedgerFile, type LedgerImage, MOST } from "./ledger.ts";
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
    commands: newestCommands(all.commands),
    errors: newest(all.errors, ({ text }) => lineTemplate(text)).slice(-MOST.errors),
    lines: newest(all.lines, ({ text }) => text).slice(-MOST.lines),
    references: newest(all.references, ({ text }) => text).slice(-MOST.references),
    images: newest(all.images, everything).slice(-MOST.images),
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

// LED3: nor does looking push out doing.
function newestCommands(all: readonly LedgerCommand[]): readonly LedgerCommand[] {
  const commands = newest(all, ({ command }) => command);
  const looks = new Set(commands.filter(({ command }) => onlyLooks(command)));
  const kept = new Set([
    ...commands.filter((command) => !looks.has(command)).slice(-MOST.commands),
    ...[...looks].slice(-MOST.looks),
  ]);
  return commands.filter((command) => kept.has(command));
}

/** Of items that are the same by a text, the newest, at its place. */
function newest<Item>(items: readonly Item[], by: (item: Item) => string): readonly Item[] {
  const known = new Map<string, Item>();
  for (const item of items) {
    const text = by(item);
    known.delete(text);
    known.set(text, item);
  }
  return [...known.values()];
}

// Several images may stand in one entry and have one handle.
function everything({ handle, size, path, caption }: LedgerImage): string {
  return JSON.stringify([handle, size, path, caption]);
}
