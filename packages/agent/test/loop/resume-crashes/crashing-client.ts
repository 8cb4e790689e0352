/**
 * Sends five messages to an agent, each with an id, and kills itself with -9 at one of its steps: an append, a delta of a reply, a tool call.
 * A client that is started again sends all messages again. Arguments: the folder, the server, the number of the step, where 0 means never, and the messages.
 */

import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { Session } from "@pith/context";
import { createStore, nodeRuntime, openStore } from "@pith/context/node";
import { type Files, type OpenFile, realFiles } from "../../../../context/src/node/files.ts";
import { Agent, type AgentEvent, type RunEnd, type Tool } from "../../../src/index.ts";
import { modelOf } from "../../support/served-agents.ts";
import type { ClientMessages } from "./kill-clients.ts";

const [folder = "", url = "", killAt = "0", messages = ""] = process.argv.slice(2);
const { prompt, steering, followUps }: ClientMessages = JSON.parse(messages);
const path = join(folder, "session.jsonl");

let steps = 0;
function reachStep(): void {
  steps += 1;
  if (steps === Number(killAt)) process.kill(process.pid, "SIGKILL");
}

const files: Files = { ...realFiles, open: (...options) => countAppends(realFiles.open(...options)) };

function countAppends(file: OpenFile): OpenFile {
  const append = (bytes: Uint8Array): number => {
    reachStep();
    // A write that is cut off in the middle.
    if (steps + 1 === Number(killAt)) file.append(bytes.subarray(0, bytes.length / 2));
    reachStep();
    const written = file.append(bytes);
    reachStep();
    return written;
  };
  return {
    append,
    read: (...options) => file.read(...options),
    truncate: (size) => file.truncate(size),
    sync: () => file.sync(),
    stat: () => file.stat(),
    close: () => file.close(),
  };
}

/** Records each call, before it ends, in a file outside of the session. */
function createTool(name: string, isIdempotent: boolean): Tool {
  return {
    name,
    description: "Works.",
    parameters: { type: "object", properties: {} },
    isIdempotent,
    run: async ({ id }) => {
      reachStep();
      appendFileSync(join(folder, `${name}.log`), `${id}\n`);
      await nodeRuntime.sleep(1, {});
      reachStep();
      return { content: [{ type: "text", text: "done" }] };
    },
  };
}

const opened = existsSync(path)
  ? await openStore(path, { files, mode: "takeover" })
  : await createStore(path, { cwd: "/work" }, { files });
if (opened.type !== "opened") throw new Error(`${path} cannot be opened`);
const agent = new Agent({
  session: await Session.open(opened.store, nodeRuntime),
  model: await modelOf({ provider: "anthropic", model: "claude-sonnet-4-5", path: "/v1" }, { url }),
  tools: [createTool("look", true), createTool("work", false)],
  runtime: nodeRuntime,
  thinkingLevel: "off",
  systemPrompt: { folder, customPrompt: "You work." },
});

let sending: Promise<unknown> | undefined;
/** Sends the other messages as soon as the run has begun. */
function onEvent({ type }: AgentEvent): void {
  reachStep();
  if (type !== "turn_start") return;
  sending ??= Promise.all([
    ...followUps.map(({ id, text }) => agent.followUp(text, { id })),
    agent.steer(steering.text, { id: steering.id }),
  ]);
}

async function readEvents(run: AsyncGenerator<AgentEvent, RunEnd>): Promise<void> {
  for (;;) {
    const { done, value } = await run.next();
    if (!done) onEvent(value);
    else if (value.type === "done") return;
    else throw new Error(JSON.stringify(value));
  }
}

await readEvents(agent.prompt(prompt.text, { id: prompt.id }));
// The client was killed after the run and before it sent the other messages.
onEvent({ type: "turn_start" });
await sending;
await readEvents(agent.resume());
await agent.close();
await agent.session.close();
console.log(steps);
