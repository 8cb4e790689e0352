/** Runs the agent of `pnpm bench hosted` on session files in a process of its own, without PostgreSQL and DBOS, and reports the CPU time. */

import { createStore, openStore } from "@pith/context/node";
import { openBenchAgent } from "./open-agent.ts";

export interface FileRunsOptions {
  readonly modelUrl: string;
  readonly folder: string;
}

/** One run for each session, `atOnce` of them at the same time. */
export interface FileRunsRequest {
  readonly sessionIds: readonly string[];
  readonly atOnce: number;
}

export interface FileRunsResult {
  readonly cpuMs: number;
}

/** Creating the files is not measured, just as the creation of hosted sessions is not. */
async function runOnFiles(
  { modelUrl, folder }: FileRunsOptions,
  { sessionIds, atOnce }: FileRunsRequest,
): Promise<FileRunsResult> {
  const path = (id: string): string => `${folder}/${id}.jsonl`;
  for (const id of sessionIds) {
    const created = await createStore(path(id), { cwd: "/work" });
    if (created.type !== "opened") throw new Error(`the session file of ${id} was not created: ${created.type}`);
    await created.store.close();
  }
  const before = process.cpuUsage();
  const waiting = [...sessionIds];
  const runNext = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) await runOnFile(path(id), id, modelUrl);
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000 };
}

async function runOnFile(path: string, sessionId: string, modelUrl: string): Promise<void> {
  const opened = await openStore(path);
  if (opened.type !== "opened") throw new Error(`${path} was not opened: ${opened.type}`);
  const { store } = opened;
  const { agent, close } = await openBenchAgent({ store, sessionId, modelUrl, onEvent: () => {} });
  const run = agent.prompt("Survey the stones.");
  let next = await run.next();
  while (!next.done) next = await run.next();
  if (next.value.type !== "done") throw new Error(`the run on ${path} ended as ${next.value.type}`);
  await close();
  await store.close();
}

// The options are the first argument. The process ends with the bench.
if (import.meta.main) {
  const options = JSON.parse(process.argv[2] ?? "") as FileRunsOptions;
  process.once("disconnect", () => process.exit());
  process.on("message", async (request: FileRunsRequest) => void process.send?.(await runOnFiles(options, request)));
}
