/**
 * Takes over the settings of a repository that commands changed in a copy. Settings that are known to be harmless are written at once; for
 * others the user is asked. Everything in a request was written by a command and is not trusted: nothing in it can make this process wait.
 */

import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  type FSWatcher,
  fstatSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  watch,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { WaitForUser } from "../../ports.ts";
import { escapeAllInvisible, isWithin } from "../../text.ts";
import { type ChangeResult, changeGitConfig } from "./change-git-config.ts";
import {
  compareSettings,
  describeChange,
  findProgramKeys,
  type GitSettingChange,
  type GitSettingsDecision,
  UNREADABLE_SETTING,
} from "./git-config.ts";
import { readSmallFile } from "./git-dangers.ts";
import { listRepositoryConfigs, signsCommits } from "./git-paths.ts";
import {
  GIT_REQUESTS_FOLDER,
  GIT_SHIM_FOLDER,
  REQUEST_FILES,
  REQUEST_NAME,
  removeGitShim,
  writeGitShim,
} from "./git-shim.ts";
import { type Mount, openFolderNoFollow } from "./mounts.ts";
import { resolveExistingPath, type SandboxOptions } from "./options.ts";
import { createThrowawayFolder, removeEmptyThrowawayFolder, removeInBackground } from "./private-folders.ts";

export interface GitCommand {
  readonly commandText: string;
  /** The `.git` paths of the repositories whose settings the command may change. */
  readonly gitPaths: readonly string[];
  readonly waitForUser?: WaitForUser | undefined;
}

export interface OpenGitRequests {
  /** To be added to those of the command, if the command finds programs in `GIT_SHIM_FOLDER` first. */
  readonly mounts: readonly Mount[];
  /** Must be called when the command has ended. */
  close(): void;
}

type RequestOptions = Pick<
  SandboxOptions,
  "root" | "home" | "privateHome" | "environment" | "guarded" | "permitGitSettings"
>;

/** The requests of all commands of one shell. */
export class GitSettingRequests {
  readonly #options: RequestOptions;
  /** Changes that the user allowed in this session. */
  readonly #allowedChanges = new Set<string>();
  #folder: string | null = null;
  #runningCount = 0;

  constructor(options: RequestOptions) {
    this.#options = options;
  }

  /** Null where there is no repository, or no place for the program. */
  open(command: GitCommand): OpenGitRequests | null {
    const { root, home, guarded = [] } = this.#options;
    const isDenied = (file: string): boolean => guarded.some((path) => isWithin(path, file));
    const files = listRepositoryConfigs(command.gitPaths, home);
    const parent = dirname(GIT_SHIM_FOLDER);
    if (files.length === 0 || resolveExistingPath(parent) !== parent || isWithin(parent, root)) return null;
    const permittedFiles = files.filter((file) => !isDenied(file));
    const folder = this.#openFolder();
    this.#runningCount += 1;
    const source = join(folder, randomBytes(8).toString("hex"));
    mkdirSync(source, { mode: 0o700 });
    const receiver = new RequestReceiver(source, permittedFiles, (change, signal) =>
      this.#decide(change, command, signal),
    );
    return {
      mounts: [
        { path: GIT_SHIM_FOLDER, access: "readable", source: join(folder, "program") },
        { path: GIT_REQUESTS_FOLDER, access: "writable", source },
      ],
      close: () => {
        receiver.close();
        this.#closeFolder(source);
      },
    };
  }

  /** Exists while a command runs. */
  #openFolder(): string {
    if (this.#folder !== null) return this.#folder;
    const folder = createThrowawayFolder(this.#options.privateHome);
    mkdirSync(join(folder, "program"), { mode: 0o700 });
    writeGitShim(join(folder, "program"), { isSigned: signsCommits(this.#options) });
    this.#folder = folder;
    return folder;
  }

  /** A command may have left any number of files, so only an empty folder is removed at once. */
  #closeFolder(source: string): void {
    this.#runningCount -= 1;
    const isEmpty = tryRemoveFolder(source);
    if (!isEmpty) removeInBackground(source);
    if (this.#runningCount > 0 || this.#folder === null) return;
    if (isEmpty) removeKnownFiles(this.#folder);
    else removeInBackground(this.#folder);
    this.#folder = null;
  }

  async #decide(
    { file, oldText, newText }: ReceivedChange,
    command: GitCommand,
    signal: AbortSignal,
  ): Promise<GitSettingsDecision> {
    const changes = compareSettings(findProgramKeys(oldText), findProgramKeys(newText));
    if (changes.some(({ key }) => key === UNREADABLE_SETTING.key))
      return refusal("git could not read the new settings");
    if (changes.length > MAX_CHANGES) return refusal("it would change too many settings at once");
    const newChanges = changes.filter((change) => !this.#allowedChanges.has(identifyChange(file, change)));
    if (newChanges.length === 0) return { type: "allowed" };
    const { permitGitSettings } = this.#options;
    const { waitForUser = (ask) => ask(), commandText } = command;
    if (!permitGitSettings)
      return refusal(`${newChanges.map(describeChange).join(", ")}: git may run a program because of it`);
    const decision = await waitForUser(() =>
      permitGitSettings({ file, changes: newChanges, command: commandText }, { signal }),
    );
    if (decision.type === "allowed")
      for (const change of newChanges) this.#allowedChanges.add(identifyChange(file, change));
    return decision;
  }
}

/** Much faster than a recursive removal, which would delay each command. */
function removeKnownFiles(folder: string): void {
  try {
    removeGitShim(join(folder, "program"));
    removeEmptyThrowawayFolder(folder);
  } catch {
    // A later start removes the rest.
  }
}

function tryRemoveFolder(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch {
    // Not empty.
    return false;
  }
}

function refusal(why: string): GitSettingsDecision {
  return { type: "refused", why };
}

/** As many as a question can show. */
const MAX_CHANGES = 20;

function identifyChange(file: string, { type, key, value }: GitSettingChange): string {
  return JSON.stringify([file, type, key, value]);
}

interface ReceivedChange {
  readonly file: string;
  readonly oldText: string;
  readonly newText: string;
}

interface ReceivedRequest {
  /** The name of the folder with the texts and the pipe for the answer. */
  readonly folder: string;
  readonly isWorktree: boolean;
  /** The settings, or the folder of a worktree in the repository. */
  readonly path: string;
}

type DecideChange = (change: ReceivedChange, signal: AbortSignal) => Promise<GitSettingsDecision>;

const MAX_OPEN_REQUESTS = 16;
/** A command that creates files all the time must not keep this process busy. */
const PAUSE_MS = 20;
const POLL_MS = 250;

/** Receives the requests of one command. */
class RequestReceiver {
  readonly #files: readonly string[];
  readonly #decide: DecideChange;
  readonly #abort = new AbortController();
  /** Kept open, so that no path is resolved again. */
  readonly #folder: number;
  #watcher: FSWatcher | null = null;
  #timer: NodeJS.Timeout | null = null;
  #openCount = 0;
  #lastRequest: Promise<unknown> = Promise.resolve();

  constructor(folder: string, files: readonly string[], decide: DecideChange) {
    this.#files = files;
    this.#decide = decide;
    this.#folder = openFolderNoFollow(folder);
    this.#watch(folder);
  }

  close(): void {
    this.#abort.abort();
    this.#watcher?.close();
    if (this.#timer) clearTimeout(this.#timer);
    // Requests that are being answered still use the folder.
    void this.#lastRequest.finally(() => closeSync(this.#folder));
  }

  /** The watch ends with the first event and begins again after a pause. */
  #watch(folder: string): void {
    if (this.#abort.signal.aborted) return;
    const next = (ms: number): void => {
      this.#watcher?.close();
      this.#watcher = null;
      this.#timer = setTimeout(() => this.#watch(folder), ms).unref();
      this.#receive();
    };
    try {
      this.#watcher = watch(folder, { persistent: false }, () => next(PAUSE_MS));
      this.#watcher.on("error", () => next(POLL_MS));
      this.#receive();
    } catch {
      // The user has too many watches.
      next(POLL_MS);
    }
  }

  #receive(): void {
    const request = this.#takeRequest();
    if (request === null) return;
    if (this.#openCount >= MAX_OPEN_REQUESTS) {
      this.#answer(request.folder, refusal("too many requests"));
      return;
    }
    this.#openCount += 1;
    this.#lastRequest = this.#lastRequest.then(async () => {
      const decision = await this.#handle(request).catch((error: unknown) =>
        refusal(error instanceof Error ? error.message : String(error)),
      );
      this.#answer(request.folder, decision);
      this.#openCount -= 1;
      // Parsing takes time, in which this process does nothing else.
      await sleep(PAUSE_MS);
    });
  }

  #takeRequest(): ReceivedRequest | null {
    const path = `/proc/self/fd/${this.#folder}/${REQUEST_NAME}`;
    const text = readSmallFile(path);
    if (text === null) return null;
    try {
      unlinkSync(path);
    } catch {
      // The command removed it.
      return null;
    }
    const [, folder, kind, about] = /^(work\.\w{1,32})\n(settings|worktree)\n([^\n]{1,4096})\n$/.exec(text) ?? [];
    return folder && kind && about ? { folder, isWorktree: kind === "worktree", path: about } : null;
  }

  async #handle({ folder, isWorktree, path: file }: ReceivedRequest): Promise<GitSettingsDecision> {
    if (isWorktree) return forgetWorktree(file, this.#files);
    if (!this.#files.includes(file)) return refusal("commands may not change the settings of this repository");
    const texts = this.#openWork(folder, (path) => ({
      oldText: readSmallFile(join(path, REQUEST_FILES.oldConfig)),
      newText: readInFolder(path, REQUEST_FILES.newConfig),
    }));
    if (texts === null || texts.oldText === null || texts.newText === null)
      return refusal("the new settings cannot be read or are too large");
    const change = { file, oldText: texts.oldText, newText: texts.newText };
    const decision = await this.#decide(change, this.#abort.signal);
    if (decision.type === "refused") return decision;
    if (this.#abort.signal.aborted) return refusal("the command has ended");
    const result: ChangeResult = await changeGitConfig(change);
    return result.type === "changed" ? { type: "allowed" } : refusal(result.why);
  }

  #openWork<Result>(name: string, use: (path: string) => Result): Result | null {
    try {
      const folder = openFolderNoFollow(`/proc/self/fd/${this.#folder}/${name}`);
      try {
        return use(`/proc/self/fd/${folder}`);
      } finally {
        closeSync(folder);
      }
    } catch {
      // The command removed or replaced it.
      return null;
    }
  }

  /** Git waits at a named pipe. If nothing reads it, there is no answer. */
  #answer(name: string, decision: GitSettingsDecision): void {
    const text =
      decision.type === "allowed" ? "yes\n" : `no ${escapeAllInvisible(decision.why).slice(0, MAX_ANSWER_CHARS)}\n`;
    this.#openWork(name, (path) => {
      const pipe = openSync(
        join(path, REQUEST_FILES.answer),
        constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW,
      );
      try {
        if (fstatSync(pipe).isFIFO()) writeSync(pipe, text);
      } finally {
        closeSync(pipe);
      }
    });
  }
}

/** Short enough for one write into a pipe. */
const MAX_ANSWER_CHARS = 900;

/** Each folder on the way may be a link, too. */
function readInFolder(path: string, name: string): string | null {
  const [folderName = "", ...rest] = name.split("/");
  if (rest.length === 0) return readSmallFile(join(path, folderName));
  const folder = openFolderNoFollow(join(path, folderName));
  try {
    return readInFolder(`/proc/self/fd/${folder}`, rest.join("/"));
  } finally {
    closeSync(folder);
  }
}

/** The files of a worktree's folder that commands cannot remove. */
const WORKTREE_FILES = ["commondir", "config.worktree", "gitdir"];

/** Removes the protected files of a worktree whose working tree is gone, or empty except for its `.git`. The command removes the others. */
function forgetWorktree(path: string, files: readonly string[]): GitSettingsDecision {
  const isKnown = files.some((file) => dirname(path) === join(dirname(file), "worktrees"));
  if (!isKnown || ["", ".", ".."].includes(basename(path))) return refusal("it is no worktree of the workspace");
  const folder = openFolderNoFollow(path);
  try {
    const target = readSmallFile(`/proc/self/fd/${folder}/gitdir`)?.trim() ?? "";
    const isSame = readlinkSync(`/proc/self/fd/${folder}`) === path;
    if (!isSame || target === "" || !removeWorkingTree(resolve(path, target), path))
      return refusal("its working tree still exists");
    for (const name of WORKTREE_FILES) rmSync(`/proc/self/fd/${folder}/${name}`, { force: true });
    return { type: "allowed" };
  } finally {
    closeSync(folder);
  }
}

/** Whether there is no working tree afterwards. `file` is its `.git`, which commands cannot remove either. */
function removeWorkingTree(file: string, worktree: string): boolean {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return true;
  const folder = openFolderNoFollow(dirname(file));
  try {
    const path = `/proc/self/fd/${folder}`;
    const isEmpty = readlinkSync(path) === dirname(file) && isOnlyEntry(path, basename(file));
    if (!isEmpty || readSmallFile(join(path, basename(file))) !== `gitdir: ${worktree}\n`) return false;
    unlinkSync(join(path, basename(file)));
    rmdirSync(dirname(file));
    return true;
  } finally {
    closeSync(folder);
  }
}

/** Reads no more than needed: a command may have made any number of files. */
function isOnlyEntry(path: string, name: string): boolean {
  const folder = opendirSync(path);
  try {
    return folder.readSync()?.name === name && folder.readSync() === null;
  } finally {
    folder.closeSync();
  }
}
