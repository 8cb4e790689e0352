/**
 * Finds versions of the lockfile that were published too recently: most malicious releases are found and taken back within days. The
 * times come from the configured registry. A version whose time cannot be had is a fault, never a pass.
 */

import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Fault } from "../fault.ts";

export const LOCKFILE = "pnpm-lock.yaml";

export interface LockedVersion {
  readonly name: string;
  readonly version: string;
  /** Of the lockfile. */
  readonly line: number;
}

/** Every version that the lockfile has from a registry. */
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
  /** `name@version` of those that may be younger; the reason stands beside each in pnpm-workspace.yaml. */
  readonly exceptions: readonly string[];
}

/** Read from pnpm-workspace.yaml, so that pnpm and this check hold the same. */
export function parseAgeSettings(workspace: string): AgeSettings {
  const minutes = /^minimumReleaseAge: (\d+)$/m.exec(workspace)?.[1];
  if (minutes === undefined)
    throw new Error("pnpm-workspace.yaml has no minimumReleaseAge; write minimumReleaseAge: 4320");
  const [, list = ""] = /^minimumReleaseAgeExclude:\n((?: {2}.*\n)*)/m.exec(workspace) ?? [];
  const exceptions = [...list.matchAll(/^ {2}- ["']?([^"'#\s]+)["']?/gm)].map(([, each = ""]) => each);
  return { minimumMinutes: Number(minutes), exceptions };
}

/** By `name@version`, when it was published. */
export type ReleaseTimes = ReadonlyMap<string, string>;

export interface RegistryOptions {
  /** With a slash at its end. */
  readonly registry: string;
  /** Where known times are kept: they never change. */
  readonly cache: string;
}

export interface ReleaseTimesResult {
  readonly times: ReleaseTimes;
  /** By package, why the registry did not say. */
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
  const askNext = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [name, wantedVersions] = next;
      const answer = await fetchTimes(name, options.registry);
      if (typeof answer === "string") failures.set(name, answer);
      else
        for (const each of wantedVersions)
          if (answer[each.version]) times.set(versionKey(each), String(answer[each.version]));
    }
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL }, askNext));
  if (byName.size > 0) writeCache(options.cache, times);
  return { times, failures };
}

const MAX_PARALLEL = 16;
const TIMEOUT_MS = 15_000;

/** By version; or why there is no answer. */
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
    // Broken off while it was written: everything is asked for again.
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
    sentence: `minimumReleaseAgeExclude names ${each}, which is not in ${LOCKFILE}; take it out`,
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
  if (time === undefined) return "the registry does not know when it was published";
  const minutes = Math.floor((now - Date.parse(time)) / 60_000);
  if (minutes >= minimumMinutes) return null;
  if (Number.isNaN(minutes)) return `the registry gives "${time}" for a time`;
  return `published ${time}, ${minutes} minutes ago; wait until ${minimumMinutes} have passed, or choose an older version`;
}

function versionKey({ name, version }: Pick<LockedVersion, "name" | "version">): string {
  return `${name}@${version}`;
}
