/** The files of a ledger in pi's two blocks, one path a line; what has no room by its name is rolled up by folder (B48, B49). */

import type { Ledger, LedgerFile, LedgerFolder } from "../ledger.ts";
import { rolledUp } from "../roll-up.ts";
import { quotedPath } from "./quoted.ts";
import { newestShare, type Shares } from "./shares.ts";

export interface FileBlocks {
  readonly blocks: readonly string[];
  /** How many files are neither named nor counted in a folder that is. */
  readonly hidden: Readonly<Record<LedgerFile["did"], number>>;
}

export function fileBlocks({ files, folders }: Ledger, shares: Shares): FileBlocks {
  const named = new Set([
    ...newestShare(those(files, "read"), shares.read),
    ...newestShare(those(files, "modified"), shares.modified),
  ]);
  const unnamed = files.filter((file) => !named.has(file));
  const counted = rolledUp(folders, unnamed).toSorted((one, other) => rank(one) - rank(other));
  const shown = newestShare(counted, shares.folders);
  const hidden = counted.slice(0, counted.length - shown.length);
  return {
    blocks: BLOCKS.flatMap((did) => block(did, { files: those([...named], did), folders: shown })),
    hidden: { read: total(hidden, "read"), modified: total(hidden, "modified") },
  };
}

/** Folders in which something was modified are given up last. */
const rank = ({ modified }: LedgerFolder): number => (modified > 0 ? 1 : 0);

const BLOCKS = ["read", "modified"] as const;

function those(files: readonly LedgerFile[], did: LedgerFile["did"]): readonly LedgerFile[] {
  return files.filter((file) => file.did === did);
}

function block(did: LedgerFile["did"], { files, folders }: Pick<Ledger, "files" | "folders">): readonly string[] {
  const paths = files.map(({ path }) => quotedPath(path)).sort();
  const rollUps = folders.flatMap((each) => (each[did] > 0 ? [rollUp(each.folder, each[did])] : [])).sort();
  const lines = [...paths, ...rollUps];
  return lines.length === 0 ? [] : [[`<${did}-files>`, ...lines, `</${did}-files>`].join("\n")];
}

function rollUp(folder: string, count: number): string {
  return `${quotedPath(folder).replace(/\/$/, "")}/ (${count} ${count === 1 ? "file" : "files"})`;
}

function total(folders: readonly LedgerFolder[], did: LedgerFile["did"]): number {
  return folders.reduce((sum, folder) => sum + folder[did], 0);
}
