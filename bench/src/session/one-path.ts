/** Measures what opening costs where every entry of a long session is in the context: one path of small entries, no compaction. */

import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { nodeRuntime } from "@pith/context/node";
import { encodeSession } from "@pith/context/store";
import { idOf } from "../made-up-session.ts";
import { median } from "../statistics.ts";
import type { Figures } from "../suite.ts";
import { fresh, type Scene } from "./setup.ts";

interface Measured {
  readonly cpuMs: number;
  readonly entries: number;
}

export async function onePathFigures({ folder, home, settings: { say, quick } }: Scene): Promise<Figures> {
  const short = await openOnePath({ folder, home, entries: quick ? 30_000 : 300_000, rounds: 5, say });
  const figures = { one_path_entries: short.entries, one_path_x_parse: short.ratio };
  if (quick) return figures;
  const { ratio } = await openOnePath({ folder, home, entries: 1_000_000, rounds: 3, say });
  return { ...figures, one_path_1m_x_parse: ratio };
}

export interface OnePath extends Pick<Scene, "folder" | "home"> {
  readonly entries: number;
  readonly rounds: number;
  readonly say: (text: string) => void;
}

/** The processor's time of opening over that of reading and parsing, in turn, in fresh processes: what else runs changes neither. */
export async function openOnePath(path: OnePath): Promise<{ readonly entries: number; readonly ratio: number }> {
  const { folder, home, entries, rounds, say } = path;
  const file = join(folder, "one-path.jsonl");
  say(`writing a session of ${entries} small entries without a compaction`);
  writeOnePath(file, entries);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const parsed = await fresh<Measured>("open-parsed.mjs", file);
    const opened = await fresh<Measured>("open-ours.mjs", home, file);
    if (opened.entries !== entries || parsed.entries !== entries)
      throw new Error(`of ${entries} entries ${opened.entries} are in the context, and ${parsed.entries} were parsed`);
    ratios.push(opened.cpuMs / parsed.cpuMs);
  }
  rmSync(file);
  return { entries, ratio: median(ratios) };
}

function writeOnePath(file: string, entries: number): void {
  const descriptor = openSync(file, "w", 0o600);
  const timestamp = "2026-01-01T00:00:00.000Z";
  const header = { type: "session", version: 3, id: "one-path", timestamp, cwd: "/code", pith: { format: 1 } };
  const lines = [JSON.stringify(header)];
  for (let at = 0; at < entries; at++) {
    const parentId = at === 0 ? null : idOf(at - 1);
    const message = at % 2 === 0 ? { role: "user", content: `small ${at}`, timestamp: at } : reply(at);
    lines.push(JSON.stringify({ type: "message", id: idOf(at), parentId, timestamp, number: at + 1, message }));
    if (lines.length >= 1000 || at === entries - 1)
      writeSync(descriptor, encodeSession(lines.splice(0), nodeRuntime.checksum));
  }
  closeSync(descriptor);
}

function reply(at: number): object {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
  const model = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" };
  return {
    role: "assistant",
    content: [{ type: "text", text: `ok ${at}` }],
    ...model,
    usage,
    stopReason: "stop",
    timestamp: at,
  };
}
