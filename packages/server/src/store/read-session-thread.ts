/** Reads a session file in a thread of its own, with limits, because a file may take long to read. The same file is what the thread runs. */

import { once } from "node:events";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { nodeRuntime } from "@pith/context/node";
import { type FileRow, type ReadFileResult, readSessionFile, type SessionFile } from "./read-session-file.ts";

/** `too-large`: it has too many lines, or takes too much time or memory. */
export type ReadThreadResult = ReadFileResult | { readonly type: "too-large" };

/** In a smaller file, nothing takes long. */
const SMALL_BYTES = 64 * 1024;
const MAX_LINES = 100_000;
const TIME_LIMIT_MS = 60_000;
const MEMORY_LIMIT_MB = 1_024;

/** Rows that are sent together, so that they do not hold up the others of the process. */
const ROWS_PER_PART = 2_000;

interface ThreadData {
  readonly sessionFile: Uint8Array;
}

type Part = { readonly rows: readonly FileRow[] } | { readonly result: ReadFileResult };

const OPTIONS = { runtime: nodeRuntime, skipsDamage: false };

/** A damaged file is refused. */
export async function readInThread(bytes: Uint8Array): Promise<ReadThreadResult> {
  if (bytes.length <= SMALL_BYTES) return readSessionFile(bytes, OPTIONS);
  if (hasMoreLines(bytes, MAX_LINES)) return { type: "too-large" };
  const data: ThreadData = { sessionFile: bytes };
  const resourceLimits = { maxOldGenerationSizeMb: MEMORY_LIMIT_MB };
  const worker = new Worker(new URL(import.meta.url), { workerData: data, resourceLimits });
  const timer = setTimeout(() => void worker.terminate(), TIME_LIMIT_MS);
  const rows: FileRow[] = [];
  let result: ReadFileResult | null = null;
  worker.on("message", (part: Part) => {
    if ("rows" in part) for (const row of part.rows) rows.push(row);
    else result = part.result;
  });
  try {
    await once(worker, "exit");
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== "ERR_WORKER_OUT_OF_MEMORY") throw error;
  } finally {
    clearTimeout(timer);
  }
  return addRows(result, rows);
}

function addRows(result: ReadFileResult | null, rows: readonly FileRow[]): ReadThreadResult {
  if (!result) return { type: "too-large" };
  return result.type === "read" ? { type: "read", file: { ...result.file, rows } } : result;
}

function hasMoreLines(bytes: Uint8Array, max: number): boolean {
  let position = -1;
  for (let count = 0; count <= max; count += 1) {
    position = bytes.indexOf(0x0a, position + 1);
    if (position === -1) return false;
  }
  return true;
}

function run(bytes: Uint8Array): void {
  const result = readSessionFile(bytes, OPTIONS);
  if (result.type !== "read") {
    send({ result: shorten(result) });
    return;
  }
  const { rows } = result.file;
  for (let start = 0; start < rows.length; start += ROWS_PER_PART)
    send({ rows: rows.slice(start, start + ROWS_PER_PART) });
  const file: SessionFile = { ...result.file, rows: [] };
  send({ result: { type: "read", file } });
}

/** Nobody reads more than whether there is damage. */
function shorten(result: Exclude<ReadFileResult, { type: "read" }>): ReadFileResult {
  return result.type === "damaged" ? { type: "damaged", damage: result.damage.slice(0, 100) } : result;
}

function send(part: Part): void {
  parentPort?.postMessage(part);
}

const { sessionFile } = Object(workerData) as Partial<ThreadData>;
if (sessionFile) run(sessionFile);
