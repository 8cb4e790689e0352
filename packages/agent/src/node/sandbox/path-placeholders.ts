/**
 * Reserves missing paths with placeholders while commands run, so that commands cannot create them. The last command removes a placeholder.
 * Each is recorded in a journal before it is created, so that a later start can remove what a killed process left.
 */

import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../safe-files.ts";
import { inFolder } from "./mounts.ts";
import { resolveExistingPath } from "./options.ts";

const OWNER_WRITE_BITS = 0o300;

/**
 * Runs an operation in a folder, and retries it after making the folder writable: a command may have removed the write permission, and a
 * placeholder would stay forever. Other errors are ignored.
 */
export function withWritableFolder(folder: string, operation: () => void): void {
  try {
    operation();
  } catch (error) {
    // Otherwise it is gone, or another command uses it and removes it later.
    if (errorCode(error) === "EACCES") retryWritable(folder, operation);
  }
}

function retryWritable(folder: string, operation: () => void): void {
  try {
    chmodSync(folder, statSync(folder).mode | OWNER_WRITE_BITS);
    operation();
  } catch {
    // The folder belongs to another user.
  }
}

export type NameReservation =
  | { readonly type: "reserved"; release(): void }
  /** The path exists, or no command could create it. */
  | { readonly type: "not-reserved" }
  /** A command could create the path, and that cannot be prevented. */
  | { readonly type: "failed"; readonly why: string };

type MarkResult = "marked" | "other" | "changed" | "refused";

/**
 * Each command adds its own folder, a mark, to the placeholder. Sandboxes cannot remove it, git does not see empty folders, and a folder
 * that is not empty cannot be removed, so the last command removes it, in whichever process.
 */
const MARK_NAME = /^pith-(\d+)(?:-(\d+))?-\d+$/;
/** A placeholder before it is renamed. */
const DRAFT_NAME = /^\.(?=pith-)/;
const PROC = "/proc";
const ownStartTime = readStartTime(process.pid);
let markCount = 0;

function createMarkName(): string {
  markCount += 1;
  return ["pith", process.pid, ...(ownStartTime === null ? [] : [ownStartTime]), markCount].join("-");
}

export function reserveFolderName(path: string): NameReservation {
  const mark = join(path, createMarkName());
  for (;;) {
    const outcome = addMark(path, mark);
    if (outcome === "other") return { type: "not-reserved" };
    if (outcome === "refused") return { type: "failed", why: `cannot create files next to ${path}` };
    if (outcome === "marked") return { type: "reserved", release: () => removeFolders(mark, path) };
  }
}

/** A placeholder contains only marks, so the first name is enough. */
function isPlaceholder(folder: string): boolean {
  try {
    const folderHandle = opendirSync(folder);
    const first = folderHandle.readSync();
    folderHandle.closeSync();
    return first !== null && MARK_NAME.test(first.name);
  } catch {
    return false;
  }
}

// BOX1: a running command may replace a folder by a link, so every step uses the folder that was opened.
function addMark(path: string, mark: string): MarkResult {
  try {
    return inFolder(path, (folder) => {
      const names = readdirSync(folder);
      if (!names.length || !names.every((name) => MARK_NAME.test(name))) return "other";
      mkdirSync(join(folder, basename(mark)));
      removeFolders(...names.filter(hasOwnerEnded).map((name) => join(folder, name)));
      return "marked";
    });
  } catch (error) {
    if (errorCode(error) !== "ENOENT") return "other";
  }
  try {
    return inFolder(dirname(path), (folder) => createPlaceholder(join(folder, basename(path)), mark));
  } catch (error) {
    // In a missing folder the path cannot be created either.
    return errorCode(error) === "ENOENT" ? "other" : "refused";
  }
}

/** Appears with its mark in it: an empty folder could be the user's own. */
function createPlaceholder(path: string, mark: string): MarkResult {
  const draft = createDraft(path, basename(mark));
  if (draft === "other" || draft === "refused") return draft;
  const draftMark = join(draft, basename(mark));
  try {
    mkdirSync(draftMark);
    renameSync(draft, path);
    return "marked";
  } catch (error) {
    removeFolders(draftMark, draft);
    // `changed`: another command created the placeholder first, so the caller tries again. Anything else in the way stays.
    return errorCode(error) === "ENOTEMPTY" ? "changed" : "other";
  }
}

/** `other` where no command could create the path either. In a folder of this user a command could restore the write permission. */
function createDraft(path: string, mark: string): string {
  const folder = dirname(path);
  try {
    const draft = join(folder, `.${mark}`);
    mkdirSync(draft);
    return draft;
  } catch (error) {
    const isOurs = statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
    const isPermanent =
      errorCode(error) === "EROFS" || errorCode(error) === "ENOENT" || (errorCode(error) === "EACCES" && !isOurs);
    return isPermanent ? "other" : "refused";
  }
}

function removeFolders(...folders: readonly string[]): void {
  for (const folder of folders) withWritableFolder(dirname(folder), () => rmdirSync(folder));
}

/** Whether the process that created the mark was killed. */
function hasOwnerEnded(mark: string): boolean {
  const [, pid = "", start] = MARK_NAME.exec(mark) ?? [];
  const runningStart = readStartTime(Number(pid));
  return runningStart === null || (start !== undefined && start !== runningStart);
}

/** The folder with the marks of a placeholder file. A file without it is the user's own. */
export function marksFolder(path: string): string {
  return `${path}.pith`;
}

/** For a path where tools expect a file: the placeholder is a file without effect. */
export function reserveFileName(path: string, text: string): NameReservation {
  const marks = marksFolder(path);
  const wasPlaceholder = isPlaceholder(marks);
  if (!wasPlaceholder && lstatIfExists(path)) return { type: "not-reserved" };
  const reservation = wasPlaceholder ? reserveFolderName(marks) : recreateMarks(marks);
  if (reservation.type === "not-reserved" && lstatIfExists(marks))
    return { type: "failed", why: `${marks} is in the way; remove it` };
  if (reservation.type !== "reserved") return reservation;
  const release = (): void => {
    if (isLastMark(marks)) withWritableFolder(dirname(path), () => unlinkSync(path));
    reservation.release();
  };
  if (createOrMatchFile(path, text)) return { type: "reserved", release };
  reservation.release();
  return { type: "failed", why: `both ${path} and ${marks} exist; remove ${marks}` };
}

/** A process that was killed at the last moment leaves an empty folder. */
function recreateMarks(marks: string): NameReservation {
  withWritableFolder(dirname(marks), () => rmdirSync(marks));
  return reserveFolderName(marks);
}

/** The second command finds the file of the first. */
function createOrMatchFile(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch {
    return lstatIfExists(path)?.isFile() === true && readFileSync(path, "utf8") === text;
  }
}

export interface JournalEntry {
  readonly path: string;
  /** The content of a placeholder file; absent for a folder. */
  readonly text?: string | undefined;
}

/** Records each path once: most commands guard the same ones. */
export class PlaceholderJournal {
  readonly #file: string;
  readonly #recordedPaths = new Set<string>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Throws if it cannot be written; then the placeholder must not be created. */
  record(name: JournalEntry): void {
    if (this.#recordedPaths.has(name.path)) return;
    appendFileSync(this.#file, `${JSON.stringify(name)}\n`, { mode: 0o600, flush: true });
    this.#recordedPaths.add(name.path);
  }
}

/** Removes placeholders of a killed process: only those with marks of processes that have ended, and never through a link. */
export function removeJournaledNames(journal: string): void {
  for (const line of readLines(journal)) {
    const entry = parseJournalLine(line);
    if (entry === null || resolveExistingPath(dirname(entry.path)) !== dirname(entry.path)) continue;
    removeStaleDrafts(dirname(entry.path));
    if (entry.text === undefined) removePlaceholder(entry.path);
    else removePlaceholderFile(entry.path, entry.text);
  }
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    // No placeholder was created.
    return [];
  }
}

function parseJournalLine(line: string): JournalEntry | null {
  try {
    const value = JSON.parse(line) as JournalEntry;
    return typeof value.path === "string" ? value : null;
  } catch {
    // The last line may have been written in part.
    return null;
  }
}

function removeStaleDrafts(folder: string): void {
  const names = readdirSync(folder).filter((name) => DRAFT_NAME.test(name) && isStaleMark(name.slice(1)));
  for (const name of names) removeFolders(join(folder, name, name.slice(1)), join(folder, name));
}

function isStaleMark(name: string): boolean {
  return MARK_NAME.test(name) && hasOwnerEnded(name);
}

function removePlaceholder(path: string): void {
  if (!isPlaceholder(path)) return;
  removeFolders(
    ...readdirSync(path)
      .filter(isStaleMark)
      .map((name) => join(path, name)),
    path,
  );
}

function removePlaceholderFile(path: string, text: string): void {
  const marks = marksFolder(path);
  if (!isPlaceholder(marks) || !readdirSync(marks).every(isStaleMark)) return;
  const isOurs = lstatIfExists(path)?.isFile() === true && readFileSync(path, "utf8") === text;
  if (isOurs) withWritableFolder(dirname(path), () => unlinkSync(path));
  removePlaceholder(marks);
}

function lstatIfExists(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function isLastMark(marks: string): boolean {
  try {
    return readdirSync(marks).length < 2;
  } catch {
    // The command that removed the folder removed the file too.
    return false;
  }
}

export interface ProcessRecord {
  readonly pid: number;
  /** The start time in ticks since boot, which tells it from another process with the same id. */
  readonly start: string;
  /** The boot id and the pid namespace: a container has its own. */
  readonly machine: string;
}

/** macOS and Windows have no `/proc`, so there only the process id is compared. */
export function currentProcess(proc: string = PROC): ProcessRecord {
  return { pid: process.pid, start: readStartTime(process.pid, proc) ?? "", machine: readMachineId(proc) };
}

/** False also for a process in another container, which cannot be checked. */
export function hasEnded({ pid, start, machine }: ProcessRecord, proc: string = PROC): boolean {
  const [boot, group] = machine.split(" ");
  const [ownBoot, ownGroup] = readMachineId(proc).split(" ");
  if (boot !== ownBoot) return true;
  return group === ownGroup && ((readStartTime(pid, proc) ?? "") !== start || !isRunning(pid));
}

/** Null where there is no such process, or no `/proc`. */
export function readStartTime(pid: number, proc: string = PROC): string | null {
  try {
    const stat = readFileSync(`${proc}/${pid}/stat`, "utf8");
    // The process name may contain anything; the start time is the twentieth field after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}

function readMachineId(proc: string): string {
  try {
    const boot = readFileSync(`${proc}/sys/kernel/random/boot_id`, "utf8").trim();
    return `${boot} ${readlinkSync(`${proc}/self/ns/pid`)}`;
  } catch {
    return "";
  }
}
