/** Helpers of the session suite: its context, programs in new processes, and session files as our store writes them. */

import { execFile } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { nodeRuntime } from "@pith/context/node";
import { encodeSession } from "@pith/context/store";
import { generateSession, type SessionShape } from "../made-up-session.ts";
import type { SuiteOptions } from "../suite.ts";

export interface SuiteContext {
  /** A temporary folder, removed at the end. */
  readonly folder: string;
  /** The folder of the built package. */
  readonly packageFolder: string;
  readonly options: SuiteOptions;
}

const PROGRAMS_FOLDER = join(import.meta.dirname, "programs");

/** Runs a program in a new process, where only the page cache is warm, and parses the last line of its output as JSON. */
export async function runProgram<Measured>(program: string, ...args: readonly string[]): Promise<Measured> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(PROGRAMS_FOLDER, program), ...args], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Measured;
}

/** Writes a session file as our store does: sealed lines, and compactions with the state at their position. */
export function writePithSession(file: string, shape: SessionShape): void {
  const descriptor = openSync(file, "w", 0o600);
  const lines: string[] = [];
  const flush = (): void => void writeSync(descriptor, encodeSession(lines.splice(0), nodeRuntime.checksum));
  for (const line of generateSession(shape)) if (lines.push(toPithLine(line)) >= 1000) flush();
  flush();
  closeSync(descriptor);
}

function toPithLine(line: string): string {
  if (line.startsWith('{"type":"session"')) return JSON.stringify({ ...JSON.parse(line), pith: { format: 1 } });
  if (!line.startsWith('{"type":"compaction"')) return line;
  const entry = JSON.parse(line) as { details: object };
  return JSON.stringify({ ...entry, details: { ...entry.details, pith: { carried: CARRIED_STATE } } });
}

const CARRIED_STATE = {
  model: { provider: "anthropic", modelId: "claude-sonnet-4-5" },
  thinkingLevel: "off",
  activeTools: null,
};
