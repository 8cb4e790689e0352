/** Long work in short steps: whoever waits for something else gets a turn after each of them, and what is done stays done. */

import type { Database } from "../keeping/sqlite.ts";

export interface Step {
  /** Bytes of sessions that were read. */
  readonly bytes: number;
  /** How much there is to be written. */
  readonly letters: number;
}

/** One that reads nothing, and writes a little. */
export const QUIET: Step = { bytes: 0, letters: 64 * 1024 };

export interface Progress {
  readonly done: number;
  readonly all: number;
}

export interface Pace {
  /** Is told of bytes that were read, and how many there are in all. */
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** A turn for whoever waits for something else. */
export const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What was done before it was aborted is kept, and the next one goes on from there. */
export async function inSteps(
  database: Database,
  steps: Generator<Step>,
  { bytes: all, signal, onProgress }: Pace & { readonly bytes: number },
): Promise<"done" | "aborted"> {
  let [done, letters] = [0, 0];
  try {
    for (;;) {
      if (signal?.aborted) return "aborted";
      if (!database.isTransaction) database.exec("BEGIN IMMEDIATE");
      const step = steps.next();
      if (step.done) return "done";
      done += step.value.bytes;
      letters += step.value.letters;
      if (letters >= COMMIT_LETTERS) {
        database.exec("COMMIT");
        letters = 0;
      }
      onProgress?.({ done: Math.min(done, all), all });
      await breath();
    }
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  } finally {
    steps.return(undefined);
    if (database.isTransaction) database.exec("COMMIT");
  }
}

/** About as much as SQLite gathers before it writes a piece by itself. */
const COMMIT_LETTERS = 1_000_000;
