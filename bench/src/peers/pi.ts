/** Fetches pi 1.5.0 into an ignored folder and runs it as a peer to compare with, in a network namespace of its own. */

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

const VERSION = "1.5.0";
const peers = join(import.meta.dirname, "../../../.peers");

/** The entry file of pi's self-contained bundle. */
export function piBundle(): string {
  const folder = join(peers, `pi-${VERSION}`);
  const entry = join(folder, "package/dist/bundle/index.js");
  if (existsSync(entry)) return entry;
  mkdirSync(peers, { recursive: true });
  const fresh = mkdtempSync(join(peers, "fetching-"));
  const packed = `@earendil-works/pi-coding-agent@${VERSION}`;
  const name = execFileSync("npm", ["pack", packed, "--silent", "--pack-destination", fresh], {
    encoding: "utf8",
  }).trim();
  execFileSync("tar", ["xzf", join(fresh, name.split("\n").at(-1) ?? ""), "-C", fresh]);
  if (!existsSync(folder)) renameSync(fresh, folder);
  return entry;
}

/** The file of the bundle that plans compactions, with one line more: its door does not show `prepareCompaction`. */
export function piPlanning(): string {
  const chunks = join(piBundle(), "../chunks");
  const shown = join(chunks, "with-planning.js");
  if (existsSync(shown)) return shown;
  const text = readFileSync(piChunk("function prepareCompaction("), "utf8");
  const names = ["prepareCompaction", "findCutPoint"].filter((name) => !isExported(text, name));
  writeFileSync(`${shown}.new`, `${text}\n${names.length > 0 ? `export{${names.join(",")}};` : ""}\n`);
  renameSync(`${shown}.new`, shown);
  return shown;
}

/** The file of the bundle in which something is defined. */
export function piChunk(definition: string): string {
  const chunks = join(piBundle(), "../chunks");
  const name = readdirSync(chunks).find((each) => readFileSync(join(chunks, each), "utf8").includes(definition));
  if (!name) throw new Error(`pi ${VERSION} has no "${definition}" in its bundle`);
  return join(chunks, name);
}

function isExported(text: string, name: string): boolean {
  const [, list = ""] = /export\{([^}]*)\};?\s*$/.exec(text.slice(-100_000)) ?? [];
  return list.split(",").some((each) => each.trim().split(" as ").at(-1) === name);
}

/** A peer is compared, not trusted: it gets no way out. */
export function withoutNetwork(): readonly string[] {
  const ways = [
    ["unshare", "-n"],
    ["unshare", "-r", "-n"],
  ];
  const way = ways.find(([command = "", ...args]) => spawnSync(command, [...args, "true"]).status === 0);
  if (!way)
    throw new Error(
      "pi is run only without network, and `unshare -n` does not work here (Linux with user namespaces is needed)",
    );
  return way;
}

/** It sends nothing home, and does not look for newer versions. */
export const quiet: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? "",
  PI_OFFLINE: "1",
  PI_TELEMETRY: "0",
  PI_SKIP_VERSION_CHECK: "1",
};

export type Pi = Worker;

/** A running pi; ask it one thing at a time, and end it. */
export function startPi(): Pi {
  const home = mkdtempSync(join(tmpdir(), "pith-pi-home-"));
  const program = join(import.meta.dirname, "pi-worker.mjs");
  const command = [...withoutNetwork(), process.execPath, program, piBundle(), piPlanning()];
  const pi = startWorker("pi", command, { ...quiet, HOME: home });
  return { ...pi, end: () => pi.end(() => rmSync(home, { recursive: true, force: true })) };
}

/** pi's program, and the command prefix that confines it to the loopback. Where it cannot be had it is left out, and that is told. */
export function piAlone(say: (text: string) => void): { readonly pi?: string; readonly leading: readonly string[] } {
  try {
    return { leading: loopbackOnly(), pi: join(piBundle(), "../cli.js") };
  } catch (error) {
    say(`pi is left out: ${error instanceof Error ? error.message : error}`);
    return { leading: [] };
  }
}

/** What stands before a command so that it reaches nobody but this machine's own servers in the same namespace. */
function loopbackOnly(): readonly string[] {
  const [command = "", ...args] = [...withoutNetwork(), "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
  if (spawnSync(command, [...args, "true"]).status !== 0)
    throw new Error("it is run only without network, and a namespace here has no loopback (`ip link set lo up`)");
  return [command, ...args];
}
