/** Inside a compaction: the threshold, the cut, the plan at each compaction level, and the resulting summary message. */

import assert from "node:assert/strict";
import {
  compact,
  compactionLimits,
  contextSize,
  createBudget,
  findCutPoint,
  MemoryStore,
  prepareCompaction,
  Session,
  shouldCompact,
} from "@pith/context";
import { compactionLevels, readSummaryParts, readSummaryPartTexts } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { story } from "@pith/context/testing";

const output = "one more line of output\n".repeat(120);
const steps = Array.from({ length: 12 }, (_, at) => [`calls: bash command=step-${at + 1}`, `result: ${output}`]);
const store = MemoryStore.create(nodeRuntime);
await store.append(story("user: Use tabs.", ...steps.flat(), "says: Done.", "user: Go on."), { expectedLeaf: null });
const session = await Session.open(store, nodeRuntime);

// #region shouldCompact
const budget = createBudget(compactionLimits, { contextWindow: 8_000 });
const why = shouldCompact(contextSize(session.branch), budget); // "tokens"; null if it fits
const settings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 1_000 };
const isTime = shouldCompact(190_000, 200_000, settings); // true: pi's call, with the tokens and the window
// #endregion

// #region findCutPoint
const { entries, edits } = session.branch;
const cut = findCutPoint(entries, { keepTokens: 2, tokensOf: () => 1, edits }); // here every entry counts as one token
// { index: 25, turnStartIndex: 0 }: "Done." and "Go on." are kept; the turn that began with "Use tabs." is cut in the middle
const piCut = findCutPoint(entries, 0, entries.length, 1_000); // pi's call: keeps 1,000 estimated tokens
// { firstKeptEntryIndex: 23, turnStartIndex: 0, isSplitTurn: true }
// #endregion

// #region compactionLevels
const names = compactionLevels.map(({ name }) => name); // from keeping the most to keeping the least
// ["whole", "reduced", "half", "quarter", "summary-only", "barest"]
// #endregion

// #region prepareCompaction
const [whole] = compactionLevels;
const prepared = prepareCompaction(session.branch, budget, whole); // pure and cheap: writes nothing, calls no model
if (prepared.type === "planned") {
  const { covered, kept, checkpoint } = prepared.plan;
  console.log(covered.length, kept.length, checkpoint); // 23 are summarized, 4 are kept; the tokens for the summary
}
const preparation = prepareCompaction(await session.branchEntries(), settings); // pi's call; undefined if there is nothing to do
const { firstKeptEntryId, isSplitTurn, turnPrefixMessages } = preparation ?? {}; // "e24", true, 23 messages
// #endregion

const outcome = await compact({ session, budget, reason: "due", runtime: nodeRuntime });
const compaction = session.branch.entries[session.branch.compactionIndex];
if (compaction?.type !== "compaction") throw new Error(`not compacted: ${outcome.type}`);

// #region readSummaryParts
const parts = readSummaryParts(compaction); // [{ kind: "words", length: …, tokens: … }, { kind: "notes", … }, …]
// #endregion

// #region readSummaryPartTexts
const words = readSummaryPartTexts(compaction).find(({ part }) => part.kind === "words")?.text; // what the user typed, word for word
// #endregion

assert.equal(why, "tokens");
assert.equal(isTime, true);
assert.deepEqual(cut, { index: 25, turnStartIndex: 0 });
assert.deepEqual(piCut, { firstKeptEntryIndex: 23, turnStartIndex: 0, isSplitTurn: true });
assert.deepEqual([firstKeptEntryId, isSplitTurn, turnPrefixMessages?.length], ["e24", true, 23]);
assert.deepEqual(names, ["whole", "reduced", "half", "quarter", "summary-only", "barest"]);
assert.ok(prepared.type === "planned" && prepared.plan.checkpoint > 0);
assert.deepEqual([prepared.plan.covered.length, prepared.plan.kept.length], [23, 4]);
assert.deepEqual(
  parts.map(({ kind }) => kind),
  ["words", "notes", "recall"],
);
assert.match(words ?? "", /Use tabs\./);
