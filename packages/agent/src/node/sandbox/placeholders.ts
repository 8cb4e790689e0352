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
import { codeOf } from "../safe-files.ts";
import { presentPath } from "./box.ts";
import { openFolderAt } from "./mounts.ts";
import { startOf } from "./process-record.ts";

const OWNER_WRITES = 0o300;

/**
 * In a folder that a command closed nothing can be removed, and a placeholder would stay for good. Does something to what lies in the
 * folder, where need be after it was opened. What cannot be done is left undone.
 */
export function inOpened(folder: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    // Gone already, or in use by another command, who removes it then.
    if (codeOf(error) === "EACCES") reopened(folder, act);
  }
}

function reopened(folder: string, act: () => void): void {
  try {
    chmodSync(folder, statSync(folder).mode | OWNER_WRITES);
    act();
  } catch {
    // It is not ours to open.
  }
}

export type Holding =
  | { readonly type: "held"; release(): void }
  /** Something else has the name, or nobody could give it to anything. */
  | { readonly type: "not-free" }
  /** A command could take the name, and nobody can keep it from that. */
  | { readonly type: "unkept"; readonly why: string };

type Marked = "marked" | "other" | "changed" | "refused";

/**
 * Each command puts a folder of its own into the placeholder: no sandbox can take it away, git sees no empty folders,
 * and a folder that is not empty cannot be removed, so whoever comes last does it, in whichever program.
 */
const MARK = /^pith-(\d+)(?:-(\d+))?-\d+$/;
/** A placeholder before it has its name. */
const DRAFT = /^\.(?=pith-)/;
const ownStart = startOf(process.pid);
let count = 0;

function nextMark(): string {
  count += 1;
  return ["pith", process.pid, ...(ownStart === null ? [] : [ownStart]), count].join("-");
}

export function placeholder(path: string): Holding {
  const mark = join(path, nextMark());
  for (;;) {
    const outcome = marked(path, mark);
    if (outcome === "other") return { type: "not-free" };
    if (outcome === "refused") return { type: "unkept", why: `nothing can be created beside ${path}` };
    if (outcome === "marked") return { type: "held", release: () => remove(mark, path) };
  }
}

/** One that is there for a command which runs now. Nothing but marks is ever in it, so one name tells. */
export function isPlaceholder(folder: string): boolean {
  try {
    const names = opendirSync(folder);
    const first = names.readSync();
    names.closeSync();
    return first !== null && MARK.test(first.name);
  } catch {
    return false;
  }
}

// BOX1: a command that runs now may put a link in the place of a folder, so everything is done in the folder that was looked at.
function marked(path: string, mark: string): Marked {
  try {
    return withFolder(path, (folder) => {
      const names = readdirSync(folder);
      if (!names.length || !names.every((name) => MARK.test(name))) return "other";
      mkdirSync(join(folder, basename(mark)));
      remove(...names.filter(isLeftBehind).map((name) => join(folder, name)));
      return "marked";
    });
  } catch (error) {
    if (codeOf(error) !== "ENOENT") return "other";
  }
  try {
    return withFolder(dirname(path), (folder) => created(join(folder, basename(path)), mark));
  } catch (error) {
    // Where there is no such folder, there is no such name either. What stands there instead is looked at by the next command.
    return codeOf(error) === "ENOENT" ? "other" : "refused";
  }
}

/** The folder by a path that leads to it whatever becomes of its name. Throws where a link stands there, or further up. */
function withFolder(path: string, act: (folder: string) => Marked): Marked {
  const descriptor = openFolderAt(path);
  try {
    const folder = `/proc/self/fd/${descriptor}`;
    if (readlinkSync(folder) !== path) throw new Error(`${path} leads elsewhere`);
    return act(folder);
  } finally {
    closeSync(descriptor);
  }
}

/** Appears with its mark in it: an empty folder would be somebody's own. */
function created(path: string, mark: string): Marked {
  const draft = draftBeside(path, basename(mark));
  if (draft === "other" || draft === "refused") return draft;
  const draftMark = join(draft, basename(mark));
  try {
    mkdirSync(draftMark);
    renameSync(draft, path);
    return "marked";
  } catch (error) {
    remove(draftMark, draft);
    // Somebody was faster: it is looked at again. What else is in the way, such as a link to nowhere, stays.
    return codeOf(error) === "ENOTEMPTY" ? "changed" : "other";
  }
}

/** Where the disk or its owner lets nothing be created, no command can create it either. But what is ours a command could open again. */
function draftBeside(path: string, mark: string): string {
  const folder = dirname(path);
  try {
    const draft = join(folder, `.${mark}`);
    mkdirSync(draft);
    return draft;
  } catch (error) {
    const isOurs = statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
    const isForGood =
      codeOf(error) === "EROFS" || codeOf(error) === "ENOENT" || (codeOf(error) === "EACCES" && !isOurs);
    return isForGood ? "other" : "refused";
  }
}

function remove(...folders: readonly string[]): void {
  for (const folder of folders) inOpened(dirname(folder), () => rmdirSync(folder));
}

/** Of a program that was killed. */
function isLeftBehind(mark: string): boolean {
  const [, pid = "", start] = MARK.exec(mark) ?? [];
  const running = startOf(Number(pid));
  return running === null || (start !== undefined && start !== running);
}

/** The folder beside it with a mark of each command that needs it: whose folder is gone, is somebody's own. */
export function marksOf(path: string): string {
  return `${path}.pith`;
}

/** For an absent name where a folder would be taken for damage: a file without effect stands there while commands run. */
export function keptFile(path: string, text: string): Holding {
  const marks = marksOf(path);
  const wasOurs = isPlaceholder(marks);
  if (!wasOurs && entryAt(path)) return { type: "not-free" };
  const holding = wasOurs ? placeholder(marks) : freshMarks(marks);
  if (holding.type === "not-free" && entryAt(marks))
    return { type: "unkept", why: `something else stands at ${marks}` };
  if (holding.type !== "held") return holding;
  const release = (): void => {
    if (isLast(marks)) inOpened(dirname(path), () => unlinkSync(path));
    holding.release();
  };
  if (stands(path, text)) return { type: "held", release };
  holding.release();
  return { type: "unkept", why: `something else stands at ${path}, beside ${marks}` };
}

/** An empty folder is what a program left that was killed at the last moment. */
function freshMarks(marks: string): Holding {
  inOpened(dirname(marks), () => rmdirSync(marks));
  return placeholder(marks);
}

/** Whoever comes second finds it there. */
function stands(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch {
    return entryAt(path)?.isFile() === true && readFileSync(path, "utf8") === text;
  }
}

export interface NotedName {
  readonly path: string;
  /** What the file says that stands there; a folder does where nothing is said. */
  readonly text?: string | undefined;
}

/** Notes each name once: most commands guard the same. */
export class PlaceholderJournal {
  readonly #file: string;
  readonly #noted = new Set<string>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Throws where it cannot be noted: then the name must not be created. */
  note(name: NotedName): void {
    if (this.#noted.has(name.path)) return;
    appendFileSync(this.#file, `${JSON.stringify(name)}\n`, { mode: 0o600, flush: true });
    this.#noted.add(name.path);
  }
}

/** Of a program that was killed. Only what bears the marks of programs that have ended is removed, and nothing through a link. */
export function removeNotedNames(journal: string): void {
  for (const line of linesOf(journal)) {
    const name = parseNoted(line);
    if (name === null || presentPath(dirname(name.path)) !== dirname(name.path)) continue;
    removeDrafts(dirname(name.path));
    if (name.text === undefined) removeMarked(name.path);
    else removeMarkedFile(name.path, name.text);
  }
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    // Nothing was created.
    return [];
  }
}

function parseNoted(line: string): NotedName | null {
  try {
    const value = JSON.parse(line) as NotedName;
    return typeof value.path === "string" ? value : null;
  } catch {
    // The last line may have been written in part.
    return null;
  }
}

function removeDrafts(folder: string): void {
  const names = readdirSync(folder).filter((name) => DRAFT.test(name) && isLeftMark(name.slice(1)));
  for (const name of names) remove(join(folder, name, name.slice(1)), join(folder, name));
}

function isLeftMark(name: string): boolean {
  return MARK.test(name) && isLeftBehind(name);
}

function removeMarked(path: string): void {
  if (!isPlaceholder(path)) return;
  remove(
    ...readdirSync(path)
      .filter(isLeftMark)
      .map((name) => join(path, name)),
    path,
  );
}

function removeMarkedFile(path: string, text: string): void {
  const marks = marksOf(path);
  if (!isPlaceholder(marks) || !readdirSync(marks).every(isLeftMark)) return;
  const isOurs = entryAt(path)?.isFile() === true && readFileSync(path, "utf8") === text;
  if (isOurs) inOpened(dirname(path), () => unlinkSync(path));
  removeMarked(marks);
}

function entryAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function isLast(marks: string): boolean {
  try {
    return readdirSync(marks).length < 2;
  } catch {
    // Whoever took it away took the file with it.
    return false;
  }
}
