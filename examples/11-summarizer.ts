/** Writes a summarizer without a model: it lists the commands that ran and how they ended. With a price, it competes with models. */

import assert from "node:assert/strict";
import {
  compact,
  compactionLimits,
  createBudget,
  type Entry,
  MemoryStore,
  Session,
  type Summarizer,
} from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { story } from "@pith/context/testing";

const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
const budget = createBudget(compactionLimits, { contextWindow: 8_000 });
const output = "ok: one more test has passed\n".repeat(40);
const tests = Array.from({ length: 20 }, (_, index) => [`calls: bash command=test-${index}`, `result: ${output}`]);
for (const entry of story("user: Run all tests.", ...tests.flat()))
  if (entry.type === "message") await session.append({ type: "message", message: entry.message });

// #region acts
const commandList: Summarizer = {
  name: "command-list", // what findings call it
  isPaid: false, // the hourly limit on cost does not apply
  estimate: () => ({ cost: 0, isComplete: true }), // isComplete: it reads everything in full
  summarize: ({ covered }) => {
    const narrative = ["## Commands so far", ...covered.flatMap(listCommands)].join("\n");
    const covers = new Set(covered.map(({ id }) => id)); // it must cover all entries, or the summary is refused
    return { type: "written", candidate: { route: "command-list", narrative, notes: "", covers } }; // the receipt records the route
  },
};
const summarizers = [commandList]; // add modelSummarizer(model, …) to try a model before or after it
const outcome = await compact({
  session,
  budget,
  summarizers,
  summarizerOrder: "cheapest",
  reason: "due",
  runtime: nodeRuntime,
});
// #endregion

assert.equal(outcome.type, "compacted");
if (outcome.type === "compacted") {
  console.log(outcome.receipt.route, outcome.receipt.tokens);
  assert.equal(outcome.receipt.route, "command-list");
  assert.ok(outcome.receipt.tokens.after < outcome.receipt.tokens.before / 2);
}
const [compaction] = session.branch.entries.filter(({ type }) => type === "compaction");
assert.ok(compaction?.type === "compaction" && compaction.summary.includes("- test-0"));

function listCommands(entry: Entry): readonly string[] {
  if (entry.type !== "message" || entry.message.role !== "assistant") return [];
  return entry.message.content.flatMap((block) =>
    block.type === "toolCall" && block.name === "bash" ? [`- ${block.arguments.command}`] : [],
  );
}
