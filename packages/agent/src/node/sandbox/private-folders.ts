/**
 * Opens the private folders of a sandbox: a home per workspace and a temporary folder per session. Later starts remove what was left by
 * programs that were killed, homes that were not used for long, and homes of workspaces that are gone.
 */

import { spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rename, rm, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { codeOf, ownFile, ownFolder, realPath } from "../safe-files.ts";
import { SESSIONS_PREFIX, TEMPORARY } from "./box.ts";
import { copyConfigurations } from "./copy-configurations.ts";
import { removeNotedNames } from "./placeholders.ts";
import { currentProcess, hasEnded, type ProcessRecord } from "./process-record.ts";

export interface PrivateFolderOptions {
  /** The folder for all of them, such as `~/.pith/sandbox`; commands must not see it. */
  readonly folder: string;
  /** The workspace; absolute. */
  readonly root: string;
  /** The user's home, from which configuration is copied without credentials. */
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface PrivateFolders {
  readonly home: string;
  readonly temporary: string;
  /** Where guarded names that a sandbox created are noted, for whoever comes after a crash. */
  readonly journal: string;
  /**
   * Copies the user's configuration into the home, once, and removes what killed programs left beside it. To be awaited before the first
   * command: a session that runs none does not wait for it.
   */
  fillHome(): Promise<void>;
  /** Removes the temporary folder; the home stays for the next session in this workspace. */
  close(): Promise<void>;
}

/** In a workspace's folder: whose it is. Its time is that of the last use. */
const OWNER = "workspace";
const SESSIONS = "sessions";
/** The end of the name of a session's journal. */
const NAMES = ".names";
const REMOVED = "removed-";

export async function openPrivateFolders(options: PrivateFolderOptions): Promise<PrivateFolders> {
  const { root, home, environment } = options;
  const workspace = (await realPath(root)) ?? root;
  await ownFolder(options.folder);
  const folder = (await realPath(options.folder)) ?? options.folder;
  const own = join(folder, hashOf(workspace));
  const privateHome = join(own, "home");
  for (const each of [join(folder, SESSIONS), own, privateHome]) await ownFolder(each);
  await ownFile(join(own, OWNER), Buffer.from(workspace));
  let filling: Promise<void> | null = null;
  const fill = async (): Promise<void> => {
    await removeThrowaways(own);
    await copyConfigurations({ home, privateHome, environment });
  };
  const session = join(folder, SESSIONS, `${process.pid}-${randomBytes(6).toString("hex")}`);
  const temporary = await createTemporary();
  const record: SessionRecord = { process: currentProcess(), temporary };
  await ownFile(session, Buffer.from(JSON.stringify(record)));
  return {
    home: privateHome,
    temporary,
    journal: `${session}${NAMES}`,
    fillHome: () => {
      // What failed is tried again with the next command.
      filling ??= fill().catch((error: unknown) => {
        filling = null;
        throw error;
      });
      return filling;
    },
    close: async () => {
      await removeTree(temporary);
      for (const file of [`${session}${NAMES}`, session]) await unlink(file).catch(() => undefined);
    },
  };
}

export interface ThrowawayOptions extends Pick<PrivateFolderOptions, "home" | "environment"> {
  /** The private home of the workspace; the new folders lie beside it, where no command sees them. */
  readonly privateHome: string;
}

/**
 * A home and a temporary folder for one command that is given a secret: nothing that an earlier command left there runs with it, and
 * nothing that it leaves there stays.
 */
export async function openThrowawayFolders(
  options: ThrowawayOptions,
): Promise<Pick<PrivateFolders, "home" | "temporary" | "close">> {
  const { privateHome, home, environment } = options;
  const folder = await mkdtemp(join(dirname(privateHome), THROWAWAY));
  await ownFile(join(folder, PROCESS), Buffer.from(JSON.stringify(currentProcess())));
  const [own, temporary] = [join(folder, "home"), join(folder, "tmp")];
  for (const each of [own, temporary]) await ownFolder(each);
  await copyConfigurations({ home, privateHome: own, environment });
  return { home: own, temporary, close: () => removeTree(folder) };
}

const THROWAWAY = "once-";

/** In such a folder: which process it belongs to. */
const PROCESS = "process";

/** Those of programs that were killed. */
async function removeThrowaways(folder: string): Promise<void> {
  for (const name of namesIn(folder).filter((each) => each.startsWith(THROWAWAY))) {
    const owner = readRecord<ProcessRecord>(join(folder, name, PROCESS));
    if (owner !== null && hasEnded(owner)) await removeTree(join(folder, name));
  }
}

interface SessionRecord {
  readonly process: ProcessRecord;
  readonly temporary: string;
}

function hashOf(workspace: string): string {
  return createHash("sha256").update(workspace).digest("hex").slice(0, 32);
}

const PREFIX = "pith-";

/** Elsewhere than in `/tmp` commands would see those of other sessions, so they lie in one folder that is hidden. */
async function createTemporary(): Promise<string> {
  const folder = (await realPath(tmpdir())) ?? tmpdir();
  if (TEMPORARY.includes(folder)) return await mkdtemp(join(folder, PREFIX));
  const own = join(folder, `${SESSIONS_PREFIX}${process.getuid?.() ?? 0}`);
  await ownFolder(own);
  return await mkdtemp(join(own, PREFIX));
}

const DAY_MS = 24 * 60 * 60 * 1000;
const UNUSED_MS = 60 * DAY_MS;
/** No more are looked at in one start, nor removed. */
const MOST_LOOKS = 200;
const MOST_REMOVED = 3;

/** Removes what nobody uses any more. Large folders are removed by a process of their own, so that no start waits for it. */
export async function removeUnusedFolders(folder: string, now: number = Date.now()): Promise<void> {
  await removeEndedSessions(join(folder, SESSIONS));
  const names = namesIn(folder).filter((name) => name !== SESSIONS);
  let removed = 0;
  for (const name of names.slice(0, MOST_LOOKS)) {
    const path = join(folder, name);
    if (removed === MOST_REMOVED) return;
    if (!name.startsWith(REMOVED) && !isUnused(path, now)) continue;
    removed += 1;
    const away = join(folder, `${REMOVED}${randomBytes(6).toString("hex")}`);
    // Whoever came first removes it.
    await rename(path, away).then(
      () => removeInBackground(away),
      () => undefined,
    );
  }
}

function isUnused(path: string, now: number): boolean {
  try {
    const owner = join(path, OWNER);
    if (now - statSync(owner).mtimeMs > UNUSED_MS) return true;
    return isGone(readFileSync(owner, "utf8"));
  } catch {
    // It is being made by another start.
    return false;
  }
}

function isGone(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return codeOf(error) === "ENOENT";
  }
}

async function removeEndedSessions(folder: string): Promise<void> {
  for (const name of namesIn(folder).slice(0, MOST_LOOKS)) {
    const path = join(folder, name);
    const record = name.endsWith(NAMES) ? null : readRecord<SessionRecord>(path);
    if (record === null || !hasEnded(record.process)) continue;
    removeNotedNames(`${path}${NAMES}`);
    if (isOurTemporary(record.temporary)) await removeTree(record.temporary);
    for (const file of [`${path}${NAMES}`, path]) await unlink(file).catch(() => undefined);
  }
}

function readRecord<Kept>(path: string): Kept | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Kept;
  } catch {
    // Another start was faster, or the disk was full when it was written.
    return null;
  }
}

/** A record is believed only as far as it names a folder that could have been created for a session. */
function isOurTemporary(path: string): boolean {
  const entry = statSync(path, { throwIfNoEntry: false });
  return /\/pith-\w{6}$/.test(path) && entry?.isDirectory() === true && entry.uid === process.getuid?.();
}

async function removeTree(path: string): Promise<void> {
  // Some programs leave folders that not even their owner may write in.
  await rm(path, { recursive: true, force: true }).catch(() => removeInBackground(path));
}

/** Neither program follows links below the folder it is given. */
function removeInBackground(path: string): void {
  const script = 'chmod -R u+rwX "$1" 2>/dev/null; exec rm -rf "$1"';
  const child = spawn("/bin/sh", ["-c", script, "sh", path], { detached: true, stdio: "ignore", cwd: "/" });
  // It is tried again at a later start.
  child.on("error", () => undefined);
  child.unref();
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
