/** Model-written summaries: a model as the summarizer of a compaction, a custom summarizer, and a summary on its own. */

import assert from "node:assert/strict";
import {
  buildSessionContext,
  compact,
  compactionLimits,
  convertToLlm,
  createBudget,
  generateSummary,
  MemoryStore,
  modelSummarizer,
  Session,
  SUMMARIZATION_PROMPT,
  SUMMARIZATION_SYSTEM_PROMPT,
  type Summarizer,
  serializeConversation,
  TURN_PREFIX_SUMMARIZATION_PROMPT,
  UPDATE_SUMMARIZATION_PROMPT,
} from "@pith/context";
import { renderTranscript } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { loadBranch } from "@pith/context/store";
import { scriptedModel, story } from "@pith/context/testing";

// A model's answer: the numbers in brackets are the entries it was shown.
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
const model = scriptedModel(record, record, record);
const entries = story(
  "user: Why is the parser slow?",
  "calls: read path=src/parser.ts",
  `result: ${"for (const line of lines) parse(line);\n".repeat(200)}`,
  "says: It reads every line twice.",
  "user: Then read it once.",
  "says: On it.",
);
const sessionOf = async (): Promise<Session> => {
  const store = MemoryStore.create(nodeRuntime);
  await store.append(entries, { expectedLeaf: null });
  return Session.open(store, nodeRuntime);
};
const session = await sessionOf();
const limits = { ...compactionLimits, tail: { tokens: 30, share: 1 } };
const budget = createBudget(limits, { contextWindow: 8_000 });

// #region modelSummarizer
const writers = [modelSummarizer(model, { runtime: nodeRuntime })]; // if one model fails, the next one is used; finally, Pith builds the summary itself
const outcome = await compact({ session, budget, reason: "asked", summarizers: writers, runtime: nodeRuntime });
if (outcome.type === "compacted") console.log(outcome.receipt.by, outcome.receipt.calls); // "anthropic/storyteller", 1
// #endregion

// #region Summarizer
const mine: Summarizer = {
  name: "mine", // what findings call it
  isPaid: false,
  summarize: ({ covered }) => {
    const covers = new Set(covered.map(({ id }) => id)); // it must cover all of them, or it is refused
    return { type: "written", candidate: { route: "mine", narrative: "It was about a parser.", notes: "", covers } };
  },
};
// #endregion
const other = await compact({
  session: await sessionOf(),
  budget,
  reason: "asked",
  summarizers: [mine],
  runtime: nodeRuntime,
});

// #region generateSummary
const result = await generateSummary({ model, entries: entries.slice(0, 4), tokens: 1_000, runtime: nodeRuntime });
if (result.type === "summarized") console.log(result.summary); // "## Goal\n- Why is the parser slow? [#1] …": checked
if (result.type === "failed") console.log(result.failure.code); // "overflow", "refused", "too-long", …: none of it is used
const history = entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
const modelWithRuntime = Object.assign(model, { runtime: nodeRuntime }); // a model from openModel (@pith/models) already has a clock
const summary = await generateSummary(history, modelWithRuntime, 16_384); // pi's call: "## Goal\n- Why is the parser slow?"
// #endregion

// #region renderTranscript
const blocks = renderTranscript(entries, { edits: [] }); // the transcript that a summarizer reads, one block per entry
const [first] = blocks; // { entryId: "e1", reference: "#1", text: "[User]: [#1] Why is the parser slow?", tokens: … }
// #endregion

// #region serializeConversation
const messages = buildSessionContext(loadBranch(story("user: Why is it slow?", "says: It reads twice."))).messages;
const text = serializeConversation(convertToLlm(messages)); // the same without numbers, for your own prompt
// "[User]: Why is it slow?\n\n[Assistant]: It reads twice."
// #endregion

// #region SUMMARIZATION_SYSTEM_PROMPT
const system = SUMMARIZATION_SYSTEM_PROMPT.replace("{nonce}", "4f2a"); // "You summarize a coding session …"
const material = `<conversation 4f2a>\n${text}\n</conversation 4f2a>`; // text inside cannot imitate the end tag
// #endregion

// #region SUMMARIZATION_PROMPT
const sized = (task: string): string => task.replace("{tokens}", "4000").replace("{words}", "2400");
const first4k = `${material}\n\n${sized(SUMMARIZATION_PROMPT)}`; // what to send to your own model
// #endregion

// #region UPDATE_SUMMARIZATION_PROMPT
const before = `<previous-summary 4f2a>\n${summary}\n</previous-summary 4f2a>`;
const update = [before, material, sized(UPDATE_SUMMARIZATION_PROMPT)].join("\n\n"); // updates an earlier summary
// #endregion

// #region TURN_PREFIX_SUMMARIZATION_PROMPT
const prefix = sized(TURN_PREFIX_SUMMARIZATION_PROMPT); // "Above is the beginning of a turn that is still under way …"
// #endregion

assert.ok(outcome.type === "compacted" && other.type === "compacted");
assert.deepEqual(
  [outcome.receipt.route, outcome.receipt.by, outcome.receipt.calls],
  ["model", "anthropic/storyteller", 1],
);
assert.equal(other.receipt.route, "mine");
assert.ok(result.type === "summarized" && result.summary.startsWith("## Goal\n- Why is the parser slow? [#1]\n"));
assert.deepEqual([first?.entryId, first?.reference, first?.text], ["e1", "#1", "[User]: [#1] Why is the parser slow?"]);
assert.equal(text, "[User]: Why is it slow?\n\n[Assistant]: It reads twice.");
assert.match(summary, /^## Goal\n- Why is the parser slow\?\n/);
for (const prompt of [system, first4k, update, prefix]) assert.doesNotMatch(prompt, /\{\w+\}/);
