/**
 * `node scripts/check-supply-chain.ts [ROOT]`: checks that GitHub workflows pin every action to a commit and limit their permissions. With
 * `--release-age` it checks that every version of the lockfile was published long enough ago: most malicious releases are found and removed
 * within days. The times come from the configured registry; a version without a known time is a fault, never a pass.
 *
 * The job that publishes runs without installed dependencies and imports this file, so it imports only Node.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Fault, formatCount, formatFault, sortFaults } from "./fault.ts";

async function runScript(): Promise<void> {
  const options = { "release-age": { type: "boolean" } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const root = resolve(positionals[0] ?? `${import.meta.dirname}/..`);
  const faults = values["release-age"] ? await printReleaseAges(root) : printWorkflows(root);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

function printWorkflows(root: string): readonly Fault[] {
  const faults = sortFaults(checkWorkflows(root));
  for (const fault of faults) console.log(formatFault(fault));
  const files = listWorkflowFiles(root);
  console.log(`workflows: ${formatCount(files.length, "file")}, ${formatCount(faults.length, "fault")}`);
  return faults;
}

async function printReleaseAges(root: string): Promise<readonly Fault[]> {
  const settings = parseAgeSettings(readFileSync(join(root, "pnpm-workspace.yaml"), "utf8"));
  const versions = listLockedVersions(readFileSync(join(root, LOCKFILE), "utf8"));
  const registry = execFileSync("pnpm", ["config", "get", "registry"], { cwd: root, encoding: "utf8" }).trim();
  const cache = join(root, ".tools", "release-times.json");
  const releaseTimes = await findReleaseTimes(versions, { registry: registry.replace(/\/*$/, "/"), cache });
  const faults = sortFaults(checkReleaseAges({ ...settings, ...releaseTimes, versions, now: Date.now() }));

  for (const fault of faults.slice(0, MAX_PRINTED)) console.log(formatFault(fault));
  if (faults.length > MAX_PRINTED) console.log(`and ${faults.length - MAX_PRINTED} more`);
  const days = settings.minimumMinutes / (24 * 60);
  console.log(
    `release age: ${formatCount(versions.length, "version")}, at least ${days} days old, ${formatCount(faults.length, "fault")}`,
  );
  return faults;
}

const MAX_PRINTED = 40;

const WORKFLOW_FOLDER = ".github";

export function checkWorkflows(root: string): readonly Fault[] {
  return listWorkflowFiles(root).flatMap((path) => checkWorkflow(path, readFileSync(join(root, path), "utf8")));
}

function listWorkflowFiles(root: string): readonly string[] {
  if (!existsSync(join(root, WORKFLOW_FOLDER))) return [];
  const names = readdirSync(join(root, WORKFLOW_FOLDER), { recursive: true, encoding: "utf8" });
  return names.filter((name) => /\.ya?ml$/.test(name)).map((name) => join(WORKFLOW_FOLDER, name));
}

function checkWorkflow(path: string, text: string): readonly Fault[] {
  const lines = text.split("\n");
  const actions = lines.flatMap((line, index) =>
    checkAction(line).map((sentence) => ({ path, line: index + 1, sentence })),
  );
  const isWorkflow = path.startsWith(join(WORKFLOW_FOLDER, "workflows"));
  if (!isWorkflow || lines.some((line) => /^permissions:(?!.*write)/.test(line))) return actions;
  return [
    { path, line: 1, sentence: "has no permissions for all jobs; write permissions: contents: read" },
    ...actions,
  ];
}

/** A line that may name an action must have the one form that can be checked without a YAML parser. */
function checkAction(line: string): readonly string[] {
  const code = line.replace(/^\s*#.*/, "");
  if (!/(?:^|[\s{,"'-])uses["']?\s*:/.test(code) || PINNED_ACTION.test(code) || LOCAL_ACTION.test(code)) return [];
  return ["names an action without its commit; write uses: owner/name@40-HEX-DIGITS # v1.2.3"];
}

const PINNED_ACTION = /^\s*(?:- )?uses: [\w.-]+\/[\w.-]+(?:\/[\w./-]+)?@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
const LOCAL_ACTION = /^\s*(?:- )?uses: \.\/[\w./-]+$/;

export const LOCKFILE = "pnpm-lock.yaml";

export interface LockedVersion {
  readonly name: string;
  readonly version: string;
  /** The line in the lockfile. */
  readonly line: number;
}

/** Lists every version that the lockfile takes from a registry. */
export function listLockedVersions(lockfile: string): readonly LockedVersion[] {
  const lines = lockfile.split("\n");
  const [first, last] = [lines.indexOf("packages:"), lines.indexOf("snapshots:")];
  if (first < 0 || last < first)
    throw new Error(`${LOCKFILE} has no packages and snapshots; is it of lockfileVersion 9?`);
  return lines.slice(first, last).flatMap((text, index) => {
    const [, name = "", version = ""] = /^ {2}'?((?:@[^/@\s]+\/)?[^/@\s']+)@([^'\s]+?)'?:$/.exec(text) ?? [];
    return name === "" ? [] : [{ name, version, line: first + index + 1 }];
  });
}

export interface AgeSettings {
  readonly minimumMinutes: number;
  /** `name@version` of versions that may be younger. Each has its reason in pnpm-workspace.yaml. */
  readonly exceptions: readonly string[];
}

/** Reads pnpm-workspace.yaml, so that pnpm and this check use the same settings. */
export function parseAgeSettings(workspace: string): AgeSettings {
  const minutes = /^minimumReleaseAge: (\d+)$/m.exec(workspace)?.[1];
  if (minutes === undefined)
    throw new Error("pnpm-workspace.yaml has no minimumReleaseAge; write minimumReleaseAge: 4320");
  const [, list = ""] = /^minimumReleaseAgeExclude:\n((?: {2}.*\n)*)/m.exec(workspace) ?? [];
  const exceptions = [...list.matchAll(/^ {2}- ["']?([^"'#\s]+)["']?/gm)].map(([, each = ""]) => each);
  return { minimumMinutes: Number(minutes), exceptions };
}

/** The time of publication by `name@version`. */
export type ReleaseTimes = ReadonlyMap<string, string>;

export interface RegistryOptions {
  /** Ends with a slash. */
  readonly registry: string;
  /** The file that caches known times, which never change. */
  readonly cache: string;
}

export interface ReleaseTimesResult {
  readonly times: ReleaseTimes;
  /** By package, why its times are not known. */
  readonly failures: ReadonlyMap<string, string>;
}

export async function findReleaseTimes(
  versions: readonly LockedVersion[],
  options: RegistryOptions,
): Promise<ReleaseTimesResult> {
  const times = new Map(readCache(options.cache));
  const failures = new Map<string, string>();
  const missing = versions.filter((each) => !times.has(versionKey(each)));
  const byName = Map.groupBy(missing, ({ name }) => name);
  const queue = [...byName];
  const fetchNext = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [name, wantedVersions] = next;
      const response = await fetchTimes(name, options.registry);
      if (typeof response === "string") failures.set(name, response);
      else
        for (const each of wantedVersions)
          if (response[each.version]) times.set(versionKey(each), String(response[each.version]));
    }
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL }, fetchNext));
  if (byName.size > 0) writeCache(options.cache, times);
  return { times, failures };
}

const MAX_PARALLEL = 16;
const TIMEOUT_MS = 15_000;

/** Returns the times by version, or why there are none. */
async function fetchTimes(name: string, registry: string): Promise<Readonly<Record<string, unknown>> | string> {
  try {
    const url = new URL(name.replace("/", "%2f"), registry);
    const response = await fetch(url, {
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) return `the registry answered ${response.status}`;
    const { time } = Object(await response.json()) as { readonly time?: unknown };
    return typeof time === "object" && time !== null
      ? (time as Readonly<Record<string, unknown>>)
      : "the registry gives no times";
  } catch (error) {
    const { cause, message } = error as Error;
    return `the registry cannot be reached: ${cause instanceof Error ? cause.message : message}`;
  }
}

function readCache(path: string): readonly (readonly [string, string])[] {
  if (!existsSync(path)) return [];
  try {
    return Object.entries(JSON.parse(readFileSync(path, "utf8")) as Readonly<Record<string, string>>);
  } catch {
    // The file is incomplete: everything is fetched again.
    return [];
  }
}

function writeCache(path: string, times: ReleaseTimes): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, JSON.stringify(Object.fromEntries(times)));
  renameSync(`${path}.new`, path);
}

export interface AgeCheck extends ReleaseTimesResult, AgeSettings {
  readonly versions: readonly LockedVersion[];
  /** In milliseconds. */
  readonly now: number;
}

export function checkReleaseAges({
  versions,
  times,
  failures,
  minimumMinutes,
  exceptions,
  now,
}: AgeCheck): readonly Fault[] {
  const unused = exceptions.filter((each) => !versions.some((version) => versionKey(version) === each));
  const unusedExceptions = unused.map((each) => ({
    ...{ path: "pnpm-workspace.yaml", line: 1 },
    sentence: `minimumReleaseAgeExclude names ${each}, which is not in ${LOCKFILE}; remove it`,
  }));
  const tooYoung = versions.flatMap((version) => {
    if (exceptions.includes(versionKey(version))) return [];
    const reason = failures.get(version.name) ?? findAgeFault(times.get(versionKey(version)), { minimumMinutes, now });
    return reason === null
      ? []
      : [{ path: LOCKFILE, line: version.line, sentence: `${versionKey(version)}: ${reason}` }];
  });
  return [...unusedExceptions, ...tooYoung];
}

function findAgeFault(
  time: string | undefined,
  { minimumMinutes, now }: Pick<AgeCheck, "minimumMinutes" | "now">,
): string | null {
  if (time === undefined) return "the registry has no time of publication for it";
  const minutes = Math.floor((now - Date.parse(time)) / 60_000);
  if (minutes >= minimumMinutes) return null;
  if (Number.isNaN(minutes)) return `the registry gives "${time}" for a time`;
  return `published ${time}, ${minutes} minutes ago; wait until ${minimumMinutes} have passed, or choose an older version`;
}

function versionKey({ name, version }: Pick<LockedVersion, "name" | "version">): string {
  return `${name}@${version}`;
}

if (import.meta.main) await runScript();
