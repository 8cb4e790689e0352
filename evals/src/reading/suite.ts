/** `pnpm eval reading`: how well a pile of old sessions is read; point `--corpus` at a folder of them. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { madeUpSession } from "@pith/bench/made-up-session";
import type { Figures, Settings, Suite } from "@pith/bench/suite";
import { type FileReading, readSession } from "./read-session.ts";
import { sessionFiles } from "./session-files.ts";

export const readingSuite: Suite = {
  name: "reading",
  about: "reads every session below --corpus: what is damaged, lost, rewritten, or would be refused by a provider",
  run: runReading,
};

async function runReading({ quick, seed, corpus, say }: Settings): Promise<Figures> {
  const files = corpus === undefined ? madeUpFiles(quick ? 4 : 40, seed) : filesBelow(corpus, quick);
  const start = performance.now();
  const readings: FileReading[] = [];
  let bytes = 0;
  for (const { name, read } of files) {
    const content = read();
    const reading = readSession(content);
    bytes += content.length;
    readings.push(reading);
    if (reading.damage.length > 0) say(`${name}: ${reading.damage.join(", ")}`);
    for (const violation of reading.violations.slice(0, 3)) say(`${name}: ${violation}`);
  }
  const sum = (pick: (reading: FileReading) => number): number =>
    readings.reduce((total, each) => total + pick(each), 0);
  const currentLines = sum(({ lines }) => lines);
  return {
    files: readings.length,
    megabytes: bytes / 1e6,
    entries: sum(({ entries }) => entries),
    leaves: sum(({ leaves }) => leaves),
    damaged_lines: sum(({ damage }) => damage.length),
    /** Share of entries that a walk from the roots reaches. */
    reachable:
      sum(({ reachable }) => reachable) /
      Math.max(
        1,
        sum(({ entries }) => entries),
      ),
    /** Lines of a current version, and the share of them that comes back byte for byte. */
    current_lines: currentLines,
    bytes_kept: currentLines === 0 ? "-" : sum(({ kept }) => kept) / currentLines,
    violations: sum(({ violations }) => violations.length),
    seconds: (performance.now() - start) / 1000,
  };
}

interface SessionSource {
  readonly name: string;
  readonly read: () => Uint8Array;
}

function filesBelow(folder: string, quick: boolean): readonly SessionSource[] {
  if (!existsSync(folder)) throw new Error(`--corpus ${folder}: there is no such folder`);
  if (!statSync(folder).isDirectory()) throw new Error(`--corpus ${folder}: is a file; name the folder it lies in`);
  const files = sessionFiles(folder);
  if (files.length === 0) throw new Error(`--corpus ${folder}: there is no .jsonl file below it`);
  return (quick ? files.slice(0, 20) : files).map((name) => ({ name, read: () => readFileSync(join(folder, name)) }));
}

function madeUpFiles(count: number, seed: number): readonly SessionSource[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `made up ${at}`,
    read: () => {
      const shape = { entries: 500 + at * 50, compactions: at % 6, distance: 90, seed: seed + at };
      return new TextEncoder().encode([...madeUpSession(shape)].map((line) => `${line}\n`).join(""));
    },
  }));
}
