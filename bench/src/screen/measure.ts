/** Measures key latency and start of all programs in turn, so that other load on the machine affects all of them. */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "@pith/testkit";
import { recordRequestTimes } from "../loop/measurements.ts";
import { type Contender, echoContender, piContender, pithContender, type RunFolders } from "./contenders.ts";
import { measureTyping, type TypingResult } from "./key-to-paint.ts";
import { startTmux } from "./tmux.ts";

export interface ScreenOptions {
  /** The file that starts our program. */
  readonly program: string;
  /** The file that starts pi. */
  readonly pi?: string;
  readonly runs: number;
  readonly keys: number;
  readonly idleMs: number;
}

export interface ScreenMeasurements {
  readonly typing: readonly TypingResult[];
  readonly starts: readonly {
    readonly name: string;
    readonly screenMs: readonly number[];
    readonly printMs: readonly number[];
  }[];
}

async function measureScreen(options: ScreenOptions): Promise<ScreenMeasurements> {
  const folder = mkdtempSync(join(tmpdir(), "pith-screen-"));
  const folders = { folder: join(folder, "work"), homes: join(folder, "homes") };
  for (const path of [folders.folder, folders.homes]) mkdirSync(path);
  const programs = [pithContender(options.program), ...(options.pi ? [piContender(options.pi)] : [])];
  try {
    const typingResults: TypingResult[] = [];
    for (const contender of [echoContender(), ...programs]) {
      const session = join(folder, `${contender.name}.jsonl`);
      writeLongSession(session, folders.folder);
      typingResults.push(await measureTyping({ ...options, contender, session }, folders));
    }
    return { typing: typingResults, starts: await measureStarts(programs, { ...options, ...folders }) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes a session without compactions, in the format that both Pith and pi open. */
function writeLongSession(file: string, cwd: string): void {
  const start = Date.UTC(2026, 0, 1);
  const lines: unknown[] = [
    {
      type: "session",
      version: 3,
      id: "0197a000-0000-7000-8000-000000000001",
      timestamp: new Date(start).toISOString(),
      cwd,
    },
  ];
  for (let index = 0; index < MESSAGE_COUNT; index += 1) {
    const timestamp = start + index * 1_000;
    const entryFields = {
      id: entryId(index),
      parentId: index === 0 ? null : entryId(index - 1),
      timestamp: new Date(timestamp).toISOString(),
    };
    const message =
      index % 2 === 0 ? { role: "user", content: `short question ${index}`, timestamp } : createReply(index, timestamp);
    lines.push({ type: "message", ...entryFields, message });
  }
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
}

const MESSAGE_COUNT = 10_000;

function entryId(index: number): string {
  return index.toString(16).padStart(8, "0");
}

function createReply(index: number, timestamp: number): unknown {
  const tokens = (index + 1) * 9;
  return {
    role: "assistant",
    content: [{ type: "text", text: `short answer ${index}` }],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    usage: { input: tokens, output: 6, cacheRead: 0, cacheWrite: 0, totalTokens: tokens + 6, cost: NO_COST },
    stopReason: "stop",
    timestamp,
  };
}

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

async function measureStarts(
  contenders: readonly Contender[],
  { runs, ...folders }: { readonly runs: number; readonly folder: string; readonly homes: string },
): Promise<ScreenMeasurements["starts"]> {
  const rows = contenders.map((contender) => ({ contender, screenMs: [] as number[], printMs: [] as number[] }));
  // The first run of each fills the caches.
  for (let round = -1; round < runs; round += 1)
    for (const { contender, screenMs, printMs } of rows) {
      const [screenTime, printTime] = [
        await measureScreenStart(contender, folders),
        await measurePrintStart(contender, folders),
      ];
      if (round < 0) continue;
      screenMs.push(screenTime);
      printMs.push(printTime);
    }
  return rows.map(({ contender: { name }, screenMs, printMs }) => ({ name, screenMs, printMs }));
}

/** Milliseconds from the start of the process until the screen shows the model name. */
async function measureScreenStart(contender: Contender, folders: Omit<RunFolders, "url">): Promise<number> {
  const server = await startServer({ script: ["Hello."] });
  const terminal = await startTmux(contender.command({ ...folders, url: server.url }, null));
  try {
    return await terminal.waitForText(contender.readyText);
  } finally {
    await terminal.stop();
    await server.close();
  }
}

/** Milliseconds from the start of the process to its first request. */
async function measurePrintStart(contender: Contender, folders: Omit<RunFolders, "url">): Promise<number> {
  const server = await startServer({ script: ["Hello."] });
  const requestTimes = recordRequestTimes();
  const { command, env, folder } = contender.command({ ...folders, url: server.url }, null);
  const [program = "", ...args] = command;
  try {
    const startTime = performance.now();
    const child = spawn(program, [...args, "-p", "hello"], { cwd: folder, env, stdio: "ignore" });
    await new Promise((resolve) => child.once("exit", resolve));
    const [first] = requestTimes.requestTimes;
    if (first === undefined) throw new Error(`${contender.name} sent no request`);
    return first - startTime;
  } finally {
    requestTimes.stop();
    await server.close();
  }
}

// The suite starts this file as a process, to put it into a network namespace: options in, results out, both as JSON.
if (import.meta.main) console.log(JSON.stringify(await measureScreen(JSON.parse(process.argv[2] ?? ""))));
