/** Runs the machine of a victim in new namespaces, and waits for the outcomes of its attempts. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MachineOptions, Outcome } from "./machine.ts";

const APART = ["--net", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"];

export async function runMachine(parts: Omit<MachineOptions, "homes">): Promise<readonly Outcome[]> {
  const homes = mkdtempSync(join(tmpdir(), "pith-victim-"));
  const options: MachineOptions = { ...parts, homes };
  const words = [...APART, "--", process.execPath, join(import.meta.dirname, "machine.ts"), JSON.stringify(options)];
  const child = spawn("unshare", words, { stdio: ["ignore", "pipe", "pipe"] });
  let [out, notes] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    notes += text;
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  rmSync(homes, { recursive: true, force: true });
  if (code !== 0) throw new Error(`the machine for mode ${options.mode} ended with ${code}: ${notes.slice(-2_000)}`);
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
