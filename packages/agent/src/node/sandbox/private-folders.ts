/**
 * Opens the private folders of a sandbox: a home per workspace and a temporary folder per session. Later starts remove what killed
 * processes left, homes that were not used for long, and homes of workspaces that no longer exist.
 */

import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmdirSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { mkdtemp, rename, rm, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { ensureOwnerOnlyFolder, errorCode, resolveRealPath, writeOwnerOnlyFile } from "../safe-files.ts";
import { findLeftNames } from "./absent-names.ts";
import { copyConfigurations } from "./copy-configuration.ts";
import { findRepositoryDangers } from "./git-dangers.ts";
import { moveEntry } from "./move-tree.ts";
import { readFolderNames, SESSIONS_PREFIX, TEMPORARY_FOLDERS } from "./options.ts";
import { currentProcess, hasEnded, type ProcessRecord, removeJournaledNames } from "./path-placeholders.ts";

/** Options of `openPrivateFolders`. */
export interface PrivateFolderOptions {
  /** The parent folder, such as `~/.pith/sandbox`; commands must not see it. */
  readonly folder: string;
  /** The workspace; absolute. */
  readonly root: string;
  /** The user's home, from which configuration is copied without credentials. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The private home and temporary folder of sandboxed commands. */
export interface PrivateFolders {
  readonly home: string;
  readonly temporary: string;
  /** The file that records placeholders, for cleaning up after a crash. */
  readonly journal: string;
  /** The file that lists the names that did not exist when a command started, while commands run. */
  readonly absentNames: string;
  /**
   * Copies the user's configuration into the home, once, and removes what killed processes left beside it. Awaited before the first
   * command, so that a session without commands does not wait for it.
   */
  fillHome(): Promise<void>;
  /** Removes the temporary folder; the home stays for the next session in this workspace. */
  close(): Promise<void>;
}

/** Holds the path of the workspace; its modification time is that of the last use. */
const WORKSPACE_FILE = "workspace";
const SESSIONS_FOLDER = "sessions";
const JOURNAL_SUFFIX = ".names";
const ABSENT_SUFFIX = ".absent";
const REMOVED_PREFIX = "removed-";

/** Creates the private home and temporary folder of a workspace's sandbox. */
export async function openPrivateFolders(options: PrivateFolderOptions): Promise<PrivateFolders> {
  const { root, home, environment } = options;
  const workspace = (await resolveRealPath(root)) ?? root;
  await ensureOwnerOnlyFolder(options.folder);
  const folder = (await resolveRealPath(options.folder)) ?? options.folder;
  const workspaceFolder = join(folder, createHash("sha256").update(workspace).digest("hex").slice(0, 32));
  const privateHome = join(workspaceFolder, "home");
  for (const path of [join(folder, SESSIONS_FOLDER), workspaceFolder, privateHome]) await ensureOwnerOnlyFolder(path);
  await writeOwnerOnlyFile(join(workspaceFolder, WORKSPACE_FILE), Buffer.from(workspace));
  let filling: Promise<void> | null = null;
  const fill = async (): Promise<void> => {
    await removeThrowaways(workspaceFolder);
    await copyConfigurations({ home, privateHome, environment });
  };
  const sessionFile = join(folder, SESSIONS_FOLDER, `${process.pid}-${randomBytes(6).toString("hex")}`);
  const temporary = await createTemporaryFolder();
  const record: SessionRecord = { process: currentProcess(), temporary };
  await writeOwnerOnlyFile(sessionFile, Buffer.from(JSON.stringify(record)));
  return {
    home: privateHome,
    temporary,
    journal: `${sessionFile}${JOURNAL_SUFFIX}`,
    absentNames: `${sessionFile}${ABSENT_SUFFIX}`,
    fillHome: () => {
      // The next command tries again.
      filling ??= fill().catch((error: unknown) => {
        filling = null;
        throw error;
      });
      return filling;
    },
    close: async () => {
      await removeTree(temporary);
      await removeSessionFiles(sessionFile);
    },
  };
}

export interface ThrowawayOptions extends Pick<PrivateFolderOptions, "home" | "environment"> {
  /** The private home of the workspace; the new folders are created beside it, where no command sees them. */
  readonly privateHome: string;
}

/**
 * A home and a temporary folder for one command that is given a secret: nothing of an earlier command can run in them, and they are
 * removed afterwards.
 */
export async function openThrowawayFolders(
  options: ThrowawayOptions,
): Promise<Pick<PrivateFolders, "home" | "temporary" | "close">> {
  const { privateHome, home, environment } = options;
  const folder = createThrowawayFolder(privateHome);
  const [ownHome, temporary] = [join(folder, "home"), join(folder, "tmp")];
  for (const path of [ownHome, temporary]) await ensureOwnerOnlyFolder(path);
  await copyConfigurations({ home, privateHome: ownHome, environment });
  return { home: ownHome, temporary, close: () => removeTree(folder) };
}

/** Creates a folder beside the private home, where no command sees it. Later starts remove it after this process has ended. */
export function createThrowawayFolder(privateHome: string): string {
  const folder = mkdtempSync(join(dirname(privateHome), THROWAWAY_PREFIX));
  writeFileSync(join(folder, PROCESS_FILE), JSON.stringify(currentProcess()), { mode: 0o600, flag: "wx" });
  return folder;
}

export function removeEmptyThrowawayFolder(folder: string): void {
  unlinkSync(join(folder, PROCESS_FILE));
  rmdirSync(folder);
}

const THROWAWAY_PREFIX = "once-";

/** Names the process that owns the folder. */
const PROCESS_FILE = "process";

/** Removes folders of killed processes. */
async function removeThrowaways(folder: string): Promise<void> {
  for (const name of readFolderNames(folder).filter((each) => each.startsWith(THROWAWAY_PREFIX))) {
    const owner = readRecord<ProcessRecord>(join(folder, name, PROCESS_FILE));
    if (owner !== null && hasEnded(owner)) await removeTree(join(folder, name));
  }
}

interface SessionRecord {
  readonly process: ProcessRecord;
  readonly temporary: string;
}

const TEMPORARY_PREFIX = "pith-";

/** Outside `/tmp`, commands would see the folders of other sessions, so all lie in one folder that is hidden. */
async function createTemporaryFolder(): Promise<string> {
  const folder = (await resolveRealPath(tmpdir())) ?? tmpdir();
  if (TEMPORARY_FOLDERS.includes(folder)) return await mkdtemp(join(folder, TEMPORARY_PREFIX));
  const sessionsFolder = join(folder, `${SESSIONS_PREFIX}${process.getuid?.() ?? 0}`);
  await ensureOwnerOnlyFolder(sessionsFolder);
  return await mkdtemp(join(sessionsFolder, TEMPORARY_PREFIX));
}

const DAY_MS = 24 * 60 * 60 * 1000;
const UNUSED_MS = 60 * DAY_MS;
/** Limits for one start. */
const MAX_CHECKED = 200;
const MAX_REMOVED = 3;

/** Files and folders that commands of a killed process left and that were moved to the folder of caught files. */
export interface MovedName {
  readonly path: string;
  readonly movedTo: string;
}

/** Finishes what killed processes left: removes placeholders and temporary folders, and catches files. */
export async function cleanUpEndedSessions(folder: string, caughtFolder: string): Promise<readonly MovedName[]> {
  const sessionsFolder = join(folder, SESSIONS_FOLDER);
  const moved: MovedName[] = [];
  for (const name of readFolderNames(sessionsFolder).slice(0, MAX_CHECKED)) {
    const path = join(sessionsFolder, name);
    const record = SIDE_FILE.test(name) ? null : readRecord<SessionRecord>(path);
    if (record === null || !hasEnded(record.process)) continue;
    removeJournaledNames(`${path}${JOURNAL_SUFFIX}`);
    moved.push(...moveLeftNames(`${path}${ABSENT_SUFFIX}`, join(caughtFolder, name)));
    if (isOwnTemporaryFolder(record.temporary)) await removeTree(record.temporary);
    await removeSessionFiles(path);
  }
  return moved;
}

const SIDE_FILE = /\.(?:names|absent)$/;

function moveLeftNames(record: string, folder: string): readonly MovedName[] {
  return findLeftNames(record).flatMap(({ path, root }) => {
    const isHarmless = basename(path) === ".git" && findRepositoryDangers(path).length === 0;
    const movedTo = join(folder, relative(root, path));
    return !isHarmless && moveEntry(path, movedTo, { mayCopy: true }) === "moved" ? [{ path, movedTo }] : [];
  });
}

async function removeSessionFiles(sessionFile: string): Promise<void> {
  for (const suffix of [JOURNAL_SUFFIX, ABSENT_SUFFIX, ""])
    await unlink(`${sessionFile}${suffix}`).catch(() => undefined);
}

/** Removes unused folders. Large ones are removed by a background process, so that the start does not wait. */
export async function removeUnusedFolders(folder: string, now: number = Date.now()): Promise<void> {
  const names = readFolderNames(folder).filter((name) => name !== SESSIONS_FOLDER);
  let removedCount = 0;
  for (const name of names.slice(0, MAX_CHECKED)) {
    const path = join(folder, name);
    if (removedCount === MAX_REMOVED) return;
    if (!name.startsWith(REMOVED_PREFIX) && !isUnused(path, now)) continue;
    removedCount += 1;
    const removedPath = join(folder, `${REMOVED_PREFIX}${randomBytes(6).toString("hex")}`);
    // If the rename fails, another process removes the folder.
    await rename(path, removedPath).then(
      () => removeInBackground(removedPath),
      () => undefined,
    );
  }
}

function isUnused(path: string, now: number): boolean {
  try {
    const owner = join(path, WORKSPACE_FILE);
    if (now - statSync(owner).mtimeMs > UNUSED_MS) return true;
    return isMissing(readFileSync(owner, "utf8"));
  } catch {
    // Another start is creating it.
    return false;
  }
}

function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return errorCode(error) === "ENOENT";
  }
}

function readRecord<Content>(path: string): Content | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Content;
  } catch {
    // Another start removed it, or the disk was full when it was written.
    return null;
  }
}

/** A record is trusted only if it names a folder that could have been created for a session. */
function isOwnTemporaryFolder(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return /\/pith-\w{6}$/.test(path) && stats?.isDirectory() === true && stats.uid === process.getuid?.();
}

async function removeTree(path: string): Promise<void> {
  // Some programs leave folders without write permission for the owner.
  await rm(path, { recursive: true, force: true }).catch(() => removeInBackground(path));
}

/** Neither program follows links below the folder it is given. */
export function removeInBackground(path: string): void {
  const script = 'chmod -R u+rwX "$1" 2>/dev/null; exec rm -rf "$1"';
  const child = spawn("/bin/sh", ["-c", script, "sh", path], { detached: true, stdio: "ignore", cwd: "/" });
  // A later start tries again.
  child.on("error", () => undefined);
  child.unref();
}
