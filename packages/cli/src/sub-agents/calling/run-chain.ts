/** Sub-agents one after the other: each is told what the one before said last, as it was said. The first that does not come to its end is the last. */

import type { Task } from "../running/crew.ts";
import { excerptOf } from "../running/excerpt.ts";
import { progressLine } from "../running/progress.ts";
import type { Result } from "../running/result-text.ts";
import { endsOfAll, type Waiting } from "./ends-of-all.ts";

export interface Chained {
  /** Of those before the last only that they are done: their words went on to the next. */
  readonly results: readonly Result[];
  /** Why the next could not be started. */
  readonly failures: readonly string[];
}

export async function inChain(tasks: readonly Task[], { call, crew }: Waiting): Promise<Chained> {
  const results: Result[] = [];
  for (const { agent, task } of tasks) {
    if (call.signal.aborted) break;
    const previous = results.at(-1)?.text ?? "";
    const member = await crew.start(
      { agent, task: filled(task, previous) },
      {
        isBackground: false,
        onProgress: () => typeof member !== "string" && call.update(progressLine(agent.name, member.progress)),
      },
    );
    if (typeof member === "string") return { results: passedOn(results), failures: [member] };
    results.push(...(await endsOfAll([member], { call, crew })));
    if (results.at(-1)?.status !== "done") break;
  }
  return { results: passedOn(results), failures: [] };
}

function passedOn(results: readonly Result[]): readonly Result[] {
  return results.map((result, at) => (at < results.length - 1 ? { ...result, text: "" } : result));
}

/** In one go, so that nothing that was said is ever taken for a place to fill. */
export function filled(task: string, previous: string): string {
  return task.replaceAll("{previous}", () => excerptOf(previous, MOST_PASSED).excerpt);
}

/** Bytes. */
const MOST_PASSED = 48 * 1024;
