/** Simulates a power cut: synced data stays, and a random part of the rest survives, as on the worst disk. */

import {
  appendContent,
  type ContentChange,
  type FileContent,
  resizeContent,
  toSyncedContent,
  truncateContent,
  writeBytes,
} from "./content.ts";
import type { Disk, FileInode, FolderInode, NameChange } from "./disk.ts";
import { findFolderChanges, makeDurable } from "./name-changes.ts";

/** From 0 to less than 1, like a die that a test can throw again. */
export type RandomSource = () => number;

export function simulatePowerCut(disk: Disk, random: RandomSource): void {
  makeDurable(disk, chooseDurableChanges(disk, random));
  disk.unsynced = [];
  for (const file of restoreDurableNames(disk.root)) file.content = chooseSurvivingContent(file.content, random);
}

/** In every folder some of its changes are kept, and never one without those before it. */
function chooseDurableChanges(disk: Disk, random: RandomSource): Set<NameChange> {
  const folders = new Set(disk.unsynced.flatMap(({ updates }) => updates.map(({ folder }) => folder)));
  const lastChanges = [...folders].map((folder) => {
    const changes = findFolderChanges(disk, folder);
    return changes[randomCount(changes.length, random) - 1];
  });
  return new Set(lastChanges.filter((change) => change !== undefined));
}

/** Gives every folder its durable names; the files that still have one come back. */
function restoreDurableNames(folder: FolderInode, files = new Set<FileInode>()): Set<FileInode> {
  folder.names = new Map(folder.durable);
  for (const inode of folder.names.values()) {
    if (inode.kind === "file") files.add(inode);
    if (inode.kind === "folder") restoreDurableNames(inode, files);
  }
  return files;
}

function chooseSurvivingContent(content: FileContent, random: RandomSource): FileContent {
  const changes = content.unsynced;
  const result = toSyncedContent(content);
  const visibleChanges = randomCount(changes.length, random);
  const size = chooseFileSize(changes.slice(0, visibleChanges), result.size, random);
  // Many writes that are lost one by one would hardly ever leave what most disks leave: a beginning.
  if (random() < 0.5) applyInOrder(result, changes.slice(0, visibleChanges));
  else applyInAnyOrder(result, { changes, visibleChanges, random });
  resizeContent(result, size);
  result.unsynced = [];
  return result;
}

/** The size that these changes leave; the last may have been on its way. */
function chooseFileSize(changes: readonly ContentChange[], syncedSize: number, random: RandomSource): number {
  const last = changes.at(-1);
  if (last === undefined) return syncedSize;
  if (last.type === "truncate") return last.to;
  return last.position + choosePartLength(last.bytes.length, random);
}

function applyInOrder(content: FileContent, changes: readonly ContentChange[]): void {
  for (const change of changes) {
    if (change.type === "append") appendContent(content, change.bytes);
    else truncateContent(content, change.to);
  }
}

interface ScatterOptions {
  readonly changes: readonly ContentChange[];
  /** How many of them the size knows of. */
  readonly visibleChanges: number;
  readonly random: RandomSource;
}

function applyInAnyOrder(content: FileContent, { changes, visibleChanges, random }: ScatterOptions): void {
  for (const [index, change] of changes.entries()) {
    if (change.type === "append") writePart(content, change, random);
    // A size that shrank and grew again may show what lay there before.
    else if (index < visibleChanges && random() < 0.5) content.bytes.fill(0, change.to);
  }
}

/** All of it, nothing, or what lies on one side of a tear. */
function writePart(
  content: FileContent,
  { position, bytes }: Extract<ContentChange, { type: "append" }>,
  random: RandomSource,
): void {
  const tear = choosePartLength(bytes.length, random);
  if (random() < 0.8) writeBytes(content, position, bytes.subarray(0, tear));
  else writeBytes(content, position + tear, bytes.subarray(tear));
}

function choosePartLength(length: number, random: RandomSource): number {
  const roll = random();
  if (roll < 1 / 3) return 0;
  if (roll < 2 / 3) return length;
  return randomCount(length, random);
}

function randomCount(max: number, random: RandomSource): number {
  return Math.min(max, Math.floor(random() * (max + 1)));
}
