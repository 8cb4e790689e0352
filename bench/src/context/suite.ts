/** Runs `pnpm bench context`: what one step of an agent (append, build, convert) costs on a long session, beside pi. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installBuiltContext } from "../built-package.ts";
import { COMPACTIONS, ENTRIES, messageAt, writeLongSession } from "../made-up-session.ts";
import { type Pi, startPi } from "../peers/pi.ts";
import type { Worker } from "../peers/worker.ts";
import { random } from "../random.ts";
import { median, quantile } from "../statistics.ts";
import type { Figures, Settings, Suite } from "../suite.ts";
import { texts } from "../texts.ts";
import { startContext } from "./start-context.ts";

export const contextSuite: Suite = {
  name: "context",
  about: "append, build and convert on 100,000 entries with 50 compactions, warm, beside pi",
  run: runContext,
};

async function runContext(settings: Settings): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "pith-bench-"));
  const pi = startPi();
  try {
    settings.say("packing the package");
    const { home, measured } = await installBuiltContext(folder);
    const long = writeLongSession(join(folder, "long.jsonl"), COMPACTIONS, settings);
    const short = writeLongSession(join(folder, "short.jsonl"), 1, settings);
    const ours = startContext(home);
    try {
      return { measured, ...(await steps({ long, short, ours, pi, settings })) };
    } finally {
      ours.end();
    }
  } finally {
    pi.end();
    rmSync(folder, { recursive: true });
  }
}

interface Scene {
  readonly long: string;
  readonly short: string;
  readonly ours: Worker;
  readonly pi: Pi;
  readonly settings: Settings;
}

async function steps({ long, short, ours, pi, settings }: Scene): Promise<Figures> {
  const { say, quick, seed, corpus } = settings;
  say("opening it in Pith and in pi");
  await ours.ask({ op: "open", name: "long", file: long });
  await ours.ask({ op: "open", name: "short", file: short });
  await pi.ask({ op: "open", file: long });
  const text = texts(random(seed + 1), corpus);
  const rows: Row[] = [];
  const blocks = quick ? 6 : 20;
  say(`${blocks} blocks of ${BLOCK} steps each, pi and Pith in turn`);
  let at = ENTRIES;
  for (let block = 0; block < blocks; block++) {
    const messages = Array.from({ length: BLOCK }, () => messageAt(++at, text));
    const theirs: PiStep[] = [];
    for (const message of messages) theirs.push((await pi.ask({ op: "warm", message })) as PiStep);
    for (const [index, message] of messages.entries()) {
      const step = async (name: string): Promise<OurStep> => (await ours.ask({ op: "step", name, message })) as OurStep;
      const row = { ours: await step("long"), short: await step("short"), theirs: theirs[index] };
      if (block > 0 && row.theirs) rows.push({ ...row, theirs: row.theirs });
    }
  }
  return figuresOf(rows);
}

/** Steps in a row, so that both are measured with their own data at hand. */
const BLOCK = 15;

interface PiStep {
  readonly appendMs: number;
  readonly contextMs: number;
  readonly convertMs: number;
}

interface OurStep {
  readonly appendMs: number;
  readonly buildMs: number;
  readonly convertMs: number;
  /** How many messages it would have sent. */
  readonly messages: number;
}

interface Row {
  readonly ours: OurStep;
  readonly short: OurStep;
  readonly theirs: PiStep;
}

function figuresOf(rows: readonly Row[]): Figures {
  const whole = rows.map(({ ours: { appendMs, buildMs, convertMs } }) => appendMs + buildMs + convertMs);
  const short = rows.map(({ short: { appendMs, buildMs, convertMs } }) => appendMs + buildMs + convertMs);
  const theirs = rows.map(({ theirs: { appendMs, contextMs, convertMs } }) => appendMs + contextMs + convertMs);
  return {
    entries: ENTRIES,
    compactions: COMPACTIONS,
    messages: rows.at(-1)?.ours.messages ?? 0,
    warm_append_ms: median(whole),
    warm_append_p95_ms: quantile(whole, 0.95),
    append_ms: median(rows.map((row) => row.ours.appendMs)),
    build_ms: median(rows.map((row) => row.ours.buildMs)),
    convert_ms: median(rows.map((row) => row.ours.convertMs)),
    pi_context_ms: median(rows.map((row) => row.theirs.contextMs)),
    pi_warm_append_ms: median(theirs),
    warm_x_pi: median(whole) / median(theirs),
    /** Beside a session with one compaction and the same context: 1 is flat. */
    flat: median(whole) / median(short),
  };
}
