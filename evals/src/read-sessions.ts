/** Runs `pnpm eval reading`: how well old sessions are read; point `--corpus` at a folder of them. */

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

type Tree = ReturnType<typeof buildTree>;

type SessionFile = ReturnType<typeof decodeSession>;

export interface FileReading {
  readonly entries: number;
  readonly leaves: number;
  /** Each with its line: `12: not-json`. */
  readonly damage: readonly string[];
  readonly reachable: number;
  /** Lines of a current version; an older one is written anew in today's spelling. */
  readonly lines: number;
  /** Those of them that are given back byte for byte. */
  readonly keptLines: number;
  readonly violations: readonly string[];
}

export function checkSession(bytes: Uint8Array): FileReading {
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

function countReachable(tree: Tree): number {
  const queue: Entry[] = [...(tree.children.get(null) ?? [])];
  let count = 0;
  for (let entry = queue.pop(); entry; entry = queue.pop()) {
    count++;
    queue.push(...(tree.children.get(entry.id) ?? []));
  }
  return count;
}

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

export function listSessionFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

export const readingSuite: Suite = {
  name: "reading",
  description:
    "reads every session below --corpus: what is damaged, lost, rewritten, or would be refused by a provider",
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
    /** Share of entries that a walk from the roots reaches. */
    reachable:
      sum(({ reachable }) => reachable) /
      Math.max(
        1,
        sum(({ entries }) => entries),
      ),
    /** Lines of a current version, and the share of them that comes back byte for byte. */
    current_lines: currentLines,
    bytes_kept: currentLines === 0 ? "-" : sum(({ keptLines: kept }) => kept) / currentLines,
    violations: sum(({ violations }) => violations.length),
    seconds: (performance.now() - start) / 1000,
  };
}

interface SessionSource {
  readonly name: string;
  readonly read: () => Uint8Array;
}

function findSessionSources(folder: string, quick: boolean): readonly SessionSource[] {
  if (!existsSync(folder)) throw new Error(`--corpus ${folder}: there is no such folder`);
  if (!statSync(folder).isDirectory()) throw new Error(`--corpus ${folder}: is a file; name the folder it lies in`);
  const files = listSessionFiles(folder);
  if (files.length === 0) throw new Error(`--corpus ${folder}: there is no .jsonl file below it`);
  return (quick ? files.slice(0, 20) : files).map((name) => ({ name, read: () => readFileSync(join(folder, name)) }));
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
