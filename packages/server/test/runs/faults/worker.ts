/**
 * A worker that is killed: `node worker.ts OPTIONS` runs sessions until SIGTERM, and then gives them back. The message `{ dieAt }` lets it
 * kill itself with -9 when it reaches that moment. It ends if the process that started it ends.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { Agent, type AgentEvent, type Tool } from "@pith/agent";
import { Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { openModel } from "@pith/models";
import {
  connect,
  type Database,
  type OpenAgent,
  openDbosWake,
  startWorker,
  type WorkerIntervals,
} from "../../../src/index.ts";
import { APPLICATION } from "../../support/cluster.ts";
import { openJournal } from "./journal.ts";

/** The argument, as JSON. */
export interface WorkerProgramOptions {
  readonly id: string;
  /** Another release has another system prompt and other tools. */
  readonly release: number;
  /** The port of PostgreSQL. */
  readonly port: number;
  readonly modelUrl: string;
  readonly journal: string;
  readonly intervals: WorkerIntervals;
  readonly dieAt?: Moment;
}

/** Before a statement is sent, while it is under way, and after its answer. */
type Phase = "before" | "during" | "after";

/** A moment at which a worker can die. `after-tool`: after the result of a tool, before the next request. */
export type Moment =
  | `${"hold" | "deliver" | "append" | "release"}-${Phase}`
  | "sweep"
  | "reply"
  | "tool"
  | "after-tool";

const STATEMENTS: Readonly<Record<string, "hold" | "deliver" | "append" | "release">> = {
  ...{ hold_session: "hold", mark_delivered: "deliver", append: "append", release_session: "release" },
};

const options: WorkerProgramOptions = JSON.parse(process.argv[2] ?? "");
const { id, release, port, modelUrl, intervals } = options;
const record = openJournal(options.journal);
let dieAt: Moment | undefined = options.dieAt;

process.on("message", (message: { readonly dieAt: Moment }) => {
  dieAt = message.dieAt;
});
process.on("disconnect", () => process.exit(1));
let hasEnded = false;
const lifeRecorded = recordLife();

const database = connect({ host: "127.0.0.1", port, user: APPLICATION, database: "pith" });
const wake = await openDbosWake({
  ...{ connectionString: `postgresql://${APPLICATION}@127.0.0.1:${port}/pith`, worker: id, pollMs: 200 },
});
const worker = await startWorker({
  ...{ database: dieAround(database), wake, openAgent: createAgentOpener(), concurrency: 20, id, intervals },
  onError: (error) => record({ type: "error", worker: id, at: Date.now(), why: String(error) }),
});
process.on("SIGTERM", async () => {
  await worker.stop();
  hasEnded = true;
  await lifeRecorded;
  record({ type: "ended", worker: id });
  await wake.close();
  await database.close();
  process.removeAllListeners("disconnect");
  process.disconnect();
});
process.send?.("ready");

function reachMoment(moment: Moment): void {
  if (moment !== dieAt) return;
  record({ type: "died", worker: id, at: Date.now() });
  process.kill(process.pid, "SIGKILL");
}

function dieAround(whole: Database): Database {
  const around = async <Result>(name: string, run: () => Promise<Result>): Promise<Result> => {
    const statement = STATEMENTS[name];
    if (!statement) return await run();
    reachMoment(`${statement}-before`);
    const running = run();
    // By then it was sent.
    if (dieAt === `${statement}-during`) setImmediate(reachMoment, dieAt);
    const result = await running;
    reachMoment(`${statement}-after`);
    return result;
  };
  return {
    ...whole,
    readRows: async (name, values) => {
      const rows = await around(name, () => whole.readRows<never>(name, values));
      if (name === "find_stranded" && rows.length > 0) reachMoment("sweep");
      return rows;
    },
    call: (name, values) => around(name, () => whole.call(name, values)),
  };
}

function createAgentOpener(): OpenAgent {
  const tools = [createTool("look", true), createTool("work", false)];
  const systemPrompt = { folder: "/work", customPrompt: `You work with release ${release}.` };
  return async ({ store }) => {
    const opened = await openModel({
      ...{ provider: "anthropic", model: "claude-sonnet-4-5", apiKey: "any", baseUrl: `${modelUrl}/v1` },
    });
    if (opened.type !== "opened") throw new Error(opened.message);
    const agent = new Agent({
      ...{ session: await Session.open(store, nodeRuntime), model: opened.model, tools, runtime: nodeRuntime },
      ...{ systemPrompt, thinkingLevel: "off", onEvent: reachEvent },
    });
    return { agent, close: () => agent.close() };
  };
}

function reachEvent({ type }: AgentEvent): void {
  if (type === "message_update") reachMoment("reply");
  if (type === "tool_execution_end") reachMoment("after-tool");
}

function createTool(name: string, isIdempotent: boolean): Tool {
  return {
    name,
    description: `Works, in release ${release}.`,
    parameters: { type: "object", properties: {} },
    isIdempotent,
    run: async ({ id: call }) => {
      record({ type: "tool", call, worker: id });
      await sleep(20 + Math.random() * 80);
      reachMoment("tool");
      return { content: [{ type: "text", text: "done" }] };
    },
  };
}

/** A worker that cannot do this has no beat either, because the machine is busy or because the process was stopped. */
async function recordLife(): Promise<void> {
  const probe = connect({ host: "127.0.0.1", port, user: APPLICATION, database: "pith", maxConnections: 1 });
  while (!hasEnded) {
    await probe.pool.query("select 1").catch(() => {});
    record({ type: "alive", worker: id, at: Date.now() });
    await sleep(intervals.beat / 2);
  }
  await probe.close();
}
