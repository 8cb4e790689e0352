/** Runs `pnpm eval reading`: how completely old sessions are read. `--corpus` is a folder with sessions. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { generateSession } from "@pith/bench/made-up-session";
import type { Figures, Suite, SuiteOptions } from "@pith/bench/suite";
import { buildRequest, buildSessionContext, type Entry, type ModelName } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { branchEntries, buildTree, decodeSession, loadBranch } from "@pith/context/store";
import {
  apisWithRules,
  findRuleViolations,
} from "../../packages/context/test/support/provider-rules/provider-rules.ts";

export const readingSuite: Suite = {
  name: "reading",
  description:
    "reads every session below --corpus: lines that are damaged, lost, rewritten, or would be refused by a provider",
  run: runReading,
};

async function runReading({ quick, seed, corpus, log }: SuiteOptions): Promise<Figures> {
  const files = corpus === undefined ? makeSessionSources(quick ? 4 : 40, seed) : findSessionSources(corpus, quick);
  const start = performance.now();
  const readings: FileReading[] = [];
  let bytes = 0;
  for (const { name, read } of files) {
    const content = read();
    const reading = checkSession(content);
    bytes += content.length;
    readings.push(reading);
    if (reading.damage.length > 0) log(`${name}: ${reading.damage.join(", ")}`);
    for (const violation of reading.violations.slice(0, 3)) log(`${name}: ${violation}`);
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
    /** The share of entries that can be reached from the roots. */
    reachable:
      sum(({ reachable }) => reachable) /
      Math.max(
        1,
        sum(({ entries }) => entries),
      ),
    /** The lines of a current version, and the share that is preserved byte for byte. */
    current_lines: currentLines,
    bytes_kept: currentLines === 0 ? "-" : sum(({ keptLines }) => keptLines) / currentLines,
    violations: sum(({ violations }) => violations.length),
    seconds: (performance.now() - start) / 1000,
  };
}

interface SessionSource {
  readonly name: string;
  readonly read: () => Uint8Array;
}

function makeSessionSources(count: number, seed: number): readonly SessionSource[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `made up ${index}`,
    read: () => {
      const shape = { entries: 500 + index * 50, compactions: index % 6, distance: 90, seed: seed + index };
      return new TextEncoder().encode([...generateSession(shape)].map((line) => `${line}\n`).join(""));
    },
  }));
}

function findSessionSources(folder: string, quick: boolean): readonly SessionSource[] {
  if (!existsSync(folder)) throw new Error(`--corpus ${folder}: no such folder`);
  if (!statSync(folder).isDirectory())
    throw new Error(`--corpus ${folder}: is a file. Give the folder that contains it.`);
  const files = listSessionFiles(folder);
  if (files.length === 0) throw new Error(`--corpus ${folder}: no .jsonl file below it`);
  return (quick ? files.slice(0, 20) : files).map((name) => ({ name, read: () => readFileSync(join(folder, name)) }));
}

export function listSessionFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

export interface FileReading {
  readonly entries: number;
  readonly leaves: number;
  /** Line number and kind: `12: not-json`. */
  readonly damage: readonly string[];
  readonly reachable: number;
  /** The number of lines of a current version. Older versions are rewritten. */
  readonly lines: number;
  /** The number of these lines that are preserved byte for byte. */
  readonly keptLines: number;
  readonly violations: readonly string[];
}

function checkSession(bytes: Uint8Array): FileReading {
  const file = decodeSession(bytes, nodeRuntime);
  const entries = file.lines.map(({ entry }) => entry);
  const tree = buildTree(entries);
  const leaves = entries.filter(({ id }) => !tree.children.has(id));
  return {
    entries: entries.length,
    leaves: leaves.length,
    damage: file.damage.map(({ line, kind }) => `${line}: ${kind}`),
    reachable: countReachable(tree),
    ...countKeptLines(file, bytes),
    violations: leaves.flatMap((leaf) => findLeafViolations(tree, leaf)),
  };
}

type Tree = ReturnType<typeof buildTree>;

function countReachable(tree: Tree): number {
  const queue: Entry[] = [...(tree.children.get(null) ?? [])];
  let count = 0;
  for (let entry = queue.pop(); entry; entry = queue.pop()) {
    count++;
    queue.push(...(tree.children.get(entry.id) ?? []));
  }
  return count;
}

type SessionFile = ReturnType<typeof decodeSession>;

function countKeptLines(file: SessionFile, bytes: Uint8Array): { lines: number; keptLines: number } {
  if (file.needsRewrite) return { lines: 0, keptLines: 0 };
  const texts = file.lines.map((line) => line.text()).filter((text) => text !== null);
  const trailer = /(,"batch":\[\d+,\d+\])?,"crc":"[0-9a-f]{8}"\}$/;
  const writtenLines = new Set(
    new TextDecoder()
      .decode(bytes)
      .split("\n")
      .map((line) => (file.isPithFormat ? line.replace(trailer, "}") : line)),
  );
  return { lines: texts.length, keptLines: texts.filter((text) => writtenLines.has(text)).length };
}

function findLeafViolations(tree: Tree, leaf: Entry): readonly string[] {
  const context = buildSessionContext(loadBranch(branchEntries(tree, leaf.id)));
  const last = context.messages.findLast((message) => message.role === "assistant");
  const ownModels: readonly ModelName[] = last?.role === "assistant" && apisWithRules.includes(last.api) ? [last] : [];
  return [...ownModels, ...OTHER_MODELS].flatMap((model) => {
    const request = buildRequest(context, { model });
    return request.messages.length === 0 ? [] : findRuleViolations(request, model);
  });
}

const OTHER_MODELS: readonly ModelName[] = apisWithRules.map((api) => ({ api, provider: "another", model: "another" }));
