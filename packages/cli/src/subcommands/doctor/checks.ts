/** Defines the result of a check, and checks completions, disk, configuration, machine, folder trust and permissions for `pith doctor`. */

import { accessSync, constants, existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join, relative } from "node:path";
import { describeRule, isHarmlessRule } from "@pith/agent";
import { findGitBash, projectRules, resolveRealPath } from "@pith/agent/node";
import { getPolicyLocation, readPolicy } from "@pith/host/policy/policy-file";
import { keyFilePath, readKeyFile } from "@pith/host/settings/provider-keys";
import { formatBytes, formatCount } from "@pith/host/text/format";
import { type Provider, providers } from "@pith/models";
import { auditFolderPath, listAuditFiles } from "../../app/audit-log.ts";
import type { SubcommandCall } from "../../args/subcommand.ts";
import { loadSettings } from "../../settings/resolve.ts";
import { checkTrust } from "../../trust/trust.ts";

export interface Check {
  /** What was checked, in one or two words. */
  readonly name: string;
  /** With an error, something does not work. A warning may need attention. */
  readonly state: "ok" | "warning" | "error";
  /** The result, for the user. */
  readonly message: string;
  /** What to do about it. Absent if there is nothing to do. */
  readonly advice?: string;
}

export function ok(name: string, message: string): Check {
  return { name, state: "ok", message };
}

export function warning(name: string, message: string, advice: string): Check {
  return { name, state: "warning", message, advice };
}

export function failure(name: string, message: string, advice: string): Check {
  return { name, state: "error", message, advice };
}

/** Never a warning, because completions may be installed in other places too. */
export async function checkCompletions({ environment }: SubcommandCall): Promise<Check> {
  const shell = basename(environment.SHELL ?? "");
  const relativePath = COMPLETION_PATHS[shell];
  if (relativePath === undefined)
    return ok("completions", "available for bash, zsh and fish; see pith completions --help");
  const path = join(homedir(), relativePath);
  if (existsSync(path)) return ok("completions", path);
  return ok("completions", `none in ${path}; to install them, see pith completions ${shell} --help`);
}

const COMPLETION_PATHS: Readonly<Record<string, string>> = {
  bash: ".local/share/bash-completion/completions/pith",
  zsh: ".zfunc/_pith",
  fish: ".config/fish/completions/pith.fish",
};

export async function checkDisk({ home }: SubcommandCall): Promise<readonly Check[]> {
  return [await checkFreeSpace(home), await checkSqlite()];
}

async function checkFreeSpace(home: string): Promise<Check> {
  const freeSpace = await readFreeBytes(home);
  if (freeSpace === null) return warning("disk", "free space unknown", "check it with: df -h");
  const message = `${formatBytes(freeSpace)} free`;
  if (freeSpace < MIN_FREE_BYTES)
    return failure("disk", message, "free some space, or Pith will soon be unable to save anything");
  return freeSpace < LOW_SPACE_BYTES
    ? warning("disk", message, "free some space; pith sessions stats shows the size of your sessions")
    : ok("disk", message);
}

/** Returns the free space on the disk of the home, which may not exist yet. */
async function readFreeBytes(path: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  } catch {
    // The folder does not exist yet. Its parent folder is on the same disk.
    return dirname(path) === path ? null : await readFreeBytes(dirname(path));
  }
}

const MIN_FREE_BYTES = 64 * 1024 * 1024;

const LOW_SPACE_BYTES = 1024 * 1024 * 1024;

async function checkSqlite(): Promise<Check> {
  try {
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE VIRTUAL TABLE words USING fts5(text)");
    database.close();
    return ok("SQLite", "full-text search (FTS5) available");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return warning(
      "SQLite",
      `full-text search is not available: ${reason}`,
      "pith sessions search requires a Node build with SQLite and FTS5",
    );
  }
}

/** Checks policy, settings and keys. Keys are never shown. */
export async function checkConfiguration(call: SubcommandCall): Promise<readonly Check[]> {
  const policy = await checkPolicy();
  // Settings cannot be read without a valid policy.
  const settings = policy.state === "error" ? [] : [await checkSettings(call)];
  return [policy, ...settings, await checkProviderKeys(call)];
}

async function checkPolicy(): Promise<Check> {
  const { path, ownerId } = getPolicyLocation();
  const result = await readPolicy();
  if (result.type === "mistake")
    return failure("policy", result.message, "only an administrator can fix it; see docs/policy.md");
  if (result.type === "none") return ok("policy", `none (${path} does not exist)`);
  const limitNames = Object.entries(result.policy).flatMap(([name]) => (name === "path" ? [] : [name]));
  const ownershipNote = ownerId === null ? "; whether you can change it is not checked on this system" : "";
  return ok("policy", `${path} limits ${limitNames.join(", ") || "nothing"}${ownershipNote}`);
}

async function checkSettings({ home, environment }: SubcommandCall): Promise<Check> {
  const resolved = await loadSettings({}, { home, environment });
  if (resolved.type === "mistake")
    return failure("settings", resolved.message, "fix it; Pith does not start until then");
  const [firstNote] = resolved.notes;
  if (firstNote !== undefined)
    return warning("settings", resolved.notes.join("; "), "pith settings shows the effective values");
  return ok(
    "settings",
    resolved.settings.model === undefined
      ? "valid; no model is set, so the default is used"
      : `model ${resolved.settings.model}`,
  );
}

async function checkProviderKeys({ home, environment }: SubcommandCall): Promise<Check> {
  const keyFile = await readKeyFile(keyFilePath(home));
  if (keyFile.type === "mistake")
    return failure("API keys", keyFile.message, "fix it; the keys in this file are not used until then");
  const hasKeyVariable = ({ keyVariables }: Provider): boolean =>
    keyVariables.some((name) => environment[name]?.trim());
  const configuredProviders = providers.filter(
    (provider) => !provider.isLocal && (hasKeyVariable(provider) || Object.hasOwn(keyFile.keys, provider.id)),
  );
  const unknownCount = Object.keys(keyFile.keys).filter((name) => !providers.some(({ id }) => id === name)).length;
  // Unknown names are only counted, never shown: if the user swapped name and key, the name is the key.
  if (unknownCount > 0)
    return warning("API keys", describeUnknownKeys(unknownCount, home), `valid names: ${formatProviderIds()}`);
  if (configuredProviders.length > 0) return ok("API keys", `${configuredProviders.map(({ id }) => id).join(", ")}`);
  return warning(
    "API keys",
    "no API key found",
    "run pith login, or set ANTHROPIC_API_KEY or another provider's variable",
  );
}

function describeUnknownKeys(count: number, home: string): string {
  const problem = count === 1 ? "has an unknown provider name" : "have unknown provider names";
  return `${formatCount(count, "key")} in ${keyFilePath(home)} ${problem}`;
}

function formatProviderIds(): string {
  return providers
    .filter(({ isLocal }) => !isLocal)
    .map(({ id }) => id)
    .join(", ");
}

export async function checkMachine(call: SubcommandCall): Promise<readonly Check[]> {
  return [checkNode(process.versions.node), ...checkBash(call, process.platform), await checkRipgrep(call)];
}

/** Only checked on Windows, because other systems have bash. */
export function checkBash({ environment, cwd }: SubcommandCall, platform: NodeJS.Platform): readonly Check[] {
  if (platform !== "win32") return [];
  const bashPath = findGitBash(environment, cwd);
  const advice = "install Git for Windows, which includes Git Bash, or run Pith in WSL 2; see docs/platforms.md";
  return bashPath === null
    ? [failure("bash", "not found; Pith cannot run commands without it", advice)]
    : [
        warning(
          "bash",
          bashPath,
          "Pith is not well tested on native Windows; WSL 2 is recommended, see docs/platforms.md",
        ),
      ];
}

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return ok("Node", version);
  return failure("Node", version, "install Node 22.19 or newer");
}

async function checkRipgrep({ environment, cwd }: SubcommandCall): Promise<Check> {
  const bundledPath = await import("@vscode/ripgrep").then(
    ({ rgPath }) => rgPath,
    () => null,
  );
  const ripgrepPath =
    bundledPath !== null && isExecutable(bundledPath) ? bundledPath : findRipgrepOnPath(environment.PATH ?? "", cwd);
  if (ripgrepPath !== null) return ok("ripgrep", ripgrepPath);
  return warning("ripgrep", "not found; Pith uses its slower built-in search", "install ripgrep to search faster");
}

/** Ignores folders in the project, because a program there is not trusted. */
function findRipgrepOnPath(path: string, cwd: string): string | null {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder) && isOutside(folder, cwd));
  return folders.map((folder) => join(folder, "rg")).find(isExecutable) ?? null;
}

function isOutside(folder: string, cwd: string): boolean {
  const relativePath = relative(cwd, folder);
  return relativePath.startsWith("..") || isAbsolute(relativePath);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // The file does not exist or is not executable.
    return false;
  }
}

export async function checkFolderTrust({ cwd, home }: SubcommandCall): Promise<Check> {
  const folder = await checkTrust({ cwd, home, userHome: homedir() });
  const { root, files } = folder.project;
  if (files.length === 0) return ok("trust", `${root} contains nothing that requires trust`);
  const filesText = `${root} contains ${formatCount(files.length, "file")} with settings, skills or commands`;
  if (folder.type === "trusted") return ok("trust", `${filesText}, all trusted`);
  const reason = folder.reason === "changed" ? "changed since you trusted them" : "not trusted";
  return warning(
    "trust",
    `${filesText}; ${reason}, so they are ignored`,
    "review them with pith trust --show, then run pith trust",
  );
}

export async function checkPermissions(call: SubcommandCall): Promise<readonly Check[]> {
  return [await checkRules(call), await checkAuditLog(call)];
}

/** Warns about broad prefix rules. Pith offers them only for harmless commands; others were written by hand or by an earlier version. */
async function checkRules({ home, cwd }: SubcommandCall): Promise<Check> {
  const file = join(home, "permissions.json");
  const workspace = (await resolveRealPath(cwd)) ?? cwd;
  const rules = await projectRules({ file, workspace, notify: () => {}, tools: ["mcp_call"] }).load();
  const broadRules = rules.filter((rule) => !isHarmlessRule(rule));
  if (broadRules.length === 0)
    return ok("rules", `${formatCount(rules.length, "rule")} remembered for this folder in ${file}`);
  const [first] = broadRules;
  const message = `${broadRules.map(({ text }) => text).join(", ")} in ${file}: ${first ? describeRule(first) : ""}, so it can write, run and send anything`;
  return warning(
    "rules",
    message,
    "remove the rules you do not need; an exact rule, such as bash(npm test), allows only that command",
  );
}

async function checkAuditLog({ home, environment }: SubcommandCall): Promise<Check> {
  const resolved = await loadSettings({}, { home, environment });
  const folder = auditFolderPath(home);
  if (resolved.type !== "mistake" && resolved.settings.auditLog === false)
    return ok("audit log", "turned off by the setting auditLog");
  const fileCount = existsSync(folder) ? listAuditFiles(folder).length : 0;
  return ok(
    "audit log",
    fileCount === 0 ? `none yet; Pith will write it to ${folder}` : `${formatCount(fileCount, "file")} in ${folder}`,
  );
}
