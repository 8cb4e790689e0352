/** Checks completions, disk, settings, keys, the machine and trust for `pith doctor`. */

import { accessSync, constants, existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join, relative } from "node:path";
import { findGitBash } from "@pith/agent/node";
import { type Provider, providers } from "@pith/models";
import type { Call } from "../../args/subcommand.ts";
import { policyPlace, readPolicy } from "../../policy/policy-file.ts";
import { keyFile, readKeyFile } from "../../settings/keys.ts";
import { choose } from "../../settings/resolve.ts";
import { bytesTold, counted } from "../../text/format.ts";
import { trustedFolder } from "../../trust/trust.ts";

export interface Check {
  /** What was looked at, in a word or two. */
  readonly name: string;
  /** A warning is worth a look; with a fault something does not work. */
  readonly state: "ok" | "warning" | "fault";
  /** What was found. */
  readonly says: string;
  /** What to do, where there is something. */
  readonly advice?: string;
}

export function ok(name: string, says: string): Check {
  return { name, state: "ok", says };
}

export function warning(name: string, says: string, advice: string): Check {
  return { name, state: "warning", says, advice };
}

export function fault(name: string, says: string, advice: string): Check {
  return { name, state: "fault", says, advice };
}

/** Never more than a hint: there are many places where they may lie. */
export async function completionCheck({ environment }: Call): Promise<Check> {
  const shell = basename(environment.SHELL ?? "");
  const place = PLACES[shell];
  if (place === undefined) return ok("completions", "for bash, zsh and fish: pith completions --help");
  const path = join(homedir(), place);
  if (existsSync(path)) return ok("completions", path);
  return ok("completions", `none in ${path}; pith completions ${shell} --help says how to have them`);
}

export const PLACES: Readonly<Record<string, string>> = {
  bash: ".local/share/bash-completion/completions/pith",
  zsh: ".zfunc/_pith",
  fish: ".config/fish/completions/pith.fish",
};

export async function diskChecks({ home }: Call): Promise<readonly Check[]> {
  return [await spaceCheck(home), await sqliteCheck()];
}

async function spaceCheck(home: string): Promise<Check> {
  const free = await freeBytes(home);
  if (free === null) return warning("disk", "nobody says how much room there is", "look at it with: df -h");
  const says = `${bytesTold(free)} free`;
  if (free < LEAST) return fault("disk", says, "free some space: nothing can be kept soon");
  return free < ENOUGH ? warning("disk", says, "free some space, or look at: pith sessions stats") : ok("disk", says);
}

/** Of the home, or of where it will be. */
async function freeBytes(path: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(path);
    return bavail * bsize;
  } catch {
    // Not made yet: the folder above it lies on the same disk.
    return dirname(path) === path ? null : await freeBytes(dirname(path));
  }
}

const LEAST = 64 * 1024 * 1024;
const ENOUGH = 1024 * 1024 * 1024;

async function sqliteCheck(): Promise<Check> {
  try {
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(":memory:");
    database.exec("CREATE VIRTUAL TABLE words USING fts5(text)");
    database.close();
    return ok("SQLite", "with full-text search (FTS5)");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return warning("SQLite", `no full-text search: ${why}`, "pith sessions search needs a Node with SQLite and FTS5");
  }
}

/** Keys are counted, never shown. */
export async function keyChecks(call: Call): Promise<readonly Check[]> {
  const policy = await policyCheck();
  // Settings are not read before the policy is.
  const settings = policy.state === "fault" ? [] : [await settingsCheck(call)];
  return [policy, ...settings, await providerCheck(call)];
}

async function policyCheck(): Promise<Check> {
  const { path, owner } = policyPlace();
  const read = await readPolicy();
  if (read.type === "mistake")
    return fault("policy", read.message, "only an administrator can mend it; docs/policy.md says how it has to be");
  if (read.type === "none") return ok("policy", `none (there is no ${path})`);
  const items = Object.entries(read.policy).flatMap(([name]) => (name === "path" ? [] : [name]));
  const unchecked = owner === null ? "; whether you could change it is not checked on this system" : "";
  return ok("policy", `${path} limits ${items.join(", ") || "nothing"}${unchecked}`);
}

async function settingsCheck({ home, environment }: Call): Promise<Check> {
  const chosen = await choose({}, { home, environment });
  if (chosen.type === "mistake") return fault("settings", chosen.message, "mend that; nothing is started until then");
  const [note] = chosen.notes;
  if (note !== undefined) return warning("settings", chosen.notes.join("; "), "pith settings shows what holds");
  return ok("settings", chosen.choices.model === undefined ? "no model is set" : `model ${chosen.choices.model}`);
}

async function providerCheck({ home, environment }: Call): Promise<Check> {
  const read = await readKeyFile(keyFile(home));
  if (read.type === "mistake") return fault("keys", read.message, "mend that; until then no key is taken from there");
  const inEnvironment = ({ keyVariables }: Provider): boolean => keyVariables.some((name) => environment[name]?.trim());
  const found = providers.filter((each) => !each.isLocal && (inEnvironment(each) || Object.hasOwn(read.keys, each.id)));
  const strange = Object.keys(read.keys).filter((name) => !providers.some(({ id }) => id === name)).length;
  // Never by its name: whoever mixed up the two sides of the colon has a key for one.
  if (strange > 0) return warning("keys", strangeTold(strange, home), `the names are ${ids()}`);
  if (found.length > 0) return ok("keys", `for ${found.map(({ id }) => id).join(", ")}`);
  return warning(
    "keys",
    "there is none",
    `set ANTHROPIC_API_KEY or another, or write one into ${keyFile(home)} (chmod 600)`,
  );
}

function strangeTold(count: number, home: string): string {
  const stand = count === 1 ? "stands under a name that is" : "stand under names that are";
  return `${counted(count, "key")} of ${keyFile(home)} ${stand} no provider's`;
}

function ids(): string {
  return providers
    .filter(({ isLocal }) => !isLocal)
    .map(({ id }) => id)
    .join(", ");
}

export async function machineChecks(call: Call): Promise<readonly Check[]> {
  return [nodeCheck(process.versions.node), ...bashChecks(call, process.platform), await ripgrepCheck(call)];
}

/** Elsewhere than on Windows it is there. */
export function bashChecks({ environment, cwd }: Call, platform: NodeJS.Platform): readonly Check[] {
  if (platform !== "win32") return [];
  const found = findGitBash(environment, cwd);
  const advice = "install Git for Windows, which brings Git Bash, or run Pith in WSL 2; docs/platforms.md says more";
  return found === null
    ? [fault("bash", "there is none, so no command can be run", advice)]
    : [warning("bash", found, "Pith on Windows itself is little tried; WSL 2 is the safe way, see docs/platforms.md")];
}

function nodeCheck(version: string): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return ok("Node", version);
  return fault("Node", version, "install Node 22.19 or newer");
}

async function ripgrepCheck({ environment, cwd }: Call): Promise<Check> {
  const own = await import("@vscode/ripgrep").then(
    ({ rgPath }) => rgPath,
    () => null,
  );
  const found = own !== null && isProgram(own) ? own : onPath(environment.PATH ?? "", cwd);
  if (found !== null) return ok("ripgrep", found);
  return warning("ripgrep", "there is none, so searches walk through the files", "install ripgrep to search faster");
}

/** Never one of the project's own. */
function onPath(path: string, cwd: string): string | null {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder) && isOutside(folder, cwd));
  return folders.map((folder) => join(folder, "rg")).find(isProgram) ?? null;
}

function isOutside(folder: string, cwd: string): boolean {
  const way = relative(cwd, folder);
  return way.startsWith("..") || isAbsolute(way);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not to be run: both are an answer.
    return false;
  }
}

export async function trustCheck({ cwd, home }: Call): Promise<Check> {
  const folder = await trustedFolder({ cwd, home, userHome: homedir() });
  const { root, files } = folder.holds;
  if (files.length === 0) return ok("trust", `${root} holds nothing that would need it`);
  const held = `${root} holds ${counted(files.length, "file")} with settings, skills or commands`;
  if (folder.type === "trusted") return ok("trust", `${held}, and you trust them`);
  const why = folder.why === "changed" ? "which have changed since you trusted them" : "which nobody has trusted";
  return warning("trust", `${held}, ${why}; they do not count`, "look at them, then: pith trust");
}
