/** Sub-agents whose end was never told, because the program of their caller ended first: their sessions say what became of them. */

import { createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Crew } from "../running/crew.ts";
import type { Result } from "../running/result-text.ts";
import type { InLog } from "./in-log.ts";
import { isAtWork, outcomeIn } from "./own-session.ts";

export interface Recovering {
  readonly crew: Pick<Crew, "pay">;
  /** Of the caller's session; null where nothing of it is kept. */
  readonly file: string | null;
}

/** Those that are still to be told. */
export async function recover({ started, told, paid }: InLog, { crew, file }: Recovering): Promise<readonly Result[]> {
  const open = started.filter(({ id }) => !told.has(id) || !paid.has(id));
  await ended(open.filter(({ id }) => !told.has(id)).map(({ path }) => path));
  const untold: Result[] = [];
  for (const { id, agent, path } of open) {
    const outcome = await outcomeIn(path);
    const mayOwe = !paid.has(id) && outcome.usage.totalTokens > 0;
    if (mayOwe && !(await isPaidElsewhere(id, file))) await crew.pay(id, outcome);
    const { status, text } = outcome;
    const why = status === "broken" ? { why: "the program it worked for ended" } : {};
    if (!told.has(id)) untold.push({ id, agent, status, text, ...why });
  }
  return untold;
}

/** It may have ended while its caller stood on another branch: what was paid there counts in the same totals. */
async function isPaidElsewhere(id: string, file: string | null): Promise<boolean> {
  if (file === null || !existsSync(file)) return false;
  const mark = `"note":${JSON.stringify(id)}`;
  for await (const line of createInterface({ input: createReadStream(file) })) if (line.includes(mark)) return true;
  return false;
}

/** They end with their caller, or soon after; whoever goes on at once waits for that, for a moment. */
async function ended(paths: readonly string[]): Promise<void> {
  let looks = MOST_LOOKS;
  for (const path of paths)
    while (looks > 0 && (await isAtWork(path))) {
      looks -= 1;
      await sleep(OFTEN_MS);
    }
}

const OFTEN_MS = 100;
const MOST_LOOKS = 50;
