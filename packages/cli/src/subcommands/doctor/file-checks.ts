/** Checks file permissions and sessions for `pith doctor`. Changes nothing without `--fix`, which removes the access of other users. */

import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { listSessions, realFiles, type SessionItem, sessionsFolder } from "@pith/context/node";
import { PRIVATE_NAMES } from "@pith/host/settings/home-files";
import { formatBytes, formatCount } from "@pith/host/text/format";
import { createProgressReporter, type SubcommandCall } from "../../args/subcommand.ts";
import { readSession } from "../../sessions/find-session.ts";
import { type Check, failure, ok, warning } from "./checks.ts";

export async function checkFilePermissions(
  { home, flags, notify }: SubcommandCall,
  platform: NodeJS.Platform = process.platform,
): Promise<Check> {
  if (platform === "win32")
    return ok(CHECK_NAME, `not checked on Windows; ${home} inherits the permissions of its parent folder`);
  const exposedPaths = findExposedPaths(home, createProgressReporter(notify));
  const [first] = exposedPaths;
  if (first === undefined) return ok(CHECK_NAME, `only you can access ${home}`);
  if (flags.fix !== true) return reportExposedPaths(exposedPaths, first, home);
  const remainingPaths = exposedPaths.filter((path) => !removeOthersAccess(path));
  if (remainingPaths.length === 0)
    return ok(CHECK_NAME, `removed other users' access to ${formatCount(exposedPaths.length, "path")}`);
  return failure(
    CHECK_NAME,
    `other users still have access to ${remainingPaths[0]}${formatOtherPaths(remainingPaths.length)}`,
    "remove their access with chmod",
  );
}

const CHECK_NAME = "file permissions";

/** Only a warning if others can list the home, as after a plain `mkdir`: they see file names but no contents. */
function reportExposedPaths(exposedPaths: readonly string[], first: string, home: string): Check {
  const isOnlyListable = exposedPaths.length === 1 && first === home && !hasModeBits(home, OTHERS_WRITE_BITS);
  if (isOnlyListable) return warning(CHECK_NAME, `other users can list the files in ${home}`, FIX_ADVICE);
  return failure(CHECK_NAME, `other users have access to ${first}${formatOtherPaths(exposedPaths.length)}`, FIX_ADVICE);
}

const FIX_ADVICE = "run pith doctor --fix to remove their access";

function formatOtherPaths(count: number): string {
  return count > 1 ? ` and ${formatCount(count - 1, "other path")}` : "";
}

/** Checks the home and Pith's own files in it. Other files are ignored, and links are not followed. */
function findExposedPaths(home: string, reportProgress: (line: string) => void): readonly string[] {
  const isDedicatedFolder = home !== homedir() && dirname(home) !== home;
  const exposedPaths = isDedicatedFolder && hasModeBits(home, OTHERS_MODE_BITS) ? [home] : [];
  for (const name of WRITE_PROTECTED_NAMES)
    if (hasModeBits(join(home, name), OTHERS_WRITE_BITS)) exposedPaths.push(join(home, name));
  const pendingPaths = PRIVATE_NAMES.map((name) => join(home, name));
  let checkedCount = 0;
  for (let path = pendingPaths.pop(); path !== undefined && checkedCount < MAX_PATHS; path = pendingPaths.pop()) {
    reportProgress(`checked the permissions of ${++checkedCount} paths`);
    if (hasModeBits(path, OTHERS_MODE_BITS)) exposedPaths.push(path);
    if (realFiles.stat(path)?.kind === "folder") pendingPaths.push(...listPaths(path));
  }
  return exposedPaths;
}

/** Files that no other user may write. They may be readable, because the user may want to share them. */
const WRITE_PROTECTED_NAMES = ["settings.json", "permissions.json", "trust.json"];

function hasModeBits(path: string, bits: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isSymbolicLink() && (stats.mode & bits) !== 0;
}

function listPaths(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    // If others can access this folder, it is already reported. Otherwise they cannot reach the files in it.
    return [];
  }
}

function removeOthersAccess(path: string): boolean {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return false;
    chmodSync(path, stats.mode & 0o700);
    return true;
  } catch {
    // The file belongs to another user. The caller reports it.
    return false;
  }
}

const OTHERS_MODE_BITS = 0o077;
const OTHERS_WRITE_BITS = 0o022;
const MAX_PATHS = 200_000;

export async function checkSessions(call: SubcommandCall): Promise<readonly Check[]> {
  const sessions = await listSessions({ env: { PITH_HOME: call.home } });
  return [await checkSessionDamage(sessions, call), checkOrphanedBlobs(call.home), checkSearchIndex(call.home)];
}

async function checkSessionDamage(sessions: readonly SessionItem[], { flags, notify }: SubcommandCall): Promise<Check> {
  const reportProgress = createProgressReporter(notify);
  const deadline = flags.deep === true ? Number.POSITIVE_INFINITY : Date.now() + LINE_CHECK_TIMEOUT_MS;
  const damagedSessions: { readonly item: SessionItem; readonly reason: string }[] = [];
  let checkedCount = 0;
  for (const item of sessions) {
    if (Date.now() > deadline) break;
    reportProgress(`checked ${checkedCount++} of ${formatCount(sessions.length, "session")}`);
    const reason = item.damaged ?? (await findDamage(item.path));
    if (reason !== null) damagedSessions.push({ item, reason });
  }
  const uncheckedText =
    checkedCount < sessions.length && Date.now() > deadline
      ? `; only the newest ${checkedCount} were checked line by line (--deep checks all)`
      : "";
  const [first] = damagedSessions;
  if (!first) return ok("sessions", `${formatCount(sessions.length, "session")}${uncheckedText}`);
  const message = `${damagedSessions.length} of ${formatCount(sessions.length, "session")} damaged, for example ${first.item.path}: ${first.reason}${uncheckedText}`;
  return warning("sessions", message, "readable lines are still used; pith doctor SESSION shows the damaged lines");
}

async function findDamage(path: string): Promise<string | null> {
  const result = await readSession(path, async (store) => ({ type: "checked" as const, damage: await store.check() }));
  if (result.type === "failed") return result.message;
  const [first] = result.damage;
  return first ? `line ${first.line}: ${first.note}` : null;
}

/** The time limit for checking lines without `--deep`. The newest sessions are checked first. */
const LINE_CHECK_TIMEOUT_MS = 3_000;

/** Finds blobs whose session file is missing. Sessions in the trash keep their blobs there. */
function checkOrphanedBlobs(home: string): Check {
  const sessionsRoot = sessionsFolder({ PITH_HOME: home });
  const dataFolders = realFiles.list(sessionsRoot).flatMap((folder) => {
    const pithFolder = join(sessionsRoot, folder, ".pith");
    return realFiles.list(pithFolder).map((name) => join(pithFolder, name));
  });
  const orphans = dataFolders.filter((path) => !hasSession(path) && realFiles.list(join(path, "blobs")).length > 0);
  const [first] = orphans;
  if (first === undefined) return ok("blobs", "all stored output belongs to a session");
  const message = `${formatCount(orphans.length, "blob folder")} without a session, for example ${first}`;
  return warning("blobs", message, "remove the folder if you do not need to restore the session");
}

function hasSession(dataFolder: string): boolean {
  return realFiles.stat(join(dirname(dirname(dataFolder)), dataFolder.slice(dirname(dataFolder).length + 1))) !== null;
}

function checkSearchIndex(home: string): Check {
  const stat = realFiles.stat(join(home, "search.db"));
  if (!stat) return ok("search index", "none yet; the first pith sessions search creates it");
  if (stat.kind !== "file")
    return warning("search index", `${join(home, "search.db")} is not a regular file`, "remove it");
  return ok("search index", `${formatBytes(stat.size)}; you can delete it at any time`);
}
