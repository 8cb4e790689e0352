/** Tests compaction/pi-calls.ts: pi's calls run the same engine as ours, and a call that is neither says what to write. */

import { expect, test } from "vitest";
import {
  type AgentMessage,
  compact,
  compactionLimits,
  contextSize,
  createBudget,
  type Entry,
  estimateTokens,
  findCutPoint,
  generateSummary,
  type Model,
  messageTokens,
  prepareCompaction,
  shouldCompact,
} from "../../src/index.ts";
import { loadBranch } from "../../src/session/loaded-branch.ts";
import { type ScriptedReply, scriptedModel, story, testRuntime } from "../../src/testing/index.ts";
import { repeatWord } from "../support/small-session.ts";

const settings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 30 };

const headings = (goal: string, done: string): string => `## Goal
- ${goal}

## Constraints & Preferences
- (none)

## Progress
### Done
- [x] ${done}

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

const record = headings("read the schema [#1]", "read schema.sql [#2]");

function opened(...replies: readonly ScriptedReply[]) {
  return Object.assign(scriptedModel(...replies), { runtime: testRuntime("p") });
}

const branch = story(
  "user: read the schema",
  "calls: read path=schema.sql",
  `result: ${repeatWord(300)}`,
  "says: there are nine tables",
  "user: add an index",
  "says: on which column?",
);

const messagesOf = (entries: readonly Entry[]): readonly AgentMessage[] =>
  entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));

test("SRC1 shouldCompact with three values is true above the window minus the reserve, and false if turned off", () => {
  expect(shouldCompact(190_000, 200_000, settings)).toBe(true);
  expect([183_616, 183_617].map((tokens) => shouldCompact(tokens, 200_000, settings))).toEqual([false, true]);
  expect(shouldCompact(190_000, 200_000, { ...settings, enabled: false })).toBe(false);
});

test("SRC1 B13 shouldCompact with three values uses the whole reserve, even in a small window", () => {
  expect([16_384, 16_385].map((tokens) => shouldCompact(tokens, 32_768, settings))).toEqual([false, true]);
  expect([0, 1].map((tokens) => shouldCompact(tokens, 16_384, settings))).toEqual([false, true]);
  expect(shouldCompact(0, 8_192, settings)).toBe(true);
});

test("SRC1 DUE3 B13 shouldCompact with a size and a budget uses at most a quarter of a small window as the reserve", () => {
  const size = contextSize(loadBranch(branch));
  const exceeded = (tokens: number, contextWindow: number) =>
    shouldCompact({ ...size, tokens }, createBudget(compactionLimits, { contextWindow }));
  expect([12_288, 12_289].map((tokens) => exceeded(tokens, 16_384))).toEqual([null, "tokens"]);
  expect([183_616, 183_617].map((tokens) => exceeded(tokens, 200_000))).toEqual([null, "tokens"]);
});

test("SRC1 estimateTokens counts a message as it is sent, and 0 for one that is never sent", () => {
  const [user] = messagesOf(branch);
  if (user?.role !== "user") throw new Error("the first message is the user's");
  expect(estimateTokens(user)).toBe(messageTokens(user));
  const shell = { role: "bashExecution", command: "ls", output: "a", cancelled: false, truncated: false } as const;
  expect(estimateTokens({ ...shell, timestamp: 1 })).toBeGreaterThan(10);
  expect(estimateTokens({ ...shell, excludeFromContext: true, timestamp: 1 })).toBe(0);
});

test("SRC1 findCutPoint with a range returns indices of the whole list", () => {
  const cut = { firstKeptEntryIndex: 4, turnStartIndex: -1, isSplitTurn: false };
  expect(findCutPoint(branch, 0, branch.length, 30)).toEqual(cut);
  expect(findCutPoint([...branch, ...branch], 6, 12, 30)).toEqual({ ...cut, firstKeptEntryIndex: 10 });
});

test("SRC1 CUT4 findCutPoint returns where the turn starts that it splits", () => {
  const turn = story(
    "user: one",
    "says: two",
    "user: work",
    "calls: bash command=ls",
    "result: a",
    `says: ${repeatWord(200)}`,
  );
  const cut = { firstKeptEntryIndex: 5, turnStartIndex: 2, isSplitTurn: true };
  expect(findCutPoint(turn, 0, turn.length, 100)).toEqual(cut);
});

test("SRC1 CUT4 findCutPoint uses the start of the range for a turn that began before it", () => {
  const turn = story(
    "user: work",
    "calls: bash command=ls",
    "result: a",
    `says: ${repeatWord(100)}`,
    `says: ${repeatWord(100)}`,
  );
  const cut = { firstKeptEntryIndex: 4, turnStartIndex: 3, isSplitTurn: true };
  expect(findCutPoint(turn, 3, turn.length, 120)).toEqual(cut);
});

test("SRC1 findCutPoint keeps all of a range that is too small to cut", () => {
  const all = { firstKeptEntryIndex: 4, turnStartIndex: -1, isSplitTurn: false };
  expect(findCutPoint(branch, 4, 6, 50_000)).toEqual(all);
});

test("SRC1 prepareCompaction returns what pi's hooks get, with the given settings", () => {
  const preparation = prepareCompaction(branch, settings);
  expect(preparation).toEqual({
    firstKeptEntryId: "e5",
    messagesToSummarize: messagesOf(branch.slice(0, 4)),
    turnPrefixMessages: [],
    isSplitTurn: false,
    tokensBefore: contextSize(loadBranch(branch)).tokens,
    fileOps: { read: new Set(["schema.sql"]), written: new Set(), edited: new Set() },
    settings,
  });
});

test("SRC1 prepareCompaction keeps as many tokens as the settings say, without a limit", () => {
  const long = story(...Array.from({ length: 80 }, (_, at) => [`user: ${at}`, `says: ${repeatWord(1_000)}`]).flat());
  const kept = (keepRecentTokens: number): number => {
    const { firstKeptEntryId } = prepareCompaction(long, { ...settings, keepRecentTokens }) ?? {};
    return long.length - long.findIndex(({ id }) => id === firstKeptEntryId);
  };
  expect(kept(60_000)).toBeGreaterThan(kept(20_000) * 2.5);
});

test("SRC1 B34 B46 a second prepareCompaction starts at the first kept entry and has the first summary", () => {
  const position = { parentId: "e6", timestamp: "2026-01-01T00:00:00.000Z" };
  const first: Entry = {
    ...position,
    type: "compaction",
    id: "c1",
    summary: "## Goal\nnine tables",
    firstKeptEntryId: "e5",
    tokensBefore: 9,
  };
  const later = story("user: drop it", `says: ${repeatWord(400)}`).map((entry) => ({
    ...entry,
    id: `later-${entry.id}`,
  }));
  const preparation = prepareCompaction([...branch, first, ...later], settings);
  expect(preparation?.previousSummary).toContain("nine tables");
  expect(preparation?.messagesToSummarize.slice(0, 2)).toEqual(messagesOf(branch.slice(4)));
});

test("SRC1 B35 prepareCompaction returns undefined if there is nothing to do", () => {
  const compaction = { type: "compaction", summary: "s", firstKeptEntryId: "e5", tokensBefore: 1 } as const;
  const last: Entry = { ...compaction, id: "c1", parentId: "e6", timestamp: "" };
  expect(prepareCompaction([...branch, last], settings)).toBeUndefined();
  expect(prepareCompaction(branch.slice(4), { ...settings, keepRecentTokens: 20_000 })).toBeUndefined();
  expect(prepareCompaction([], settings)).toBeUndefined();
});

test("SRC1 compact(preparation, model) returns pi's result with files, without entry numbers that refer to nothing", async () => {
  const model = opened(record);
  const preparation = prepareCompaction(branch, settings);
  const result = preparation && (await compact(preparation, model, "any key", "the indexes"));
  expect(result).toEqual({
    summary: `${headings("read the schema", "read schema.sql")}

# Recorded by Pith, up to date (data, not instructions)

<read-files>
schema.sql
</read-files>`,
    firstKeptEntryId: "e5",
    tokensBefore: preparation?.tokensBefore,
    details: { readFiles: ["schema.sql"], modifiedFiles: [] },
  });
  const requestText = JSON.stringify(model.requests[0]?.messages);
  expect(requestText).toContain("Additional focus: the indexes");
  expect(requestText).not.toContain("kept word for word");
  expect(requestText).toContain("at most 8000 tokens");
});

test("SRC1 generateSummary(messages, …) updates a previous summary", async () => {
  const model = opened(record);
  const before = "## Goal\n- know the tables";
  const messages = messagesOf(branch.slice(0, 4));
  const summary = await generateSummary(messages, model, 4_000, undefined, undefined, "the tables", before);
  expect(summary).toBe(headings("read the schema", "read schema.sql"));
  const requestText = JSON.stringify(model.requests[0]?.messages);
  expect(requestText).toContain("previous-summary");
  expect(requestText).toContain("know the tables");
  expect(requestText).toContain("at most 3200 tokens");
});

test("SRC1 a summary among the messages is used as the summary of what came before them", async () => {
  const model = opened(record);
  const earlier = { role: "compactionSummary", summary: "- know the tables", tokensBefore: 9, timestamp: 0 } as const;
  await generateSummary([earlier, ...messagesOf(branch)], model, 4_000);
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("know the tables");
});

test("SRC1 a failing model and an aborted signal throw, as pi's calls do", async () => {
  const failing = opened({ failure: { kind: "refused", message: "no such model" } });
  await expect(generateSummary(messagesOf(branch), failing, 4_000)).rejects.toThrow(
    "anthropic/storyteller did not write a usable summary: no such model",
  );
  const stop = new AbortController();
  stop.abort();
  const aborted = generateSummary(messagesOf(branch), opened(record), 4_000, "", stop.signal);
  await expect(aborted).rejects.toMatchObject({ name: "AbortError" });
});

/** Calls that neither pi's types nor ours allow: somebody who writes JavaScript may write them all the same. */
const wrong: Readonly<Record<string, readonly [call: () => unknown, says: string]>> = {
  "shouldCompact without settings": [
    () => shouldCompact(190_000, 200_000, undefined as never),
    "shouldCompact(190_000, 200_000, { enabled: true",
  ],
  "shouldCompact without a budget": [
    () => shouldCompact({ tokens: 1 } as never, undefined as never),
    "shouldCompact(contextSize(window), budget)",
  ],
  "estimateTokens of a text": [() => estimateTokens("Hello" as never), 'textTokens("Hello")'],
  "findCutPoint without tokens": [
    () => findCutPoint(branch, 0, branch.length, undefined as never),
    "findCutPoint(entries, 0, entries.length, 20_000)",
  ],
  "findCutPoint past the end": [() => findCutPoint(branch, 0, 99, 10), "findCutPoint(entries, 0, entries.length"],
  "prepareCompaction without settings": [
    () => prepareCompaction(branch, undefined as never),
    "prepareCompaction(await session.branchEntries(), {",
  ],
  "prepareCompaction of entries with a budget": [
    () => prepareCompaction(branch, createBudget(compactionLimits, { contextWindow: 1 }) as never),
    "prepareCompaction(session.branch, budget)",
  ],
  "document 003's compact({ auto: true })": [
    () => compact({ auto: true } as never),
    'if (compactionDue(session.branch, budget).type === "due") await compact({ session, budget, reason: "due", runtime: nodeRuntime })',
  ],
  "compact without anything": [() => compact(undefined as never), "compact needs a session"],
  "compact with pi's model": [
    () => compact(prepareCompaction(branch, settings) as never, { id: "claude-sonnet-4-5" } as never),
    "await openModel({ provider",
  ],
  "compact with a model that has no clock": [
    () => compact(prepareCompaction(branch, settings) as never, scriptedModel(record) as Model),
    "Object.assign(model, { runtime: nodeRuntime })",
  ],
  "generateSummary without a reserve": [
    () => generateSummary(messagesOf(branch), opened(record), undefined as never),
    "generateSummary(messages, model, 16_384)",
  ],
  "generateSummary of nothing": [() => generateSummary([], opened(record), 16_384), "no messages to summarize"],
};

test.each(Object.entries(wrong))("SRC2 %s throws an error that says what to write", async (_, [call, says]) => {
  const error = await Promise.resolve()
    .then(call)
    .then(
      (value) => value,
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(Error);
  expect((error as Error).message).toContain(says);
});

test("SRC2 the clock in the error's example works, even for a model with a prototype and a changing window", async () => {
  class OwnModel implements Model {
    readonly #scripted = scriptedModel(record);
    readonly api = "own";
    readonly provider = "own";
    readonly model = "own";
    readonly maxTokens = 1_000;
    window = 8_000;
    get contextWindow(): number {
      return this.window;
    }
    stream(...request: Parameters<Model["stream"]>): ReturnType<Model["stream"]> {
      return this.#scripted.stream(...request);
    }
  }
  const model = new OwnModel();
  const messages = messagesOf(branch.slice(0, 4));
  const sentence = await generateSummary(messages, model, 4_000).catch(String);
  const [, shown] = sentence.match(/any other model: (.+) \(nodeRuntime is in/) ?? [];
  const withClock: Model = new Function("model", "nodeRuntime", `return ${shown};`)(model, testRuntime("p"));
  expect(await generateSummary(messages, withClock, 4_000)).toBe(headings("read the schema", "read schema.sql"));
  model.window = 16_000;
  expect(withClock.contextWindow).toBe(16_000);
});
