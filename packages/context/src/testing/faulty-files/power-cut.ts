/** Simulates a power cut: synced data stays, and a random part of the rest survives, as on the worst disk. */

import { appendContent, asSynced, type Content, type ContentChange, put, resize, truncateContent } from "./content.ts";
import type { Disk, FileInode, FolderInode, NameChange } from "./disk.ts";
import { changesIn, keepUpTo } from "./name-changes.ts";

/** From 0 to less than 1, like a die that a test can throw again. */
export type Chance = () => number;

export function cutPower(disk: Disk, chance: Chance): void {
  keepUpTo(disk, lastKept(disk, chance));
  disk.unsynced = [];
  for (const file of backToDurable(disk.root)) file.content = survivor(file.content, chance);
}

/** In every folder some of its changes are kept, and never one without those before it. */
function lastKept(disk: Disk, chance: Chance): Set<NameChange> {
  const folders = new Set(disk.unsynced.flatMap(({ names }) => names.map(({ folder }) => folder)));
  const kept = [...folders].map((folder) => {
    const changes = changesIn(disk, folder);
    return changes[upTo(changes.length, chance) - 1];
  });
  return new Set(kept.filter((change) => change !== undefined));
}

/** Gives every folder its durable names; the files that still have one come back. */
function backToDurable(folder: FolderInode, files = new Set<FileInode>()): Set<FileInode> {
  folder.names = new Map(folder.durable);
  for (const inode of folder.names.values()) {
    if (inode.kind === "file") files.add(inode);
    if (inode.kind === "folder") backToDurable(inode, files);
  }
  return files;
}

function survivor(content: Content, chance: Chance): Content {
  const changes = content.unsynced;
  const survived = asSynced(content);
  const seen = upTo(changes.length, chance);
  const size = sizeAfter(changes.slice(0, seen), survived.size, chance);
  // Many writes that are lost one by one would hardly ever leave what most disks leave: a beginning.
  if (chance() < 0.5) applyInOrder(survived, changes.slice(0, seen));
  else applyInAnyOrder(survived, { changes, seen, chance });
  resize(survived, size);
  survived.unsynced = [];
  return survived;
}

/** The size that these changes leave; the last may have been on its way. */
function sizeAfter(changes: readonly ContentChange[], synced: number, chance: Chance): number {
  const last = changes.at(-1);
  if (last === undefined) return synced;
  if (last.type === "truncate") return last.to;
  return last.at + keptPart(last.bytes.length, chance);
}

function applyInOrder(content: Content, changes: readonly ContentChange[]): void {
  for (const change of changes) {
    if (change.type === "append") appendContent(content, change.bytes);
    else truncateContent(content, change.to);
  }
}

interface Scattered {
  readonly changes: readonly ContentChange[];
  /** How many of them the size knows of. */
  readonly seen: number;
  readonly chance: Chance;
}

function applyInAnyOrder(content: Content, { changes, seen, chance }: Scattered): void {
  for (const [index, change] of changes.entries()) {
    if (change.type === "append") putPart(content, change, chance);
    // A size that shrank and grew again may show what lay there before.
    else if (index < seen && chance() < 0.5) content.bytes.fill(0, change.to);
  }
}

/** All of it, nothing, or what lies on one side of a tear. */
function putPart(content: Content, { at, bytes }: Extract<ContentChange, { type: "append" }>, chance: Chance): void {
  const tear = keptPart(bytes.length, chance);
  if (chance() < 0.8) put(content, at, bytes.subarray(0, tear));
  else put(content, at + tear, bytes.subarray(tear));
}

function keptPart(length: number, chance: Chance): number {
  const fate = chance();
  if (fate < 1 / 3) return 0;
  if (fate < 2 / 3) return length;
  return upTo(length, chance);
}

function upTo(most: number, chance: Chance): number {
  return Math.min(most, Math.floor(chance() * (most + 1)));
}
