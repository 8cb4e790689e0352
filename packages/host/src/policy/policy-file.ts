/**
 * Reads the policy file of this machine. Its path is fixed: no variable, flag or setting changes it. Only root may be able to write it.
 * Pith does not start if the file has any fault.
 */

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { type UsageError, usageError } from "../text/usage-error.ts";
import type { Policy } from "./policy.ts";

export interface PolicyLocation {
  readonly path: string;
  /** The id of the user who must own the file and its folders. Null on systems without user ids. */
  readonly ownerId: number | null;
  /** The highest folder that is checked. */
  readonly topFolder: string;
}

export type ReadPolicyResult =
  | { readonly type: "none" }
  | { readonly type: "policy"; readonly policy: Policy }
  | UsageError;

export function getPolicyLocation(platform: NodeJS.Platform = process.platform): PolicyLocation {
  switch (platform) {
    case "win32":
      return { path: "C:\\ProgramData\\Pith\\policy.json", ownerId: null, topFolder: "C:\\ProgramData" };
    case "darwin":
      return { path: "/Library/Application Support/Pith/policy.json", ownerId: 0, topFolder: "/" };
    default:
      return { path: "/etc/pith/policy.json", ownerId: 0, topFolder: "/" };
  }
}

export async function readPolicy(location: PolicyLocation = getPolicyLocation()): Promise<ReadPolicyResult> {
  const { path } = location;
  const openResult = openPolicy(location);
  if (openResult.type !== "opened") return openResult;
  try {
    const stats = fstatSync(openResult.descriptor);
    const fault = findFileFault(stats, location) ?? findFolderFault(path, location);
    if (fault !== null) return policyError(`${path} ${fault}`);
    // Loads the parser only if there is a policy, to keep the start fast.
    const { parsePolicy } = await import("./parse-policy.ts");
    const result = parsePolicy(readFileSync(openResult.descriptor, "utf8"), path);
    return result.type === "mistake" ? policyError(result.message) : result;
  } catch (error) {
    return policyError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? String(error)}`);
  } finally {
    closeSync(openResult.descriptor);
  }
}

type OpenPolicyResult =
  | { readonly type: "opened"; readonly descriptor: number }
  | Exclude<ReadPolicyResult, { type: "policy" }>;

function openPolicy({ path }: PolicyLocation): OpenPolicyResult {
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    if (lstatSync(path).isSymbolicLink())
      return policyError(`${path} is a symbolic link; replace it with the file itself`);
    return { type: "opened", descriptor: openSync(path, flags) };
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && isFolderOrAbsent(dirname(path))) return { type: "none" };
    if (code === "EACCES")
      return policyError(
        `${path} is not readable by this user; make it readable (chmod 644, and chmod 755 for its folder)`,
      );
    return policyError(`${path} cannot be read: ${code}`);
  }
}

/** A broken link does not pass as an absent folder. */
function isFolderOrAbsent(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
}

const OTHERS_WRITE_BITS = 0o022;
const MAX_POLICY_BYTES = 256 * 1024;

/** Returns the end of a sentence that starts with the path of the file. */
function findFileFault(stats: Stats, { ownerId }: PolicyLocation): string | null {
  if (!stats.isFile()) return "is not a regular file";
  if (stats.size > MAX_POLICY_BYTES) return "is too large for a policy file";
  return findOwnerFault(stats, ownerId);
}

/** The end of a sentence that starts with a path. */
export const WRITABLE_BY_OTHERS = "is writable by users other than root";

function findOwnerFault({ uid, mode }: Stats, ownerId: number | null): string | null {
  if (ownerId === null) return null;
  if (uid !== ownerId) return `is owned by user ${uid} instead of root; run as root: chown root`;
  if ((mode & OTHERS_WRITE_BITS) !== 0) return `${WRITABLE_BY_OTHERS}; run as root: chmod go-w`;
  return null;
}

/** Checks the folders above the file, because a user who can change one of them can replace the file. */
function findFolderFault(path: string, { ownerId, topFolder }: PolicyLocation): string | null {
  for (const folder of listParentFolders(path, topFolder)) {
    const stats = lstatSync(folder);
    const fault = stats.isDirectory() ? findOwnerFault(stats, ownerId) : "is a symbolic link";
    if (fault !== null) return `is in ${folder}, which ${fault}`;
  }
  return null;
}

function listParentFolders(path: string, topFolder: string): readonly string[] {
  const folder = dirname(path);
  return folder === topFolder || folder === path || dirname(folder) === folder
    ? [folder]
    : [folder, ...listParentFolders(folder, topFolder)];
}

/** Whether only the owner of the policy can change the file. True on systems without user ids, where the administrator is responsible for it. */
export function isWritableOnlyByOwner(
  path: string,
  { ownerId, topFolder }: PolicyLocation = getPolicyLocation(),
): boolean {
  if (ownerId === null) return true;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink() || findOwnerFault(stats, ownerId) !== null) return false;
  return findFolderFault(path, { path, ownerId, topFolder }) === null;
}

function policyError(reason: string): UsageError {
  return usageError(
    `your organization's policy cannot be used: ${reason}. Pith does not start until an administrator of this machine fixes it.`,
  );
}
