/** Measures opening a long session whose entries are all in the context: one path of small entries, no compaction. */

import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { nodeRuntime } from "@pith/context/node";
import { encodeSession } from "@pith/context/store";
import { entryId } from "../made-up-session.ts";
import { median } from "../statistics.ts";
import type { Figures } from "../suite.ts";
import { runProgram, type SuiteContext } from "./setup.ts";

export async function measureOnePath({
  folder,
  packageFolder,
  options: { log, quick },
}: SuiteContext): Promise<Figures> {
  const shorterRun = await openOnePath({ folder, packageFolder, entries: quick ? 30_000 : 300_000, rounds: 5, log });
  const figures = { one_path_entries: shorterRun.entries, one_path_x_parse: shorterRun.ratio };
  if (quick) return figures;
  const { ratio } = await openOnePath({ folder, packageFolder, entries: 1_000_000, rounds: 3, log });
  return { ...figures, one_path_1m_x_parse: ratio };
}

export interface OnePathOptions extends Pick<SuiteContext, "folder" | "packageFolder"> {
  readonly entries: number;
  readonly rounds: number;
  readonly log: (text: string) => void;
}

/** The ratio of CPU times of opening and of only reading and parsing the file, in new processes. CPU time hardly depends on other load. */
export async function openOnePath(
  options: OnePathOptions,
): Promise<{ readonly entries: number; readonly ratio: number }> {
  const { folder, packageFolder, entries, rounds, log } = options;
  const file = join(folder, "one-path.jsonl");
  log(`writing a session of ${entries} small entries without a compaction`);
  writeOnePathSession(file, entries);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const parseResult = await runProgram<OpenResult>("open-parsed.mjs", file);
    const openResult = await runProgram<OpenResult>("open-ours.mjs", packageFolder, file);
    if (openResult.entries !== entries || parseResult.entries !== entries)
      throw new Error(
        `of ${entries} entries ${openResult.entries} are in the context, and ${parseResult.entries} were parsed`,
      );
    ratios.push(openResult.cpuMs / parseResult.cpuMs);
  }
  rmSync(file);
  return { entries, ratio: median(ratios) };
}

function writeOnePathSession(file: string, entries: number): void {
  const descriptor = openSync(file, "w", 0o600);
  const timestamp = "2026-01-01T00:00:00.000Z";
  const header = { type: "session", version: 3, id: "one-path", timestamp, cwd: "/code", pith: { format: 1 } };
  const lines = [JSON.stringify(header)];
  for (let index = 0; index < entries; index++) {
    const parentId = index === 0 ? null : entryId(index - 1);
    const message =
      index % 2 === 0 ? { role: "user", content: `small ${index}`, timestamp: index } : createReply(index);
    lines.push(
      JSON.stringify({ type: "message", id: entryId(index), parentId, timestamp, number: index + 1, message }),
    );
    if (lines.length >= 1000 || index === entries - 1)
      writeSync(descriptor, encodeSession(lines.splice(0), nodeRuntime.checksum));
  }
  closeSync(descriptor);
}

function createReply(index: number): object {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
  const model = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" };
  return {
    role: "assistant",
    content: [{ type: "text", text: `ok ${index}` }],
    ...model,
    usage,
    stopReason: "stop",
    timestamp: index,
  };
}

interface OpenResult {
  readonly cpuMs: number;
  readonly entries: number;
}
