/** Summaries by models: a model as the writer of a compaction, a writer of one's own, and the record by itself. */

import assert from "node:assert/strict";
import {
  budgetFor,
  buildSessionContext,
  compact,
  compactionLimits,
  convertToLlm,
  generateSummary,
  MemoryStore,
  modelWriter,
  Session,
  serializeConversation,
  transcriptOf,
  type Writer,
  windowOf,
} from "@pith/context";
import { machine } from "@pith/context/node";
import { scriptedModel, story } from "@pith/context/testing";

// What a model would answer: the numbers in brackets are those of the entries it was shown.
const record = `## Goal
- Why is the parser slow? [#1]

## Constraints & Preferences
- (none)

## Progress
### Done
- [x] read src/parser.ts: it reads every line twice [#2, #4]

### In Progress
- (none)

### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. (none)

## Critical Context
- (none)`;
const model = scriptedModel(record, record);
const talk = story(
  "user: Why is the parser slow?",
  "calls: read path=src/parser.ts",
  `result: ${"for (const line of lines) parse(line);\n".repeat(200)}`,
  "says: It reads every line twice.",
  "user: Then read it once.",
  "says: On it.",
);
const sessionOf = async (): Promise<Session> => {
  const store = MemoryStore.create(machine);
  await store.append(talk, { expectedLeaf: null });
  return Session.open(store, machine);
};
const session = await sessionOf();
const limits = { ...compactionLimits, tail: { tokens: 30, share: 1 } };
const budget = budgetFor(limits, { contextWindow: 8_000 });

// #region modelWriter
const writers = [modelWriter(model, { ports: machine })]; // where one model fails the next is asked; at last code writes
const outcome = await compact({ session, budget, reason: "asked", writers, ports: machine });
if (outcome.type === "compacted") console.log(outcome.receipt.by, outcome.receipt.calls); // "anthropic/storyteller", 1
// #endregion

// #region Writer
const mine: Writer = {
  route: "mine", // as the receipt names it
  isPaid: false,
  write: ({ covered }) => {
    const covers = new Set(covered.map(({ id }) => id)); // all of it must be told, or it is refused
    return { type: "written", candidate: { route: "mine", story: "It was about a parser.", notes: "", covers } };
  },
};
// #endregion
const other = await compact({ session: await sessionOf(), budget, reason: "asked", writers: [mine], ports: machine });

// #region generateSummary
const told = await generateSummary({ model, entries: talk.slice(0, 4), tokens: 1_000, ports: machine });
if (told.type === "summarised") console.log(told.story); // "## Goal\n- Why is the parser slow? [#1] …": checked
if (told.type === "failed") console.log(told.failure.code); // "overflow", "refused", "too-long", …: nothing of it is used
// #endregion

// #region transcriptOf
const blocks = transcriptOf(talk, { edits: [] }); // what a model is shown, block by block; results by their telling lines
const [first] = blocks; // { entryId: "e1", reference: "#1", text: "[User]: [#1] Why is the parser slow?", tokens: … }
// #endregion

// #region serializeConversation
const messages = buildSessionContext(windowOf(story("user: Why is it slow?", "says: It reads twice."))).messages;
const text = serializeConversation(convertToLlm(messages)); // the same without numbers, for a prompt of your own
// "[User]: Why is it slow?\n\n[Assistant]: It reads twice."
// #endregion

assert.ok(outcome.type === "compacted" && other.type === "compacted");
assert.deepEqual(
  [outcome.receipt.route, outcome.receipt.by, outcome.receipt.calls],
  ["model", "anthropic/storyteller", 1],
);
assert.equal(other.receipt.route, "mine");
assert.ok(told.type === "summarised" && told.story.startsWith("## Goal\n- Why is the parser slow? [#1]\n"));
assert.deepEqual([first?.entryId, first?.reference, first?.text], ["e1", "#1", "[User]: [#1] Why is the parser slow?"]);
assert.equal(text, "[User]: Why is it slow?\n\n[Assistant]: It reads twice.");
