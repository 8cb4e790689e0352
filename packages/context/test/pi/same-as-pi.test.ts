/** pi 1.5.0 itself as the judge: the same file, the same leaf, the same messages. */

import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Pi, startPi } from "../../../../bench/src/peers/pi.ts";
import { buildSessionContext, type SessionContext } from "../../src/context/build-context.ts";
import { buildRequest } from "../../src/context/build-request.ts";
import type { Entry } from "../../src/entry.ts";
import { decodeSession } from "../../src/format/session-file.ts";
import { nodeRuntime } from "../../src/node/runtime.ts";
import { loadBranch } from "../../src/session/loaded-branch.ts";
import { branchEntries, buildTree } from "../../src/tree.ts";
import { commandSequences } from "../properties/commands.ts";
import { models } from "../properties/drafts.ts";
import { runInMemory } from "../properties/replay.ts";
import { findRuleViolations } from "../support/provider-rules/provider-rules.ts";
import { isLong } from "../support/test-length.ts";

const fixtures = join(import.meta.dirname, "../../../../../shared/fixtures/pi-sessions");
let pi: Pi;
let folder: string;
beforeAll(() => {
  pi = startPi();
  folder = mkdtempSync(join(tmpdir(), "pith-same-"));
});
afterAll(() => {
  // Where pi could not be started there is nothing to end.
  (pi as Pi | undefined)?.stop();
  rmSync(folder, { recursive: true });
});

/** Our context and pi's agree at every `step`th entry of a file and at the last, and what is sent is accepted everywhere. */
async function expectSame(file: string, step: number): Promise<void> {
  const { lines, damage } = decodeSession(readFileSync(file), nodeRuntime);
  expect(damage).toEqual([]);
  const entries = lines.map(({ entry }) => entry);
  const tree = buildTree(entries);
  const leaves = entries.map((_, at) => at).filter((at) => at % step === 0 || at === entries.length - 1);
  const hashes = (await pi.request({ op: "hashes", file, leaves })) as readonly string[];
  for (const [at, leaf] of leaves.entries()) {
    const ours = buildSessionContext(loadBranch(branchEntries(tree, entries[leaf]?.id ?? null)));
    const messages = [ours.messages, ours.thinkingLevel, ours.model];
    if (hash(messages) !== hashes[at]) {
      const [theirs] = (await pi.request({ op: "contexts", file, leaves: [leaf] })) as readonly SessionContext[];
      expect(messages).toEqual([theirs?.messages, theirs?.thinkingLevel, theirs?.model]);
      expect.unreachable("the two differ, though only in the order of members");
    }
    expectSendable(ours);
  }
}

function hash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

function expectSendable(context: SessionContext): void {
  for (const to of [...models, ...spokenBy(context)]) {
    const request = buildRequest(context, { model: to });
    if (request.messages.some((message) => message.role !== "system"))
      expect(findRuleViolations(request, to)).toEqual([]);
  }
}

function spokenBy({ messages }: SessionContext): readonly { api: string; provider: string; model: string }[] {
  const last = messages.findLast((message) => message.role === "assistant");
  return last?.role === "assistant" ? [{ api: last.api, provider: last.provider, model: last.model }] : [];
}

const realSessions = ["before-compaction.jsonl", "large-session.jsonl"]
  .map((name) => join(fixtures, name))
  .filter(existsSync);
if (realSessions.length === 0)
  console.warn(
    `no ${fixtures}: pi's own sessions are read in place, beside the project; here only files of our making are`,
  );

describe("sessions of version 1", () => {
  for (const file of realSessions) {
    test(`CTX1 CTX2 LOG9 pi's own ${basename(file)} gives the same messages at every tenth entry`, () =>
      expectSame(file, 10));
  }

  test("CTX1 CTX2 LOG9 generated ones give the same messages at every leaf", async () => {
    for (const [at, commands] of fc.sample(commandSequences, { numRuns: isLong ? 50 : 15, seed: 2025 }).entries()) {
      const straight = commands.filter(
        ({ do: what }) => !["move", "leave", "label", "edit", "crash", "unknown"].includes(what),
      );
      const store = await runInMemory(
        straight.map((command) => (command.do === "compact" ? { ...command, edits: 0 } : command)),
      );
      const file = join(folder, `old-${at}.jsonl`);
      writeFileSync(file, asVersion1(await store.branchEntries(await store.leaf())));
      if ((await store.leaf()) !== null) await expectSame(file, 1);
    }
  });
});

/** The way pi wrote it in 2025: no ids, no parents, and what a compaction keeps named by its line. */
function asVersion1(branch: readonly Entry[]): string {
  const lines = branch.map(({ id: _, parentId: __, ...entry }) => {
    if (entry.type !== "compaction") return entry;
    const { firstKeptEntryId, ...compaction } = entry;
    return { ...compaction, firstKeptEntryIndex: branch.findIndex(({ id }) => id === firstKeptEntryId) + 1 };
  });
  return [{ type: "session", id: "old", timestamp: "2025-11-01T00:00:00.000Z", cwd: "/" }, ...lines]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

describe("generated sessions of version 3", () => {
  test("CTX1 CTX2 CTX3 with random commands give the same messages at every leaf", async () => {
    const sequences = fc.sample(commandSequences, { numRuns: isLong ? 300 : 60, seed: 20261115 });
    for (const [at, commands] of sequences.entries()) {
      const store = await runInMemory(commands.filter((command) => command.do !== "crash"));
      const file = join(folder, `${at}.jsonl`);
      writeFileSync(file, store.bytes());
      if ((await store.leaf()) !== null) await expectSame(file, 1);
    }
  });

  test("CTX3 CTX13 with the additions of pi 1.5 give the same messages: system messages, those of a compaction, and all kinds of edits", async () => {
    const file = join(folder, "one-five.jsonl");
    writeFileSync(file, [header, ...pi15].map((line) => `${JSON.stringify(line)}\n`).join(""));
    await expectSame(file, 1);
  });
});

const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" };
const usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};
const tool = { name: "read", description: "reads", parameters: { type: "object" } };
const assistant = { role: "assistant", ...models[0], usage, stopReason: "stop", timestamp: 1 };
const drafts = [
  {
    type: "message",
    message: { role: "system", content: "rules", sections: { a: "one" }, toolsAdded: [tool], timestamp: 1 },
  },
  { type: "message", message: { role: "user", content: "hello", timestamp: 2 } },
  { type: "message", message: { ...assistant, content: [{ type: "text", text: "hi" }] } },
  {
    type: "message",
    message: {
      role: "system",
      content: "",
      sections: { a: null, b: "two" },
      toolsRemoved: [{ name: "read" }],
      timestamp: 3,
    },
  },
  { type: "context_edit", targetId: "3", replacement: { content: "changed" } },
  { type: "custom_message", customType: "x", content: "note", display: false, details: { deep: 1 } },
  { type: "context_edit", targetId: "6", replacement: { content: [{ type: "text", text: "changed note" }] } },
  { type: "context_edit", targetId: "2", replacement: { content: "changed hello" } },
  { type: "usage", kind: "cache_warm", provider: "p", model: "m", usage },
  {
    type: "compaction",
    summary: "short",
    firstKeptEntryId: "4",
    tokensBefore: 10,
    systemMessage: { role: "system", content: "folded", timestamp: 4 },
  },
  {
    type: "message",
    message: {
      role: "bashExecution",
      command: "ls",
      output: "a",
      exitCode: 0,
      cancelled: false,
      truncated: false,
      timestamp: 5,
    },
  },
  { type: "message", message: { role: "user", content: null, timestamp: 6 } },
  {
    type: "message",
    message: { role: "custom", customType: "old", content: "by migration", display: true, timestamp: 7 },
  },
  { type: "branch_summary", fromId: "3", summary: "tried" },
  { type: "context_edit", targetId: "6", replacement: null },
  { type: "compaction", summary: "nothing kept", firstKeptEntryId: "16", tokensBefore: 10 },
  { type: "session_info", name: "name" },
];
const pi15 = drafts.map((draft, at) => ({
  ...draft,
  id: `${at + 1}`,
  parentId: at === 0 ? null : `${at}`,
  timestamp: "2026-01-01T00:00:01.000Z",
})) as unknown as readonly Entry[];
