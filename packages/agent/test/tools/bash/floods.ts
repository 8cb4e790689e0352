/** Runs commands with large output with the bash tool, each in a process of its own: `pnpm flood [GIGABYTES]` fails if memory grows too much. */

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sessionBlobs } from "../../../src/node/blobs.ts";
import { nodeShell } from "../../../src/node/shell.ts";
import { bashTool } from "../../../src/tools/bash/bash.ts";

export interface FloodCase {
  readonly name: string;
  readonly command: string;
  readonly bytes: number;
}

export const MOST_GROWN_MB = 64;

/** Commands with so much output, or a fifth of it if it takes much time to read. */
export function floods(bytes: number): readonly FloodCase[] {
  const fifth = bytes / 5;
  return [
    { name: "one line", bytes, command: `head -c ${bytes} /dev/zero | tr '\\0' x` },
    { name: "lines without number", bytes, command: `yes | head -c ${bytes}` },
    { name: "a storm of progress", bytes: fifth, command: `yes $'50%\\r' | tr -d '\\n' | head -c ${fifth}` },
    { name: "colours without end", bytes: fifth, command: `yes $'\\e[31mred\\e[0m' | head -c ${fifth}` },
    { name: "nothing readable", bytes, command: `head -c ${bytes} /dev/zero` },
  ];
}

export interface Flood {
  readonly grownMb: number;
  readonly seconds: number;
  readonly length: number;
  readonly lastLine: string;
  readonly details: { readonly exitCode: number | null; readonly bytes: number };
}

/** Starts this file as a program, so that only the command makes its memory grow. */
export async function runFlood(command: string): Promise<Flood> {
  const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename, "--measure", command]);
  return JSON.parse(stdout);
}

/** Stores the output of a command on disk, and measures how much memory grew. */
async function measureFlood(command: string): Promise<Omit<Flood, "details"> & { readonly details: unknown }> {
  const folder = mkdtempSync(join(tmpdir(), "pith-flood-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const tool = bashTool(nodeShell({ root: folder, environment: process.env }), {
    blobs: sessionBlobs(join(folder, "session.jsonl")),
  });
  const { signal } = new AbortController();
  const run = (text: string) =>
    tool.run({ id: "call", arguments: { command: text }, signal, maxOutputBytes: 50_000, update: () => {} });

  await run("seq 100000");
  const before = process.memoryUsage.rss();
  let highest = before;
  const watch = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss());
  }, 10);
  const started = performance.now();
  const { content, details } = await run(command);
  const seconds = (performance.now() - started) / 1_000;
  highest = Math.max(highest, process.memoryUsage.rss());
  clearInterval(watch);
  const [block] = content;
  const text = block?.type === "text" ? block.text : "";
  const lastLine = text.slice(text.lastIndexOf("\n") + 1).slice(0, 200);
  return { grownMb: (highest - before) / 1_048_576, seconds, length: text.length, lastLine, details };
}

async function runAllFloods(gigabytes: number): Promise<void> {
  for (const { name, command, bytes } of floods(gigabytes * 1e9)) {
    const { grownMb, seconds, lastLine, details } = await runFlood(command);
    const isWell = grownMb <= MOST_GROWN_MB && details.exitCode === 0 && details.bytes === bytes;
    if (!isWell) process.exitCode = 1;
    const speed = (bytes / 1e6 / seconds).toFixed(0);
    console.log(
      `${isWell ? "well" : "NOT WELL"}: ${name}, ${bytes / 1e9} GB: + ${grownMb.toFixed(1)} MB, ${speed} MB/s, ${lastLine}`,
    );
  }
}

if (import.meta.main) {
  const [first = "10", command = "true"] = process.argv.slice(2);
  if (first === "--measure") console.log(JSON.stringify(await measureFlood(command)));
  else await runAllFloods(Number(first));
}
