/** Fills a session on disk until a prepared summary is used, and kills itself with -9 at one step. Arguments: the session file, the server and the step. */

import { compactionLimits, modelSummarizer, Session, type Summarizer } from "@pith/context";
import { createStore, nodeRuntime } from "@pith/context/node";
import { type Files, type OpenFile, realFiles } from "../../../context/src/node/files.ts";
import { Agent } from "../../src/index.ts";
import { modelOf, ran } from "../support/served-agents.ts";

const [path = "", url = "", crashStep = ""] = process.argv.slice(2);

function reach(step: string): void {
  if (step === crashStep) process.kill(process.pid, "SIGKILL");
}

const files: Files = { ...realFiles, open: (...options) => crashInAppend(realFiles.open(...options)) };

function crashInAppend(file: OpenFile): OpenFile {
  const append = (bytes: Uint8Array): number => {
    if (!Buffer.from(bytes).includes('"type":"compaction"')) return file.append(bytes);
    if (crashStep === "half of the batch is written") file.append(bytes.subarray(0, bytes.length / 2));
    reach("half of the batch is written");
    const written = file.append(bytes);
    reach("the batch is written, but not synced");
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

function crashAfterAnswer(summarizer: Summarizer): Summarizer {
  return {
    ...summarizer,
    async summarize(...options) {
      const result = await summarizer.summarize(...options);
      reach("the model has answered");
      return result;
    },
  };
}

const PREPARATION_STEPS: Readonly<Record<string, string>> = {
  started: "the preparation has started",
  ready: "the summary is ready",
};

const created = await createStore(path, { cwd: "/work" }, { files });
if (created.type !== "opened") throw new Error(`${path} cannot be created`);
const session = await Session.open(created.store, nodeRuntime);
session.watch((entries) => {
  if (entries.some(({ type }) => type === "compaction")) reach("the batch is in the session");
});
const open = (model: string) => modelOf({ provider: "anthropic", model, path: "/v1" }, { url }, 20_000);
const agent = new Agent({
  session,
  model: await open("claude-sonnet-4-5"),
  tools: [],
  runtime: nodeRuntime,
  thinkingLevel: "off",
  summarizers: [crashAfterAnswer(modelSummarizer(await open("summarizer"), { runtime: nodeRuntime }))],
  limits: { ...compactionLimits, prepare: "during-runs" },
  hooks: { session_before_compact: [() => reach("the summary is checked for its use")] },
  onEvent: (event) => {
    if (event.type === "compaction_preparation") reach(PREPARATION_STEPS[event.state] ?? "");
    if (event.type === "compaction_start") reach("the compaction starts");
    if (event.type === "compaction_end") reach("the compaction is reported");
  },
});
const stones = "Build the observatory, stone by stone. ".repeat(110);
while (agent.contextUsage().tokens < 12_000) await ran(agent, stones);
await ran(agent, "Go on.");
while (!agent.isSummaryReady) await nodeRuntime.sleep(10, {});
while (session.branch.compactionIndex < 0) await ran(agent, stones);
