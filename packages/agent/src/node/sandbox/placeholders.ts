/**
 * Keeps absent names from being taken: a placeholder stands there while commands run and is removed with the last of them. Each is noted
 * in a journal before it is created, so that a later start removes what a program left that was killed.
 */

import {
  appendFileSync,
  chmodSync,
  closeSync,
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
import { openFolderNoFollow } from "./mounts.ts";
import { existingRealPath } from "./options.ts";

const OWNER_WRITE_BITS = 0o300;

/**
 * In a folder that a command closed nothing can be removed, and a placeholder would stay for good. Does something to what lies in the
 * folder, where need be after it was opened. What cannot be done is left undone.
 */
export function withWritableFolder(folder: string, operation: () => void): void {
  try {
    operation();
  } catch (error) {
    // Gone already, or in use by another command, who removes it then.
    if (errorCode(error) === "EACCES") retryWritable(folder, operation);
  }
}

function retryWritable(folder: string, operation: () => void): void {
  try {
    chmodSync(folder, statSync(folder).mode | OWNER_WRITE_BITS);
    operation();
  } catch {
    // It is not ours to open.
  }
}

export type NameReservation =
  | { readonly type: "reserved"; release(): void }
  /** Something else has the name, or nobody could give it to anything. */
  | { readonly type: "not-reserved" }
  /** A command could take the name, and nobody can keep it from that. */
  | { readonly type: "failed"; readonly why: string };

type MarkResult = "marked" | "other" | "changed" | "refused";

/**
 * Each command puts a folder of its own into the placeholder: no sandbox can take it away, git sees no empty folders,
 * and a folder that is not empty cannot be removed, so whoever comes last does it, in whichever program.
 */
const MARK_NAME = /^pith-(\d+)(?:-(\d+))?-\d+$/;
/** A placeholder before it has its name. */
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
    if (outcome === "refused") return { type: "failed", why: `nothing can be created beside ${path}` };
    if (outcome === "marked") return { type: "reserved", release: () => removeFolders(mark, path) };
  }
}

/** One that is there for a command which runs now. Nothing but marks is ever in it, so one name tells. */
export function isPlaceholder(folder: string): boolean {
  try {
    const folderHandle = opendirSync(folder);
    const first = folderHandle.readSync();
    folderHandle.closeSync();
    return first !== null && MARK_NAME.test(first.name);
  } catch {
    return false;
  }
}

// BOX1: a command that runs now may put a link in the place of a folder, so everything is done in the folder that was looked at.
function addMark(path: string, mark: string): MarkResult {
  try {
    return withOpenFolder(path, (folder) => {
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
    return withOpenFolder(dirname(path), (folder) => createPlaceholder(join(folder, basename(path)), mark));
  } catch (error) {
    // Where there is no such folder, there is no such name either. What stands there instead is looked at by the next command.
    return errorCode(error) === "ENOENT" ? "other" : "refused";
  }
}

/** The folder by a path that leads to it whatever becomes of its name. Throws where a link stands there, or further up. */
function withOpenFolder(path: string, operation: (folder: string) => MarkResult): MarkResult {
  const descriptor = openFolderNoFollow(path);
  try {
    const folder = `/proc/self/fd/${descriptor}`;
    if (readlinkSync(folder) !== path) throw new Error(`${path} leads elsewhere`);
    return operation(folder);
  } finally {
    closeSync(descriptor);
  }
}

/** Appears with its mark in it: an empty folder would be somebody's own. */
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
    // Somebody was faster: it is looked at again. What else is in the way, such as a link to nowhere, stays.
    return errorCode(error) === "ENOTEMPTY" ? "changed" : "other";
  }
}

/** Where the disk or its owner lets nothing be created, no command can create it either. But what is ours a command could open again. */
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

/** Of a program that was killed. */
function hasOwnerEnded(mark: string): boolean {
  const [, pid = "", start] = MARK_NAME.exec(mark) ?? [];
  const runningStart = readStartTime(Number(pid));
  return runningStart === null || (start !== undefined && start !== runningStart);
}

/** The folder beside it with a mark of each command that needs it: whose folder is gone, is somebody's own. */
export function marksFolder(path: string): string {
  return `${path}.pith`;
}

/** For an absent name where a folder would be taken for damage: a file without effect stands there while commands run. */
export function reserveFileName(path: string, text: string): NameReservation {
  const marks = marksFolder(path);
  const wasPlaceholder = isPlaceholder(marks);
  if (!wasPlaceholder && lstatIfExists(path)) return { type: "not-reserved" };
  const reservation = wasPlaceholder ? reserveFolderName(marks) : recreateMarks(marks);
  if (reservation.type === "not-reserved" && lstatIfExists(marks))
    return { type: "failed", why: `something else stands at ${marks}` };
  if (reservation.type !== "reserved") return reservation;
  const release = (): void => {
    if (isLastMark(marks)) withWritableFolder(dirname(path), () => unlinkSync(path));
    reservation.release();
  };
  if (createOrMatchFile(path, text)) return { type: "reserved", release };
  reservation.release();
  return { type: "failed", why: `something else stands at ${path}, beside ${marks}` };
}

/** An empty folder is what a program left that was killed at the last moment. */
function recreateMarks(marks: string): NameReservation {
  withWritableFolder(dirname(marks), () => rmdirSync(marks));
  return reserveFolderName(marks);
}

/** Whoever comes second finds it there. */
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
  /** What the file says that stands there; a folder does where nothing is said. */
  readonly text?: string | undefined;
}

/** Notes each name once: most commands guard the same. */
export class PlaceholderJournal {
  readonly #file: string;
  readonly #recordedPaths = new Set<string>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Throws where it cannot be noted: then the name must not be created. */
  record(name: JournalEntry): void {
    if (this.#recordedPaths.has(name.path)) return;
    appendFileSync(this.#file, `${JSON.stringify(name)}\n`, { mode: 0o600, flush: true });
    this.#recordedPaths.add(name.path);
  }
}

/** Of a program that was killed. Only what bears the marks of programs that have ended is removed, and nothing through a link. */
export function removeJournaledNames(journal: string): void {
  for (const line of readLines(journal)) {
    const entry = parseJournalLine(line);
    if (entry === null || existingRealPath(dirname(entry.path)) !== dirname(entry.path)) continue;
    removeStaleDrafts(dirname(entry.path));
    if (entry.text === undefined) removePlaceholder(entry.path);
    else removePlaceholderFile(entry.path, entry.text);
  }
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    // Nothing was created.
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
    // Whoever took it away took the file with it.
    return false;
  }
}

export interface ProcessRecord {
  readonly pid: number;
  /** When it began, in ticks since the machine started. */
  readonly start: string;
  /** The start of the machine, and the group of processes that know each other by number: a container has its own. */
  readonly machine: string;
}

/** `proc` is where the system tells of its processes; on macOS and Windows there is no such place, and a number has to do. */
export function currentProcess(proc: string = PROC): ProcessRecord {
  return { pid: process.pid, start: readStartTime(process.pid, proc) ?? "", machine: readMachineId(proc) };
}

/** False also where it cannot be told, because the process ran in another container. */
export function hasEnded({ pid, start, machine }: ProcessRecord, proc: string = PROC): boolean {
  const [boot, group] = machine.split(" ");
  const [ownBoot, ownGroup] = readMachineId(proc).split(" ");
  if (boot !== ownBoot) return true;
  return group === ownGroup && ((readStartTime(pid, proc) ?? "") !== start || !isRunning(pid));
}

/** Null where there is no such process, or where the system does not tell. */
export function readStartTime(pid: number, proc: string = PROC): string | null {
  try {
    const stat = readFileSync(`${proc}/${pid}/stat`, "utf8");
    // The name before it may contain anything; the start is the twentieth field behind it.
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
