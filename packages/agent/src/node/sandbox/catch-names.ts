/**
 * Catches files that other programs run or trust, such as `.vscode/tasks.json`, when a command makes them: they are moved out of the
 * workspace, and the user decides whether they come back. A watch finds them at once; a look after each command is the guarantee.
 */

import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { CaughtFile, WaitForUser } from "../../ports.ts";
import { isWithin } from "../../text.ts";
import { type AbsentNames, findAppeared, findLink, listFoldersToWatch, recordAbsentNames } from "./absent-names.ts";
import { CommittedFiles, type WorkingTree } from "./committed-files.ts";
import { findRepositoryDangers } from "./git-dangers.ts";
import { moveEntry } from "./move-tree.ts";
import type { CatchOptions, CaughtQuestion } from "./options.ts";
import { readTree, type Tree, type TreeFile } from "./read-tree.ts";

/** A running command whose new files are looked at. */
export interface WatchedCommand {
  readonly text: string;
  /** The workspace, or another repository in which the command may write. */
  readonly roots: readonly string[];
  readonly absent: AbsentNames;
  readonly signal: AbortSignal;
  readonly waitForUser: WaitForUser;
  readonly onCaught: (file: CaughtFile) => void;
  /** Kills the command; set when it has started. */
  stop: (reason: string) => void;
}

/** A file or folder that was moved away. */
interface MovedEntry {
  readonly path: string;
  readonly movedTo: string;
  readonly remarks: readonly string[];
  readonly tree: Tree | null;
}

/** A program that makes a folder may be about to write its files: they are moved once nothing changes, or after the second time. */
const SETTLE_MS = 50;
const MAX_WAIT_MS = 140;
const RECHECK_MS = 30;
/** Files that appear together are in one question. */
const GATHER_MS = 100;
const MAX_TIMES = 3;
const MAX_PREVIEW_BYTES = 64 * 1024;

export class NameCatcher {
  readonly #options: CatchOptions;
  readonly #committed: readonly CommittedFiles[];
  readonly #running: WatchedCommand[] = [];
  readonly #watchers = new Map<string, FSWatcher>();
  /** The content of files that may stay, by path. */
  readonly #kept = new Map<string, string>();
  readonly #seen = new Map<string, SeenEntry>();
  readonly #timesMoved = new Map<string, number>();
  #lastLook: Promise<void> = Promise.resolve();
  #isLookPlanned = false;
  #moved: MovedEntry[] = [];
  #lastQuestion: Promise<void> = Promise.resolve();

  /** To be created before the first command, because commits that a command makes are not trusted. */
  constructor(options: CatchOptions, workingTrees: readonly WorkingTree[]) {
    this.#options = options;
    this.#committed = workingTrees.map((tree) => new CommittedFiles(tree));
  }

  /** To be called before the command starts. */
  begin(command: WatchedCommand): void {
    this.#running.push(command);
    recordAbsentNames(this.#options.record, this.#running);
    this.#watchFolders();
  }

  /** Catches what the command left, and waits for the user's answer. To be called when the command has ended. */
  async end(command: WatchedCommand): Promise<void> {
    await this.#look({ isLast: true });
    this.#askAboutMoved();
    await this.#lastQuestion;
    this.#running.splice(this.#running.indexOf(command), 1);
    recordAbsentNames(this.#options.record, this.#running);
    if (this.#running.length > 0) return;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    this.#seen.clear();
    this.#timesMoved.clear();
  }

  #watchFolders(): void {
    for (const folder of this.#running.flatMap(({ absent }) => listFoldersToWatch(absent))) this.#watchFolder(folder);
  }

  #watchFolder(folder: string): void {
    if (this.#watchers.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#planLook());
      watcher.on("error", () => watcher.close());
      this.#watchers.set(folder, watcher);
    } catch {
      // The folder is gone, or there are too many watches. The look after the command needs none.
    }
  }

  #planLook(delayMs = 0): void {
    if (this.#isLookPlanned || this.#running.length === 0) return;
    this.#isLookPlanned = true;
    setTimeout(() => {
      this.#isLookPlanned = false;
      if (this.#running.length > 0) void this.#look({ isLast: false });
    }, delayMs).unref();
  }

  #look(options: LookOptions): Promise<void> {
    this.#lastLook = this.#lastLook.then(() => this.#judgeAppeared(options)).catch(() => undefined);
    return this.#lastLook;
  }

  async #judgeAppeared(options: LookOptions): Promise<void> {
    const appeared = this.#running.flatMap(({ roots, absent }) =>
      findAppeared(absent).map((path) => {
        const root = roots.find((each) => isWithin(each, path)) ?? dirname(path);
        return [findLink(root, path), root] as const;
      }),
    );
    for (const [path, root] of new Map(appeared)) await this.#judge(path, root, options);
    if (appeared.length > 0) this.#watchFolders();
  }

  async #judge(path: string, root: string, options: LookOptions): Promise<void> {
    if (basename(path) === ".git") {
      this.#judgeRepository(path, root, options);
      return;
    }
    const tree = readTree(path);
    if (this.#kept.get(path) === hashOf(tree)) return;
    if (!options.isLast && !this.#hasSettled(path, tree)) {
      this.#planLook(RECHECK_MS);
      return;
    }
    if (await this.#mayStay(path, tree)) {
      this.#keep(path, tree);
      return;
    }
    const committed = await this.#findCommitted(path, tree);
    const unknown = tree?.files.filter((file) => !committed.has(file)) ?? [];
    if (committed.size > 0 && unknown.length === 0) this.#keep(path, tree);
    else if (committed.size === 0) this.#move(path, { root, options, tree });
    else for (const file of unknown) this.#move(file.path, { root, options, tree: readTree(file.path) });
  }

  /** A new repository may stay while nothing in it makes git run a program. */
  #judgeRepository(path: string, root: string, options: LookOptions): void {
    const remarks = findRepositoryDangers(path);
    for (const folder of [path, join(path, "hooks")]) this.#watchFolder(folder);
    if (remarks.length > 0 && this.#kept.get(path) !== remarks.join("\n"))
      this.#move(path, { root, options, tree: null, remarks });
  }

  #keep(path: string, tree: Tree | null): void {
    this.#kept.set(path, hashOf(tree));
    this.#watchFolder(path);
  }

  async #mayStay(path: string, tree: Tree | null): Promise<boolean> {
    const { mayStay } = this.#options;
    if (mayStay === undefined || tree === null) return false;
    const paths = tree.files.length === 0 ? [path] : tree.files.map((file) => file.path);
    for (const each of paths) if (!(await mayStay(each))) return false;
    return true;
  }

  async #findCommitted(path: string, tree: Tree | null): Promise<ReadonlySet<TreeFile>> {
    if (tree === null || tree.files.length === 0) return new Set();
    const found = await Promise.all(this.#committed.map((each) => each.findCommitted(path, tree.files)));
    return new Set(found.flatMap((files) => [...files]));
  }

  #hasSettled(path: string, tree: Tree | null): boolean {
    const now = Date.now();
    const hash = hashOf(tree);
    const seen = this.#seen.get(path) ?? { since: now, hash: "", changedAt: now };
    const changedAt = seen.hash === hash ? seen.changedAt : now;
    this.#seen.set(path, { since: seen.since, hash, changedAt });
    return now - changedAt >= SETTLE_MS || now - seen.since >= MAX_WAIT_MS;
  }

  #move(path: string, { root, options, tree, remarks = [] }: MoveOptions): void {
    const stamp = `${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}-${randomBytes(3).toString("hex")}`;
    const movedTo = join(this.#options.folder, stamp, relative(root, path));
    const result = moveEntry(path, movedTo, { mayCopy: options.isLast });
    if (result === "failed" && options.isLast) this.#report({ path, outcome: "left" });
    if (result !== "moved") return;
    this.#seen.delete(path);
    this.#moved.push({ path, movedTo, remarks, tree });
    const times = (this.#timesMoved.get(path) ?? 0) + 1;
    this.#timesMoved.set(path, times);
    if (times >= MAX_TIMES)
      for (const command of this.#running) command.stop(`it was stopped, because it made ${path} ${times} times`);
    setTimeout(() => this.#askAboutMoved(), GATHER_MS).unref();
  }

  #askAboutMoved(): void {
    // The last of several with the same path counts.
    const moved = [...new Map(this.#moved.map((each) => [each.path, each])).values()];
    this.#moved = [];
    if (moved.length > 0) this.#lastQuestion = this.#lastQuestion.then(() => this.#settle(moved));
  }

  async #settle(moved: readonly MovedEntry[]): Promise<void> {
    const command = this.#running.at(-1);
    const { ask } = this.#options;
    const answer =
      command === undefined || ask === undefined
        ? { mayReturn: false }
        : await command.waitForUser(() => ask(createQuestion(moved, command))).catch(() => ({ mayReturn: false }));
    for (const entry of moved)
      this.#report(answer.mayReturn ? this.#putBack(entry) : { ...describeMoved(entry), ...answer });
  }

  #putBack(entry: MovedEntry): CaughtFile {
    const { path, movedTo, tree, remarks } = entry;
    const isUnchanged = hashOf(readTree(movedTo)) === hashOf(tree) || remarks.length > 0;
    if (!isUnchanged) return { ...describeMoved(entry), why: "it was changed while the question was open" };
    this.#kept.set(path, remarks.length > 0 ? remarks.join("\n") : hashOf(tree));
    if (moveEntry(movedTo, path, { mayCopy: true }) === "moved") return { path, outcome: "returned" };
    return { ...describeMoved(entry), why: `there is another file at ${path} now` };
  }

  #report(file: CaughtFile): void {
    this.#running.at(-1)?.onCaught(file);
  }
}

interface SeenEntry {
  /** When it was seen first, in milliseconds. */
  readonly since: number;
  readonly hash: string;
  readonly changedAt: number;
}

interface LookOptions {
  /** A command has ended: nothing is about to change. */
  readonly isLast: boolean;
}

interface MoveOptions {
  readonly root: string;
  readonly options: LookOptions;
  readonly tree: Tree | null;
  readonly remarks?: readonly string[];
}

/** Files that cannot be read are all alike. */
function hashOf(tree: Tree | null): string {
  return tree?.hash ?? "unreadable";
}

function describeMoved({ path, movedTo }: MovedEntry): CaughtFile {
  return { path, outcome: "moved", movedTo };
}

function createQuestion(moved: readonly MovedEntry[], { text: command, signal }: WatchedCommand): CaughtQuestion {
  const paths = moved.flatMap(({ path, tree }) => tree?.files.map((file) => file.path) ?? [path]);
  const [onlyFile, ...others] = moved.flatMap(({ tree }) => tree?.files ?? []);
  const text = onlyFile && others.length === 0 ? readText(onlyFile.content) : null;
  return {
    ...{ paths, remarks: moved.flatMap(({ remarks }) => remarks), command, signal },
    ...(text !== null && { text }),
  };
}

function readText(content: Buffer): string | null {
  return content.length <= MAX_PREVIEW_BYTES && isUtf8(content) ? content.toString("utf8") : null;
}
