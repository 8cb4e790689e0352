/** Runs commands in a temporary folder, with a shell or with the bash tool, and watches the processes that they leave. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { nodeShell } from "../../src/node/shell.ts";
import type { ShellOptions, ShellResult, WorkspaceShell } from "../../src/ports.ts";
import type { ToolCall } from "../../src/tool.ts";
import { type BashTool, type BashToolOptions, bashTool } from "../../src/tools/bash/bash.ts";
import type { BashDetails } from "../../src/tools/bash/result.ts";

export function folder(): string {
  const root = mkdtempSync(join(tmpdir(), "pith-shell-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

export function shellIn(root: string): WorkspaceShell {
  return nodeShell({ root, environment: { PATH: process.env.PATH, HOME: root } });
}

export interface Ran {
  readonly end: ShellResult;
  readonly text: string;
}

export async function ran(command: string, act: Partial<ShellOptions> = {}, root: string = folder()): Promise<Ran> {
  const chunks: Buffer[] = [];
  const output = (chunk: Uint8Array): void => {
    chunks.push(Buffer.from(chunk));
    act.onOutput?.(chunk);
  };
  const end = await shellIn(root).run(command, { signal: new AbortController().signal, ...act, onOutput: output });
  return { end, text: Buffer.concat(chunks).toString() };
}

/** A command with three generations of processes, each of which writes its id to `pids`; `isDeaf` ones ignore SIGTERM. */
export const tree = ({ isDeaf = false } = {}): string => {
  const deaf = isDeaf ? "trap '' TERM; " : "";
  const leaf = `${deaf}echo $BASHPID >>pids; while :; do sleep 0.1; done`;
  return `${deaf}echo $$ >>pids; (${leaf}) & (echo $BASHPID >>pids; (${leaf}) & wait) & wait`;
};

export async function pidsIn(root: string, count: number): Promise<readonly number[]> {
  for (;;) {
    const pids = existsSync(join(root, "pids")) ? readFileSync(join(root, "pids"), "utf8").trim().split("\n") : [];
    if (pids.length === count) return pids.map(Number);
    await sleep(20);
  }
}

/** The running ones, without zombies. */
export async function alive(pids: readonly number[]): Promise<readonly number[]> {
  await sleep(100);
  return pids.filter((pid) => {
    const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : ") X";
    return !/\) [ZX]/.test(stat);
  });
}

/** Only for a process id that a test's own command has written. */
export function endIfThere(pid: number): void {
  try {
    process.kill(pid);
  } catch {
    // It ended by itself when its pipe was closed.
  }
}

/** More than any answer needs. */
const ROOM = 100_000;

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly details: Partial<BashDetails>;
  readonly updates: readonly string[];
}

export function toolIn(root: string = folder(), parts: BashToolOptions = {}): BashTool {
  return bashTool(shellIn(root), parts);
}

export async function call(
  tool: BashTool,
  given: Readonly<Record<string, unknown>>,
  {
    signal = new AbortController().signal,
    maxOutputBytes = ROOM,
  }: Partial<Pick<ToolCall, "signal" | "maxOutputBytes">> = {},
): Promise<Answer> {
  const updates: string[] = [];
  const update = (text: string): void => void updates.push(text);
  const {
    content,
    isError = false,
    details,
  } = await tool.run({ id: "call", arguments: given, signal, maxOutputBytes, update });
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return { text, isError, details: details as Partial<BashDetails>, updates };
}
