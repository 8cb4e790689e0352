/** The program as a process of its own: what it prints, and how it ends. */

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Program {
  readonly child: ChildProcess;
  /** The address it prints; rejects when it ends without one. */
  readonly url: Promise<string>;
  readonly ended: Promise<Ended>;
}

const bin = fileURLToPath(new URL("../../src/bin.ts", import.meta.url));

export function program(...words: readonly string[]): Program {
  const child = spawn(process.execPath, [bin, ...words], { stdio: ["pipe", "pipe", "pipe"] });
  let out = "";
  let err = "";
  child.stderr.on("data", (bytes) => {
    err += bytes;
  });
  const ended = new Promise<Ended>((resolve) => child.once("close", (status) => resolve({ status, out, err })));
  const url = new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (bytes) => {
      out += bytes;
      const address = /listens at (http:\S+)\n/.exec(out)?.[1];
      if (address !== undefined) resolve(address);
    });
    ended.then(() => reject(new Error(`it ended: ${err}`)));
  });
  // Whoever only waits for the end does not ask for the address.
  url.catch(() => {});
  return { child, url, ended };
}
