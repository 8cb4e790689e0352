/** Inside a compaction: the threshold, the cut, the plan on each rung of the ladder, and the front that comes of it. */

import assert from "node:assert/strict";
import {
  budgetFor,
  compact,
  compactionLimits,
  contextSize,
  findCutPoint,
  frontParts,
  frontTexts,
  MemoryStore,
  prepareCompaction,
  rungs,
  Session,
  shouldCompact,
} from "@pith/context";
import { machine } from "@pith/context/node";
import { story } from "@pith/context/testing";

const output = "one more line of output\n".repeat(120);
const steps = Array.from({ length: 12 }, (_, at) => [`calls: bash command=step-${at + 1}`, `result: ${output}`]);
const store = MemoryStore.create(machine);
await store.append(story("user: Use tabs.", ...steps.flat(), "says: Done.", "user: Go on."), { expectedLeaf: null });
const session = await Session.open(store, machine);

// #region shouldCompact
const budget = budgetFor(compactionLimits, { contextWindow: 8_000 });
const why = shouldCompact(contextSize(session.window), budget); // "tokens"; null where it fits
// #endregion

// #region findCutPoint
const { entries, edits } = session.window;
const cut = findCutPoint(entries, { keep: 2, tokensOf: () => 1, edits }); // here every entry counts one token
// { at: 25, turnAt: 0 }: "Done." and "Go on." are kept; the turn that began with "Use tabs." is cut in its middle
// #endregion

// #region rungs
const names = rungs.map(({ name }) => name); // from what is kept gladly to the barest
// ["whole", "reduced", "half", "quarter", "summary-only", "barest"]
// #endregion

// #region prepareCompaction
const [whole] = rungs;
const prepared = prepareCompaction(session.window, budget, whole); // pure and cheap: it writes nothing, asks nobody
if (prepared.type === "planned") {
  const { covered, kept, words } = prepared.plan;
  console.log(covered.length, kept.length, words.tokens); // 23 go under a summary, 4 stay; 15 tokens of the user's messages
}
// #endregion

const outcome = await compact({ session, budget, reason: "due", ports: machine });
const compaction = session.window.entries[session.window.compactionAt];
if (compaction?.type !== "compaction") throw new Error(`not compacted: ${outcome.type}`);

// #region frontParts
const parts = frontParts(compaction); // [{ kind: "words", length: …, tokens: … }, { kind: "notes", … }, …]
// #endregion

// #region frontTexts
const words = frontTexts(compaction).find(({ part }) => part.kind === "words")?.text; // what the user typed, word for word
// #endregion

assert.equal(why, "tokens");
assert.deepEqual(cut, { at: 25, turnAt: 0 });
assert.deepEqual(names, ["whole", "reduced", "half", "quarter", "summary-only", "barest"]);
assert.ok(prepared.type === "planned" && prepared.plan.words.tokens === 15);
assert.deepEqual([prepared.plan.covered.length, prepared.plan.kept.length], [23, 4]);
assert.deepEqual(
  parts.map(({ kind }) => kind),
  ["words", "notes", "recall"],
);
assert.match(words ?? "", /Use tabs\./);
