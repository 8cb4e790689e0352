/** Measures the time from key press to paint while a reply streams into a session of ten thousand messages. */

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { startServer } from "@pith/testkit";
import { type Contender, echoContender, type RunFolders } from "./contenders.ts";
import { startTmux, type Tmux } from "./tmux.ts";

export interface TypingOptions {
  readonly contender: Contender;
  readonly keys: number;
  readonly idleMs: number;
  /** The session file. */
  readonly session: string;
}

export interface TypingResult {
  readonly name: string;
  /** The time of each key. */
  readonly keyMs: readonly number[];
  readonly idlePercent: number;
  readonly rssMb: number;
}

export async function measureTyping(options: TypingOptions, folders: Omit<RunFolders, "url">): Promise<TypingResult> {
  const { contender, session, keys, idleMs } = options;
  const server = await startServer({ script: () => ({ parts: [{ type: "text", text: LONG_TEXT }], pace: PACE }) });
  const tmux = await startTmux(contender.command({ ...folders, url: server.url }, session));
  try {
    await tmux.waitForText(contender.readyText);
    await sleep(SETTLE_MS);
    const idlePercent = await measureIdleCpu(tmux, idleMs);
    if (contender.name !== echoContender().name) await startStreaming(tmux);
    const keyMs: number[] = [];
    for (let index = 0; index < keys; index += 1) keyMs.push(await pressKey(tmux, index));
    return { name: contender.name, keyMs, idlePercent, rssMb: readRssMb(tmux.pid) };
  } finally {
    await tmux.stop();
    await server.close();
  }
}

/** Characters that occur nowhere else on the screen. */
const KEYS = [..."ΑΒΓΔΕΖΗΘΛΞΠΣΦΨΩБГДЖИЛПФЦЧШЫЭЮЯ"];
const SETTLE_MS = 1_500;
const PACE = { everyMs: 15, chunk: 12 };
const LONG_TEXT = Array.from(
  { length: 4_000 },
  (_, index) => `word${index} of a long answer${index % 40 === 39 ? ".\n\n" : ""}`,
).join(" ");

async function measureIdleCpu({ pid }: Tmux, forMs: number): Promise<number> {
  const startSeconds = readCpuSeconds(pid);
  await sleep(forMs);
  return ((readCpuSeconds(pid) - startSeconds) / (forMs / 1_000)) * 100;
}

/** The CPU time of the process without its children. */
function readCpuSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in brackets may contain spaces.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

const TICKS_PER_SECOND = 100;

async function startStreaming(terminal: Tmux): Promise<void> {
  await terminal.typeAndWait("tell me more", "tell me more");
  terminal.sendKeys("Enter");
  await terminal.waitForText("word10 ");
}

async function pressKey(terminal: Tmux, index: number): Promise<number> {
  const key = KEYS[index % KEYS.length] ?? "";
  // Clears the input before a key repeats: the earlier one would be taken for the new one.
  if (index > 0 && index % KEYS.length === 0) terminal.sendKeys("C-u");
  await sleep(60 + (index % 7) * 5);
  return await terminal.typeAndWait(key, key);
}

function readRssMb(pid: number): number {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return (Number(kilobytes) * 1_024) / 1e6;
}
