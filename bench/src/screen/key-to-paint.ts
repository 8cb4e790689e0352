/** Measures how long a key takes to be painted while an answer streams into a session of ten thousand messages. */

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { startServer } from "@pith/testkit";
import { type Contender, echo, type Place } from "./contenders.ts";
import { startTmux, type Tmux } from "./tmux.ts";

const TICKS_A_SECOND = 100;

/** Its own, without what it has started. */
export function cpuSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in brackets may hold anything, blanks included.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

export function rssMb(pid: number): number {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return (Number(kilobytes) * 1_024) / 1e6;
}

export interface Typed {
  readonly name: string;
  /** Of each key. */
  readonly keyMs: readonly number[];
  readonly idlePercent: number;
  readonly rssMb: number;
}

export interface TypingWish {
  readonly contender: Contender;
  readonly keys: number;
  readonly idleMs: number;
  /** The file of the long session. */
  readonly session: string;
}

export async function typed(wish: TypingWish, ground: Omit<Place, "url">): Promise<Typed> {
  const { contender, session, keys, idleMs } = wish;
  const server = await startServer({ script: () => ({ parts: [{ type: "text", text: longText }], pace }) });
  const terminal = await startTmux(contender.command({ ...ground, url: server.url }, session));
  try {
    await terminal.painted(contender.ready);
    await sleep(SETTLE_MS);
    const idlePercent = await idle(terminal, idleMs);
    if (contender.name !== echo().name) await streaming(terminal);
    const keyMs: number[] = [];
    for (let at = 0; at < keys; at += 1) keyMs.push(await oneKey(terminal, at));
    return { name: contender.name, keyMs, idlePercent, rssMb: rssMb(terminal.pid) };
  } finally {
    await terminal.end();
    await server.close();
  }
}

/** Signs that stand nowhere else on the screen. */
const signs = [..."ΑΒΓΔΕΖΗΘΛΞΠΣΦΨΩБГДЖИЛПФЦЧШЫЭЮЯ"];
const SETTLE_MS = 1_500;
const pace = { everyMs: 15, chunk: 12 };
const longText = Array.from(
  { length: 4_000 },
  (_, at) => `word${at} of a long answer${at % 40 === 39 ? ".\n\n" : ""}`,
).join(" ");

async function streaming(terminal: Tmux): Promise<void> {
  await terminal.press("tell me more", "tell me more");
  terminal.send("Enter");
  await terminal.painted("word10 ");
}

async function oneKey(terminal: Tmux, at: number): Promise<number> {
  const sign = signs[at % signs.length] ?? "";
  // What stands there already would be taken for what was just painted.
  if (at > 0 && at % signs.length === 0) terminal.send("C-u");
  await sleep(60 + (at % 7) * 5);
  return await terminal.press(sign, sign);
}

async function idle({ pid }: Tmux, forMs: number): Promise<number> {
  const before = cpuSeconds(pid);
  await sleep(forMs);
  return ((cpuSeconds(pid) - before) / (forMs / 1_000)) * 100;
}
