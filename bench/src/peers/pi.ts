/** Downloads pi 1.5.0 into a git-ignored folder and runs it for comparison, in a network namespace. */

import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startWorker, type Worker } from "./worker.ts";

const PI_VERSION = "1.5.0";
const PEERS_FOLDER = join(import.meta.dirname, "../../../.peers");

/** Returns the entry file of pi's bundle, downloading it if necessary. */
export function fetchPi(): string {
  const folder = join(PEERS_FOLDER, `pi-${PI_VERSION}`);
  const entry = join(folder, "package/dist/bundle/index.js");
  if (existsSync(entry)) return entry;
  mkdirSync(PEERS_FOLDER, { recursive: true });
  const downloadFolder = mkdtempSync(join(PEERS_FOLDER, "fetching-"));
  const packageSpec = `@earendil-works/pi-coding-agent@${PI_VERSION}`;
  const name = execFileSync("npm", ["pack", packageSpec, "--silent", "--pack-destination", downloadFolder], {
    encoding: "utf8",
  }).trim();
  execFileSync("tar", ["xzf", join(downloadFolder, name.split("\n").at(-1) ?? ""), "-C", downloadFolder]);
  if (!existsSync(folder)) renameSync(downloadFolder, folder);
  return entry;
}

/** Writes a copy of the bundle file that plans compactions, with `prepareCompaction` exported. Returns its path. */
export function exposePlanning(): string {
  const chunks = join(fetchPi(), "../chunks");
  const target = join(chunks, "with-planning.js");
  if (existsSync(target)) return target;
  const text = readFileSync(findPiChunk("function prepareCompaction("), "utf8");
  const names = ["prepareCompaction", "findCutPoint"].filter((name) => !isExported(text, name));
  writeFileSync(`${target}.new`, `${text}\n${names.length > 0 ? `export{${names.join(",")}};` : ""}\n`);
  renameSync(`${target}.new`, target);
  return target;
}

/** Finds the file of the bundle that has a definition. */
export function findPiChunk(definition: string): string {
  const chunks = join(fetchPi(), "../chunks");
  const name = readdirSync(chunks).find((each) => readFileSync(join(chunks, each), "utf8").includes(definition));
  if (!name) throw new Error(`pi ${PI_VERSION} has no "${definition}" in its bundle`);
  return join(chunks, name);
}

function isExported(text: string, name: string): boolean {
  const [, list = ""] = /export\{([^}]*)\};?\s*$/.exec(text.slice(-100_000)) ?? [];
  return list.split(",").some((each) => each.trim().split(" as ").at(-1) === name);
}

/** The command prefix that runs a program without network. pi is not trusted with network access. */
export function noNetworkCommand(): readonly string[] {
  const candidates = [
    ["unshare", "-n"],
    ["unshare", "-r", "-n"],
  ];
  const working = candidates.find(([command = "", ...args]) => spawnSync(command, [...args, "true"]).status === 0);
  if (!working)
    throw new Error(
      "pi runs only without network, and `unshare -n` does not work here. Use Linux with user namespaces.",
    );
  return working;
}

/** Disables pi's telemetry and version check. */
export const PI_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? "",
  PI_OFFLINE: "1",
  PI_TELEMETRY: "0",
  PI_SKIP_VERSION_CHECK: "1",
};

export type Pi = Worker;

/** Starts pi. Send one request at a time, and stop it at the end. */
export function startPi(): Pi {
  const home = mkdtempSync(join(tmpdir(), "pith-pi-home-"));
  const program = join(import.meta.dirname, "pi-worker.mjs");
  const command = [...noNetworkCommand(), process.execPath, program, fetchPi(), exposePlanning()];
  const pi = startWorker("pi", command, { ...PI_ENVIRONMENT, HOME: home });
  return { ...pi, stop: () => pi.stop(() => rmSync(home, { recursive: true, force: true })) };
}

/** Returns pi's program and the command prefix that confines it to the loopback. If pi is not available, logs that it is skipped. */
export function findPi(log: (text: string) => void): {
  readonly pi?: string;
  readonly commandPrefix: readonly string[];
} {
  try {
    return { commandPrefix: loopbackCommand(), pi: join(fetchPi(), "../cli.js") };
  } catch (error) {
    log(`pi is skipped: ${error instanceof Error ? error.message : error}`);
    return { commandPrefix: [] };
  }
}

/** The command prefix that gives a program only the loopback of a new namespace. */
function loopbackCommand(): readonly string[] {
  const [command = "", ...args] = [...noNetworkCommand(), "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  if (spawnSync(command, [...args, "true"]).status !== 0)
    throw new Error("pi runs only without network, and a namespace here has no loopback (`ip link set lo up`)");
  return [command, ...args];
}

/** Runs a program of the bench as its own process, because only a process can be put into a namespace. It takes its options and prints its result as JSON. */
export function runConfined<Result>(program: string, options: object, commandPrefix: readonly string[]): Result {
  const [command = "", ...args] = [...commandPrefix, process.execPath, program, JSON.stringify(options)];
  return JSON.parse(execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }));
}
