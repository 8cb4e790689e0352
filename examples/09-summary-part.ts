/** Adds a custom part to the summary message: the open tickets. Every compaction renders it again. */

import assert from "node:assert/strict";
import {
  compact,
  compactionLimits,
  createBudget,
  defaultParts,
  MemoryStore,
  Session,
  type SummaryPart,
} from "@pith/context";
import { readSummaryPartTexts } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { story } from "@pith/context/testing";

const openTickets = ["LOGIN-1: the login fails on Safari"];
const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
const budget = createBudget(compactionLimits, { contextWindow: 8_000 });

// #region acts
const tickets: SummaryPart<readonly string[]> = {
  kind: "example.tickets", // names the part in the session file
  share: 0.05, // the fraction of the checkpoint's tokens; longer text is cut
  collect: () => [...openTickets], // once per plan; plan.previous has the previous summary
  render: (kept) => (kept.length === 0 ? "" : `# Open tickets\n${kept.map((each) => `- ${each}`).join("\n")}`),
};
const parts = [...defaultParts, tickets];
// #endregion

const first = await work("Fix the login.");
openTickets.push("LOGIN-2: the logout keeps the cookie");
const second = await work("Now the logout.");
console.log(second);

assert.equal(first, "# Open tickets\n- LOGIN-1: the login fails on Safari");
assert.equal(second, `${first}\n- LOGIN-2: the logout keeps the cookie`);

/** Fills the session, compacts it, and returns the part as the model sees it. */
async function work(request: string): Promise<string> {
  const output = "ok: one more test has passed\n".repeat(40);
  const tests = Array.from({ length: 20 }, (_, index) => [`calls: bash command=test-${index}`, `result: ${output}`]);
  for (const entry of story(`user: ${request}`, ...tests.flat()))
    if (entry.type === "message") await session.append({ type: "message", message: entry.message });
  const outcome = await compact({ session, budget, parts, reason: "due", runtime: nodeRuntime });
  const compaction = session.branch.entries[session.branch.compactionIndex];
  if (outcome.type !== "compacted" || compaction?.type !== "compaction")
    throw new Error(`not compacted: ${outcome.type}`);
  return readSummaryPartTexts(compaction).find(({ part }) => part.kind === tickets.kind)?.text ?? "";
}
