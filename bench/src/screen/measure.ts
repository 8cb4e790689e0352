/** Measures keys and starts of all programs in turn, so that other load on the machine affects all of them. */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "@pith/testkit";
import { watchMoments } from "../loop/measurements.ts";
import { type Contender, echo, type Place, pi, pith } from "./contenders.ts";
import { type Typed, typed } from "./key-to-paint.ts";
import { startTmux } from "./tmux.ts";

export const MESSAGES = 10_000;

/** In the format that both we and pi open. Nothing is compacted: all messages are in the context. */
export function writeLongTalk(file: string, cwd: string): void {
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
  for (let at = 0; at < MESSAGES; at += 1) {
    const timestamp = start + at * 1_000;
    const placed = {
      id: idOf(at),
      parentId: at === 0 ? null : idOf(at - 1),
      timestamp: new Date(timestamp).toISOString(),
    };
    const message = at % 2 === 0 ? { role: "user", content: `short question ${at}`, timestamp } : reply(at, timestamp);
    lines.push({ type: "message", ...placed, message });
  }
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
}

function idOf(at: number): string {
  return at.toString(16).padStart(8, "0");
}

function reply(at: number, timestamp: number): unknown {
  const tokens = (at + 1) * 9;
  return {
    role: "assistant",
    content: [{ type: "text", text: `short answer ${at}` }],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    usage: { input: tokens, output: 6, cacheRead: 0, cacheWrite: 0, totalTokens: tokens + 6, cost: noCost },
    stopReason: "stop",
    timestamp,
  };
}

const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** Milliseconds from the start of the process until it says who speaks, where one types. */
export async function screenStart(contender: Contender, ground: Omit<Place, "url">): Promise<number> {
  const server = await startServer({ script: ["Hello."] });
  const terminal = await startTmux(contender.command({ ...ground, url: server.url }, null));
  try {
    return await terminal.painted(contender.ready);
  } finally {
    await terminal.end();
    await server.close();
  }
}

/** Milliseconds from the start of the process to its first request. */
export async function printStart(contender: Contender, ground: Omit<Place, "url">): Promise<number> {
  const server = await startServer({ script: ["Hello."] });
  const moments = watchMoments();
  const { command, env, folder } = contender.command({ ...ground, url: server.url }, null);
  const [program = "", ...args] = command;
  try {
    const began = performance.now();
    const child = spawn(program, [...args, "-p", "hello"], { cwd: folder, env, stdio: "ignore" });
    await new Promise((resolve) => child.once("exit", resolve));
    const [first] = moments.arrived;
    if (first === undefined) throw new Error(`${contender.name} asked for nothing`);
    return first - began;
  } finally {
    moments.stop();
    await server.close();
  }
}

export interface ScreenWish {
  /** The file that starts our program. */
  readonly program: string;
  /** The file that starts pi. */
  readonly pi?: string;
  readonly runs: number;
  readonly keys: number;
  readonly idleMs: number;
}

export interface Measured {
  readonly typed: readonly Typed[];
  readonly starts: readonly {
    readonly name: string;
    readonly screenMs: readonly number[];
    readonly printMs: readonly number[];
  }[];
}

export async function measured(wish: ScreenWish): Promise<Measured> {
  const place = mkdtempSync(join(tmpdir(), "pith-screen-"));
  const ground = { folder: join(place, "work"), homes: join(place, "homes") };
  for (const folder of [ground.folder, ground.homes]) mkdirSync(folder);
  const programs = [pith(wish.program), ...(wish.pi ? [pi(wish.pi)] : [])];
  try {
    const rows: Typed[] = [];
    for (const contender of [echo(), ...programs]) {
      const session = join(place, `${contender.name}.jsonl`);
      writeLongTalk(session, ground.folder);
      rows.push(await typed({ ...wish, contender, session }, ground));
    }
    return { typed: rows, starts: await started(programs, { ...wish, ...ground }) };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function started(
  contenders: readonly Contender[],
  { runs, ...ground }: { readonly runs: number; readonly folder: string; readonly homes: string },
): Promise<Measured["starts"]> {
  const rows = contenders.map((contender) => ({ contender, screenMs: [] as number[], printMs: [] as number[] }));
  // The first of each fills caches.
  for (let turn = -1; turn < runs; turn += 1)
    for (const { contender, screenMs, printMs } of rows) {
      const [onScreen, printed] = [await screenStart(contender, ground), await printStart(contender, ground)];
      if (turn < 0) continue;
      screenMs.push(onScreen);
      printMs.push(printed);
    }
  return rows.map(({ contender: { name }, screenMs, printMs }) => ({ name, screenMs, printMs }));
}
