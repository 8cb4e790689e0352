/** Runs `pnpm bench context`: what one step of an agent (append, build, convert) costs on a long session, beside pi. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSessionContext, convertToLlm, type Drafted, MemoryStore, Session } from "@pith/context";
import { machine } from "@pith/context/node";
import { COMPACTIONS, ENTRIES, messageAt, writeLongSession } from "../made-up-session.ts";
import { type Pi, startPi } from "../peers/pi.ts";
import { random } from "../random.ts";
import { median, quantile } from "../statistics.ts";
import type { Figures, Settings, Suite } from "../suite.ts";
import { texts } from "../texts.ts";

export interface OurSession {
  step(message: object): Promise<{ readonly appendMs: number; readonly buildMs: number; readonly convertMs: number }>;
  /** How many messages the last step would have sent. */
  messages(): number;
}

export async function openOurs(bytes: Uint8Array): Promise<OurSession> {
  const session = await Session.open(MemoryStore.open(bytes, machine), machine);
  let sent = 0;
  return {
    async step(message) {
      const start = performance.now();
      await session.append({ type: "message", message } as Drafted);
      const appended = performance.now();
      const context = buildSessionContext(session.window);
      const built = performance.now();
      sent = convertToLlm(context.messages).length;
      const converted = performance.now();
      return { appendMs: appended - start, buildMs: built - appended, convertMs: converted - built };
    },
    messages: () => sent,
  };
}

export const contextSuite: Suite = {
  name: "context",
  about: "append, build and convert on 100,000 entries with 50 compactions, warm, beside pi",
  run: runContext,
};

async function runContext(settings: Settings): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "pith-bench-"));
  const pi = startPi();
  try {
    const long = writeLongSession(join(folder, "long.jsonl"), COMPACTIONS, settings);
    const short = writeLongSession(join(folder, "short.jsonl"), 1, settings);
    return await measured({ long, short, pi, settings });
  } finally {
    pi.end();
    rmSync(folder, { recursive: true });
  }
}

interface Scene {
  readonly long: string;
  readonly short: string;
  readonly pi: Pi;
  readonly settings: Settings;
}

async function measured({ long, short, pi, settings: { say, quick, seed, corpus } }: Scene): Promise<Figures> {
  say("opening it in Pith and in pi");
  const ours = await openOurs(readFileSync(long));
  const oursShort = await openOurs(readFileSync(short));
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
      const steps = { ours: await ours.step(message), short: await oursShort.step(message), theirs: theirs[index] };
      if (block > 0 && steps.theirs) rows.push({ ...steps, theirs: steps.theirs });
    }
  }
  return figuresOf(rows, ours);
}

/** Steps in a row, so that both are measured with their own data at hand. */
const BLOCK = 15;

interface PiStep {
  readonly appendMs: number;
  readonly contextMs: number;
  readonly convertMs: number;
}

interface Row {
  readonly ours: { readonly appendMs: number; readonly buildMs: number; readonly convertMs: number };
  readonly short: { readonly appendMs: number; readonly buildMs: number; readonly convertMs: number };
  readonly theirs: PiStep;
}

function figuresOf(rows: readonly Row[], ours: OurSession): Figures {
  const whole = rows.map(({ ours: { appendMs, buildMs, convertMs } }) => appendMs + buildMs + convertMs);
  const short = rows.map(({ short: { appendMs, buildMs, convertMs } }) => appendMs + buildMs + convertMs);
  const theirs = rows.map(({ theirs: { appendMs, contextMs, convertMs } }) => appendMs + contextMs + convertMs);
  return {
    entries: ENTRIES,
    compactions: COMPACTIONS,
    messages: ours.messages(),
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
