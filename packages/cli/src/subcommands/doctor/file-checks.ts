/** Checks file permissions and sessions for `pith doctor`. Only `--fix` changes anything: it removes the rights of others. */

import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { listSessions, realFiles, type SessionItem, sessionsFolder } from "@pith/context/node";
import { type Call, progress } from "../../args/subcommand.ts";
import { looked } from "../../sessions/find-session.ts";
import { bytesTold, counted } from "../../text/format.ts";
import { type Check, fault, ok, warning } from "./checks.ts";

export async function rightsCheck(
  { home, flags, note }: Call,
  platform: NodeJS.Platform = process.platform,
): Promise<Check> {
  if (platform === "win32") return ok("rights", `not checked on Windows; ${home} has those of the folder above it`);
  const open = openPaths(home, progress(note));
  const [first] = open;
  if (first === undefined) return ok("rights", `${home} is yours alone`);
  if (flags.fix !== true) return toldOpen(open, first, home);
  const left = open.filter((path) => !closed(path));
  if (left.length === 0) return ok("rights", `taken from others for ${counted(open.length, "path")}`);
  return fault("rights", `others still have rights to ${left[0]}${more(left.length)}`, "take them away with chmod");
}

/** Who makes the home with a plain mkdir shows the names of files to others, and nothing that is kept in them. */
function toldOpen(open: readonly string[], first: string, home: string): Check {
  const isListed = open.length === 1 && first === home && !isOpen(home, OTHERS_WRITE);
  if (isListed) return warning("rights", `others can list what lies in ${home}`, ADVICE);
  return fault("rights", `others have rights to ${first}${more(open.length)}`, ADVICE);
}

const ADVICE = "pith doctor --fix takes them away";

function more(count: number): string {
  return count > 1 ? ` and ${counted(count - 1, "other path")}` : "";
}

/** The home and what Pith keeps in it, whatever else lies there; links are not followed. */
function openPaths(home: string, told: (line: string) => void): readonly string[] {
  const isOwn = home !== homedir() && dirname(home) !== home;
  const found = isOwn && isOpen(home, OTHERS) ? [home] : [];
  for (const name of WRITTEN) if (isOpen(join(home, name), OTHERS_WRITE)) found.push(join(home, name));
  const waiting = KEPT.map((name) => join(home, name));
  let seen = 0;
  for (let path = waiting.pop(); path !== undefined && seen < MOST; path = waiting.pop()) {
    told(`looked at the rights of ${++seen} paths`);
    if (isOpen(path, OTHERS)) found.push(path);
    if (realFiles.stat(path)?.kind === "folder") waiting.push(...namesIn(path));
  }
  return found;
}

/** Nobody else reads these. */
const KEPT = [
  "audit",
  "sessions",
  "history",
  "trash",
  "restore",
  "keys.json",
  "redaction.key",
  "search.db",
  "windows.json",
];
/** Nobody else writes these; a user may want to show them. */
const WRITTEN = ["settings.json", "permissions.json", "trust.json"];

function isOpen(path: string, rights: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isSymbolicLink() && (stats.mode & rights) !== 0;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    // What cannot be read here is nothing that others could read through it.
    return [];
  }
}

function closed(path: string): boolean {
  try {
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) return false;
    chmodSync(path, stats.mode & 0o700);
    return true;
  } catch {
    // Not ours to change: told as what is left.
    return false;
  }
}

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;
const MOST = 200_000;

export async function sessionChecks(call: Call): Promise<readonly Check[]> {
  const all = await listSessions({ env: { PITH_HOME: call.home } });
  return [await damageCheck(all, call), orphanCheck(call.home), indexCheck(call.home)];
}

interface Damaged {
  readonly item: SessionItem;
  readonly why: string;
}

async function damageCheck(all: readonly SessionItem[], { flags, note }: Call): Promise<Check> {
  const told = progress(note);
  const until = flags.deep === true ? Number.POSITIVE_INFINITY : Date.now() + PATIENCE;
  const damaged: Damaged[] = [];
  let seen = 0;
  for (const item of all) {
    if (Date.now() > until) break;
    told(`looked at ${seen++} of ${counted(all.length, "session")}`);
    const why = item.damaged ?? (await damageIn(item.path));
    if (why !== null) damaged.push({ item, why });
  }
  const rest =
    seen < all.length && Date.now() > until ? `, the newest ${seen} looked at line by line; --deep looks at all` : "";
  const [first] = damaged;
  if (!first) return ok("sessions", `${counted(all.length, "session")}${rest}`);
  const says = `${counted(damaged.length, "session")} of ${all.length} not whole, e.g. ${first.item.path}: ${first.why}${rest}`;
  return warning(
    "sessions",
    says,
    "what can be read is read all the same; pith doctor SESSION shows the damaged lines",
  );
}

async function damageIn(path: string): Promise<string | null> {
  const found = await looked(path, async (store) => ({ type: "looked" as const, damage: await store.check() }));
  if (found.type === "failed") return found.message;
  const [first] = found.damage;
  return first ? `line ${first.line}: ${first.note}` : null;
}

/** Milliseconds for looking at lines, newest sessions first. */
const PATIENCE = 3_000;

/** What lies beside a session that is gone; what is in the trash took its own along. */
function orphanCheck(home: string): Check {
  const all = sessionsFolder({ PITH_HOME: home });
  const beside = realFiles.list(all).flatMap((folder) => {
    const side = join(all, folder, ".pith");
    return realFiles.list(side).map((name) => join(side, name));
  });
  const orphans = beside.filter((path) => !sessionOf(path) && realFiles.list(join(path, "blobs")).length > 0);
  const [first] = orphans;
  if (first === undefined) return ok("blobs", "each belongs to a session");
  const says = `${counted(orphans.length, "folder")} of blobs without a session, e.g. ${first}`;
  return warning("blobs", says, "if the session will not come back, remove that folder");
}

function sessionOf(side: string): boolean {
  return realFiles.stat(join(dirname(dirname(side)), side.slice(dirname(side).length + 1))) !== null;
}

function indexCheck(home: string): Check {
  const stat = realFiles.stat(join(home, "search.db"));
  if (!stat) return ok("search index", "none yet; the first pith sessions search makes it");
  if (stat.kind !== "file") return warning("search index", `${join(home, "search.db")} is no plain file`, "remove it");
  return ok("search index", `${bytesTold(stat.size)}; it can be deleted at any time`);
}
