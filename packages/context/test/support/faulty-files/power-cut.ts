/** Simulates a power cut on the worst disk: synced data stays, and a random part of the rest survives. */

import type { RandomSource } from "../seeded-random.ts";
import {
  appendContent,
  type ContentChange,
  type Disk,
  type FileContent,
  type FileInode,
  type FolderInode,
  type NameChange,
  resizeContent,
  toSyncedContent,
  truncateContent,
  writeBytes,
} from "./disk.ts";
import { findFolderChanges, makeDurable } from "./operations.ts";

export function simulatePowerCut(disk: Disk, random: RandomSource): void {
  makeDurable(disk, chooseDurableChanges(disk, random));
  disk.unsynced = [];
  for (const file of restoreDurableNames(disk.root)) file.content = chooseSurvivingContent(file.content, random);
}

/** Chooses how many changes survive in each folder; a change never survives without the earlier ones. */
function chooseDurableChanges(disk: Disk, random: RandomSource): Set<NameChange> {
  const folders = new Set(disk.unsynced.flatMap(({ updates }) => updates.map(({ folder }) => folder)));
  const lastChanges = [...folders].map((folder) => {
    const changes = findFolderChanges(disk, folder);
    return changes[randomCount(changes.length, random) - 1];
  });
  return new Set(lastChanges.filter((change) => change !== undefined));
}

/** Restores the durable names of every folder; returns the files that still have a name. */
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
  // Half of the time a prefix of the writes survives, as on most disks; independent losses would almost never give one.
  if (random() < 0.5) applyInOrder(result, changes.slice(0, visibleChanges));
  else applyInAnyOrder(result, { changes, visibleChanges, random });
  resizeContent(result, size);
  result.unsynced = [];
  return result;
}

/** The size after these changes; the last one may be incomplete. */
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
  /** How many of them the file size includes. */
  readonly visibleChanges: number;
  readonly random: RandomSource;
}

function applyInAnyOrder(content: FileContent, { changes, visibleChanges, random }: ScatterOptions): void {
  for (const [index, change] of changes.entries()) {
    if (change.type === "append") writePart(content, change, random);
    // A file that was truncated and extended again may show its old content.
    else if (index < visibleChanges && random() < 0.5) content.bytes.fill(0, change.to);
  }
}

/** Writes all bytes, none, or those on one side of a tear. */
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
