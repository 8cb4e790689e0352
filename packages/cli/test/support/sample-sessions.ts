/** Creates sessions and outlines from stories: with branches, with many rules, and with outdated results. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  compact,
  compactionLimits,
  createBudget,
  MemoryStore,
  modelSummarizer,
  type Receipt,
  type Session,
} from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { scriptedModel, story } from "@pith/context/testing";
import { readOutline } from "../../src/sessions/read-outline.ts";
import { createOutline, extendOutline, type Outline } from "../../src/sessions/tree-outline.ts";
import type { TestProgram } from "./test-program.ts";

/** Two ways to mend a login: the first was left, the second goes on, and a third hangs on the first. */
export const twoTries: readonly string[] = [
  "user: fix the login",
  "says: I look at the login first.",
  "user: try A",
  "calls: read path=src/login.ts",
  "result: export function login() {}",
  "says: A failed: the token is gone before the redirect.",
  "moves: e3",
  "user: try A once more, with a lock",
  "says: The lock does not help.",
  "moves: e2",
  "user: try B",
  "calls: edit path=src/login.ts",
  "fails: the old text is not there",
  "says: B works.",
  "labels e14: good",
];

export async function createTestOutline(lines: readonly string[]): Promise<Outline> {
  const store = await createStoryStore(lines);
  const leaf = await store.leaf();
  let outline = createOutline(leaf);
  for await (const growth of readOutline({ store, leaf })) outline = extendOutline(outline, growth);
  return outline;
}

/** Each entry seven minutes after the one before it, the last one now. */
export async function createStoryStore(lines: readonly string[], now: number = Date.now()): Promise<Session["store"]> {
  const store = MemoryStore.create(nodeRuntime, { cwd: "/work" });
  const entries = story(...lines);
  for (const [at, entry] of entries.entries()) {
    const timestamp = new Date(now - (entries.length - 1 - at) * 7 * 60_000).toISOString();
    await store.append([{ ...entry, timestamp }], { expectedLeaf: await store.leaf() });
  }
  return store;
}

const DONE = "I changed what was needed in the files of the importer. ".repeat(12);

/** Lines of a story. The entries get the numbers 1 to 10. */
export const earlyMessages: readonly string[] = [
  "Use tabs in every file of this project, never spaces. The importer reads CSV and nothing else.",
  "Never push to main; open a pull request for every change.",
  "Look at the slow test in test/import.test.ts and tell me why it is slow here but not in CI.",
  "The customer table has 40 million rows, so every query needs an index.",
  "Write commit messages in English.",
].flatMap((text) => [`user: ${text}`, `says: ${DONE}`]);

/** Compacts, then says more than fits, and compacts again. */
export async function fillWithRules(session: Session): Promise<Receipt> {
  await compactInto(session);
  for (let part = 1; part <= 12; part++) {
    const content = `Make part ${part} of the importer twice as fast, and write down how long it took in three runs before and after.`;
    await session.append({ type: "message", message: { role: "user", content, timestamp: 0 } });
    const reply = { ...replyFields, content: [{ type: "text" as const, text: DONE }] };
    await session.append({ type: "message", message: reply });
  }
  return await compactInto(session);
}

const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: noCost };
const replyFields = {
  ...({ role: "assistant", api: "anthropic-messages", provider: "anthropic", model: "storyteller" } as const),
  ...({ usage: noUsage, stopReason: "stop", timestamp: 0 } as const),
};

/** Only a few of the user's messages fit. */
const limits = {
  ...compactionLimits,
  thresholds: [{ tokens: 1_500 }],
  tail: { tokens: 60, share: 1 },
  userMessages: { tokens: 150, share: 1 },
  checkpoint: { tokens: 600, share: 1 },
  shortenedMessage: { tokens: 50, share: 1 },
};

async function compactInto(session: Session): Promise<Receipt> {
  const model = { ...scriptedModel(SUMMARY, SUMMARY, SUMMARY), contextWindow: 20_000 };
  const outcome = await compact({
    session,
    budget: createBudget(limits, { contextWindow: 4_000 }),
    reason: "asked",
    runtime: nodeRuntime,
    summarizers: [modelSummarizer(model, { runtime: nodeRuntime })],
  });
  if (outcome.type !== "compacted") throw new Error(JSON.stringify(outcome));
  return outcome.receipt;
}

const SUMMARY = `## Goal
- make the importer fast [#9]

## Constraints & Preferences
- Use tabs in every file of this project, never spaces [#1]
- The importer reads CSV and nothing else [#1]
- Never push to main; open a pull request for every change [#3]

## Progress
### Done
- [x] looked at the importer

### In Progress
- [ ] the tests

### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. go on

## Critical Context
- (none)`;

const FILE_TEXT = Array.from({ length: 400 }, (_, index) => `line${index}`).join(" ");
const READ = ["calls: read path=a.txt", `result: ${FILE_TEXT}`];

/** Returns the path of the session file. */
export function writeOldSession({ home, folder }: TestProgram): string {
  const entries = story("user: read a.txt twice", ...READ, ...READ, "says: Both are the same.");
  const header = { type: "session", version: 3, id: "old-session", timestamp: entries[0]?.timestamp, cwd: folder };
  const lines = [header, ...entries.map(({ number: _, ...line }) => line)];
  const path = join(home, "old.jsonl");
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}
