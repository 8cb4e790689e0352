/**
 * Reads the policy file of this machine. Its place is fixed: no variable, flag or setting names another. Only root may be able to change it;
 * whatever is wrong with it stops the start.
 */

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { type Mistake, mistake } from "../text/usage-error.ts";
import type { Policy } from "./policy.ts";

export interface PolicyPlace {
  readonly path: string;
  /** The user id that its file and folders belong to; null where the system does not say. */
  readonly owner: number | null;
  /** The highest folder that is looked at. */
  readonly top: string;
}

export type PolicyRead = { readonly type: "none" } | { readonly type: "policy"; readonly policy: Policy } | Mistake;

export function policyPlace(platform: NodeJS.Platform = process.platform): PolicyPlace {
  switch (platform) {
    case "win32":
      return { path: "C:\\ProgramData\\Pith\\policy.json", owner: null, top: "C:\\ProgramData" };
    case "darwin":
      return { path: "/Library/Application Support/Pith/policy.json", owner: 0, top: "/" };
    default:
      return { path: "/etc/pith/policy.json", owner: 0, top: "/" };
  }
}

export async function readPolicy(place: PolicyPlace = policyPlace()): Promise<PolicyRead> {
  const { path } = place;
  const opened = openPolicy(place);
  if (opened.type !== "opened") return opened;
  try {
    const stats = fstatSync(opened.file);
    const fault = faultOfFile(stats, place) ?? findLooseFolder(path, place);
    if (fault !== null) return unusable(`${path} ${fault}`);
    // Loaded only where there is one.
    const { parsePolicy } = await import("./parse-policy.ts");
    const read = parsePolicy(readFileSync(opened.file, "utf8"), path);
    return read.type === "mistake" ? unusable(read.message) : read;
  } catch (error) {
    return unusable(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
  } finally {
    closeSync(opened.file);
  }
}

type Opened = { readonly type: "opened"; readonly file: number } | Exclude<PolicyRead, { type: "policy" }>;

function openPolicy({ path }: PolicyPlace): Opened {
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    if (lstatSync(path).isSymbolicLink()) return unusable(`${path} is a link; put the file itself there`);
    return { type: "opened", file: openSync(path, flags) };
  } catch (error) {
    const { code = "an unknown error" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && isFolderOrAbsent(dirname(path))) return { type: "none" };
    if (code === "EACCES")
      return unusable(`${path} is closed to this user; make it readable (chmod 644, and 755 for its folder)`);
    return unusable(`${path} cannot be read: ${code}`);
  }
}

/** A link that leads nowhere is no absent folder. */
function isFolderOrAbsent(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
}

const OTHERS_WRITE = 0o022;
const MAX_BYTES = 256 * 1024;

/** As the end of a sentence that begins with its name. */
function faultOfFile(stats: Stats, { owner }: PolicyPlace): string | null {
  if (!stats.isFile()) return "is no regular file";
  if (stats.size > MAX_BYTES) return "is too long for a policy";
  return faultOfOwner(stats, owner);
}

function faultOfOwner({ uid, mode }: Stats, owner: number | null): string | null {
  if (owner === null) return null;
  if (uid !== owner) return `belongs to user ${uid}, and not to root; run as root: chown root`;
  if ((mode & OTHERS_WRITE) !== 0) return "can be changed by others than root; run as root: chmod go-w";
  return null;
}

/** Whoever may change a folder above it may put another file in its place. */
function findLooseFolder(path: string, { owner, top }: PolicyPlace): string | null {
  for (const folder of foldersAbove(path, top)) {
    const stats = lstatSync(folder);
    const fault = stats.isDirectory() ? faultOfOwner(stats, owner) : "is a link and no folder";
    if (fault !== null) return `lies in ${folder}, which ${fault}`;
  }
  return null;
}

function foldersAbove(path: string, top: string): readonly string[] {
  const folder = dirname(path);
  return folder === top || folder === path || dirname(folder) === folder
    ? [folder]
    : [folder, ...foldersAbove(folder, top)];
}

/** Whether nobody but the owner of the policy can change what lies there; where the system does not say, its administrator has to know. */
export function isHeldByOwner(path: string, { owner, top }: PolicyPlace = policyPlace()): boolean {
  if (owner === null) return true;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink() || faultOfOwner(stats, owner) !== null) return false;
  return findLooseFolder(path, { path, owner, top }) === null;
}

function unusable(what: string): Mistake {
  return mistake(
    `the policy of your organisation cannot be used: ${what}. Pith does not start until an administrator of this machine mends it.`,
  );
}
