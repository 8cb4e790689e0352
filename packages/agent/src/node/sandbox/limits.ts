/** Limits the memory, the processes and the temporary files of a sandboxed command: watches them while it runs, and stops it at a limit. */

import { type BigIntStats, type Dir, lstatSync, opendirSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { release, totalmem } from "node:os";
import { join } from "node:path";
import { setImmediate as yieldToEvents } from "node:timers/promises";

/** What all processes of one command may use together. */
export interface CommandLimits {
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly processes: number;
  /** The size of the private `/tmp`, which the commands of a session share. */
  readonly temporaryBytes: number;
}

export const BYTES_PER_GB = 1e9;

/** Limits that ordinary work does not meet. */
export function defaultLimits(): CommandLimits {
  // In a container, the memory of the machine is not what its processes get.
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
  return { memoryBytes: Math.floor(memory * MEMORY_SHARE), processes: 4_096, temporaryBytes: 10 * BYTES_PER_GB };
}

/** The share of the machine's memory that one command may use. */
const MEMORY_SHARE = 0.8;

/** Stops watching. */
export type StopWatching = () => void;

/** Watches a command from its start, by the process that was started for it. `stop` gets what to tell the user and the model. */
export type WatchCommand = (pid: number, stop: (message: string) => void) => StopWatching;

/** How often a command is checked. */
const INTERVAL_MS = 250;
/** A check that takes long is repeated less often, so that all checks take at most this share of the time. */
const MAX_TIME_SHARE = 0.05;

/** One for each shell, because its commands share the temporary folder. */
export class LimitWatcher {
  readonly #limits: CommandLimits;
  readonly #temporary: FolderSize;

  constructor(limits: CommandLimits, temporary: string) {
    this.#limits = limits;
    this.#temporary = new FolderSize(temporary);
  }

  readonly watch: WatchCommand = (pid, stop) => {
    const startedAt = performance.now();
    let [isStopped, smallestBytes] = [false, Number.POSITIVE_INFINITY];
    let timer: NodeJS.Timeout;
    const checkTemporary = async (): Promise<string | null> => {
      const { bytes, measuredAt } = await this.#temporary.measure();
      if (measuredAt < startedAt) return null;
      // A command that removes files must not be stopped, however large the folder still is.
      smallestBytes = Math.min(smallestBytes, bytes);
      return bytes > smallestBytes ? findTemporaryProblem(bytes, this.#limits) : null;
    };
    const check = async (): Promise<void> => {
      const checkedAt = performance.now();
      const problem = (await findProcessProblem(pid, this.#limits)) ?? (await checkTemporary());
      if (isStopped) return;
      if (problem !== null) stop(problem);
      else schedule((performance.now() - checkedAt) / MAX_TIME_SHARE);
    };
    const schedule = (delayMs: number): void => {
      timer = setTimeout(() => void check(), Math.max(INTERVAL_MS, delayMs)).unref();
    };
    schedule(INTERVAL_MS);
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  };
}

/** Reads two small files; all processes only if the whole machine uses as much as the command may. Finds nothing without `/proc`. */
async function findProcessProblem(pid: number, limits: CommandLimits): Promise<string | null> {
  const { memoryBytes, processes } = limits;
  if (countThreadsOfMachine() <= processes && readUsedMemory() <= memoryBytes) return null;
  const members = findMembers(pid);
  const count = sum(members.map(({ threads }) => threads));
  if (count > processes)
    return `command killed: it had ${count} processes and threads; the limit is ${processes} (setting sandboxProcesses)`;
  if (sum(members.map((member) => member.memoryBytes)) <= memoryBytes) return null;
  const usedBytes = sum(await Promise.all(members.map(readProportionalMemory)));
  if (usedBytes <= memoryBytes) return null;
  return formatMemoryProblem(limits, usedBytes);
}

/** `usedBytes` is unknown if the kernel killed the command. */
export function formatMemoryProblem({ memoryBytes }: CommandLimits, usedBytes?: number): string {
  const used = usedBytes === undefined ? `more than ${formatGB(memoryBytes)}` : formatGB(usedBytes);
  return `command killed: its processes used ${used} of memory; the limit is ${formatGB(memoryBytes)} (setting sandboxMemoryGB)`;
}

function findTemporaryProblem(bytes: number, { temporaryBytes }: CommandLimits): string | null {
  if (bytes <= temporaryBytes) return null;
  return `command killed: its private /tmp has ${formatGB(bytes)} of files; the limit is ${formatGB(temporaryBytes)} (setting sandboxTmpGB). Remove files in /tmp that are not needed`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function formatGB(bytes: number): string {
  return `${Number((bytes / BYTES_PER_GB).toPrecision(3))} GB`;
}

/** The fourth field is `running/all`. */
function countThreadsOfMachine(): number {
  return Number(/\/(\d+)/.exec(readText("/proc/loadavg"))?.[1] ?? 0);
}

/** Memory that the kernel cannot take back, and swap. */
function readUsedMemory(): number {
  const text = readText("/proc/meminfo");
  const free = readKilobytes(text, "MemAvailable") + readKilobytes(text, "SwapFree");
  return readKilobytes(text, "MemTotal") + readKilobytes(text, "SwapTotal") - free;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly threads: number;
  /** Counts memory that processes share once for each. */
  readonly memoryBytes: number;
}

/** The process and its descendants. Orphans in a sandbox become children of its first process. */
export function findMembers(pid: number): readonly Process[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const processes = pids.flatMap((name) => readProcess(Number(name)));
  const byParent = Map.groupBy(processes, ({ parent }) => parent);
  const members = processes.filter((each) => each.pid === pid);
  // Grows while it is read.
  for (const member of members) members.push(...(byParent.get(member.pid) ?? []));
  return members;
}

/** Empty if the process has ended. */
function readProcess(pid: number): readonly Process[] {
  const text = readText(`/proc/${pid}/status`);
  if (text === "") return [];
  const numberAt = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
  const memoryBytes = sum(["RssAnon", "RssShmem", "VmSwap"].map((name) => readKilobytes(text, name)));
  return [{ pid, parent: numberAt("PPid"), threads: numberAt("Threads"), memoryBytes }];
}

/** Divides shared memory among its processes. Reads the page tables, which takes up to 100 ms for 10 GB. */
async function readProportionalMemory({ pid, memoryBytes }: Process): Promise<number> {
  // The file is missing in kernels before 4.14, and of a process that has ended.
  const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
  if (!text.includes("Pss_Anon")) return memoryBytes;
  return sum(["Pss_Anon", "Pss_Shmem", "SwapPss"].map((name) => readKilobytes(text, name)));
}

function readKilobytes(text: string, name: string): number {
  return 1_024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
}

/** Empty if the file cannot be read. */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

interface FolderMeasurement {
  readonly bytes: number;
  /** When the measurement began. */
  readonly measuredAt: number;
}

const MEASURE_INTERVAL_MS = 1_000;
/** A folder with many files is measured less often, so that this share of the time is spent. */
const MEASURE_TIME_SHARE = 0.02;
/** Entries that are read before other work gets a turn. */
const ENTRIES_PER_TURN = 250;

/** The size of a folder on disk, measured again only when that is due. */
class FolderSize {
  readonly #folder: string;
  #measurement: Promise<FolderMeasurement> | null = null;
  #nextAt = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Several commands that run at once get the same measurement. */
  measure(): Promise<FolderMeasurement> {
    const measuredAt = performance.now();
    if (this.#measurement !== null && measuredAt < this.#nextAt) return this.#measurement;
    this.#nextAt = Number.POSITIVE_INFINITY;
    this.#measurement = measureFolder(this.#folder).then((bytes) => {
      const now = performance.now();
      this.#nextAt = now + Math.max(MEASURE_INTERVAL_MS, (now - measuredAt) / MEASURE_TIME_SHARE);
      return { bytes, measuredAt };
    });
    return this.#measurement;
  }
}

/**
 * A command may replace a folder by a link while it is read: then sizes of another folder are added, and nothing else is done with it.
 * Files in folders that cannot be read, and open files without a name, are not counted.
 */
async function measureFolder(root: string): Promise<number> {
  const linkedFiles = new Set<bigint>();
  const folders = [root];
  let [bytes, count] = [0, 0];
  for (const folder of folders) {
    for (const path of listPaths(folder)) {
      count += 1;
      if (count % ENTRIES_PER_TURN === 0) await yieldToEvents();
      const stats = readStats(path);
      if (stats === null || linkedFiles.has(stats.ino)) continue;
      if (stats.isDirectory()) folders.push(path);
      else if (stats.nlink > 1n) linkedFiles.add(stats.ino);
      bytes += Number(stats.blocks) * 512;
    }
  }
  return bytes;
}

/** Null if it was removed, or if a command took the permission away. */
function readStats(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return null;
  }
}

/** One entry at a time: a folder may have millions. */
function* listPaths(folder: string): Generator<string> {
  const entries = openFolder(folder);
  try {
    for (let entry = entries?.readSync(); entry; entry = entries?.readSync()) yield join(folder, entry.name);
  } finally {
    entries?.closeSync();
  }
}

/** Null if it was removed, or if a command took the permission away. */
function openFolder(path: string): Dir | null {
  try {
    return opendirSync(path);
  } catch {
    return null;
  }
}

/** Before 5.14 the kernel counts all processes of the user, not those in the sandbox. */
const FIRST_KERNEL = [5, 14] as const;

/** Whether a limit that a command line sets applies: to all users but root. */
export function hasProcessLimit(): boolean {
  return countsProcessesBySandbox(release()) && process.getuid?.() !== 0;
}

function countsProcessesBySandbox(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split(".").map((part) => Number.parseInt(part, 10));
  const [firstMajor, firstMinor] = FIRST_KERNEL;
  return major > firstMajor || (major === firstMajor && minor >= firstMinor);
}

/** A little above the limit, so that the watch still finds a command that creates processes faster than it looks. */
export function kernelProcessLimit({ processes }: CommandLimits): number {
  return processes + Math.max(16, Math.ceil(processes / 8));
}

/** Shell code that makes the kernel refuse more processes. It does not apply to root. */
export function limitProcessesScript(limits: CommandLimits, kernel: string = release()): string {
  if (!countsProcessesBySandbox(kernel)) return "";
  const count = kernelProcessLimit(limits);
  // The option is `-p` in dash and `-u` in bash, where `-p` cannot be set.
  return `ulimit -p ${count} 2>/dev/null || ulimit -u ${count} 2>/dev/null; `;
}
