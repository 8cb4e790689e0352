/** pi 1.5.0 opens what our store wrote, and our store what pi made of it: the same visible conversation on both sides. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Pi, startPi } from "../../../../bench/src/peers/pi.ts";
import { createBudget } from "../../src/compaction/budget.ts";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { compact as compactByCode } from "../../src/default-compaction.ts";
import type { JsonlStore } from "../../src/node/jsonl/jsonl-store.ts";
import { createStore, type OpenResult, openStore } from "../../src/node/jsonl/open-store.ts";
import { nodeRuntime } from "../../src/node/runtime.ts";
import { Session } from "../../src/session/session.ts";
import { compactionLimits } from "../../src/settings.ts";
import { emptyUsage } from "../../src/testing/story.ts";

let pi: Pi;
let folder: string;
beforeAll(() => {
  pi = startPi();
  folder = mkdtempSync(join(tmpdir(), "pith-with-pi-"));
});
afterAll(() => {
  // Where pi could not be started there is nothing to end.
  (pi as Pi | undefined)?.stop();
  rmSync(folder, { recursive: true });
});

const user = (text: string) => ({ role: "user" as const, content: [{ type: "text" as const, text }], timestamp: 1 });
const assistant = (text: string) => ({
  role: "assistant" as const,
  content: [{ type: "text" as const, text }],
  api: "anthropic-messages",
  provider: "anthropic",
  model: "one",
  usage: emptyUsage,
  stopReason: "stop" as const,
  timestamp: 2,
});

/** A conversation of four exchanges, and where each of its questions stands. */
async function conversation(
  name: string,
): Promise<{ path: string; store: JsonlStore; session: Session; requestTexts: string[] }> {
  const path = join(folder, `${name}.jsonl`);
  const store = opened(await createStore(path, { cwd: folder }));
  const session = await Session.open(store, nodeRuntime);
  const requestTexts: string[] = [];
  for (const topic of ["parser", "cache", "index", "tests"]) {
    await session.append({ type: "message", message: user(`What about the ${topic}?`) });
    requestTexts.push(session.leaf ?? "");
    await session.append({ type: "message", message: assistant(`The ${topic} is fine.`) });
  }
  return { path, store, session, requestTexts };
}

async function compact({
  session,
  requestTexts,
}: {
  session: Session;
  requestTexts: readonly string[];
}): Promise<void> {
  await session.append(
    {
      type: "compaction",
      summary: "Parser and cache are fine.",
      firstKeptEntryId: requestTexts[2] ?? "",
      tokensBefore: 99,
    },
    {
      type: "context_edit",
      targetId: requestTexts[3] ?? "",
      replacement: { content: [{ type: "text", text: "(tests)" }] },
    },
  );
}

async function expectSame(path: string): Promise<void> {
  const store = opened(await openStore(path, { mode: "follower" }));
  const { branch: window } = await Session.open(store, nodeRuntime);
  const theirs = (await pi.request({ op: "resume", file: path })) as Record<string, unknown>;
  const { messages, thinkingLevel, model } = buildSessionContext(window);
  expect(theirs).toMatchObject({ leaf: await store.leaf(), messages: plain(messages), thinkingLevel, model });
  expect(await store.check()).toEqual([]);
}

describe("pi opens a session of Pith", () => {
  test("CTX2 CMP1 with the same conversation after a compaction without a model, including its shortened entries", async () => {
    const created = await conversation("compacted");
    const long = "one more line of output\n".repeat(4000);
    await created.session.append(
      { type: "message", message: assistant(long) },
      { type: "message", message: user(long) },
    );
    const budget = createBudget(compactionLimits, { contextWindow: 16_000 });
    const outcome = await compactByCode({ session: created.session, budget, reason: "due", runtime: nodeRuntime });
    expect(outcome).toMatchObject({
      type: "compacted",
      receipt: { findings: [{ code: "result-reduced" }, { code: "result-reduced" }] },
    });
    await expectSame(created.path);
    expect(await pi.request({ op: "goOn", file: created.path, message: user("And now?") })).toBeTruthy();
    await expectSame(created.path);
  });

  test("MOVE1 LOG1 with the same conversation: unchanged, after a compaction, after a move, and after both", async () => {
    const created = await conversation("told");
    await expectSame(created.path);
    await compact(created);
    await expectSame(created.path);
    await created.session.move(created.requestTexts[1] ?? "");
    await expectSame(created.path);
    await created.session.append({ type: "message", message: user("Another way.") });
    await expectSame(created.path);
    await created.store.close();
  });

  test("FORK2 with the same conversation after a fork", async () => {
    const created = await conversation("forked");
    await compact(created);
    const fork = join(folder, "fork.jsonl");
    writeFileSync(fork, await created.session.fork({ parentSession: created.path }));
    await expectSame(fork);
    await created.store.close();
  });

  test("LOG1 and appends to it; Pith then appends after pi's lines", async () => {
    const created = await conversation("shared");
    await created.store.close();
    const id = await pi.request({ op: "goOn", file: created.path, message: user("From pi.") });
    const store = opened(await openStore(created.path));
    expect(await store.leaf()).toBe(id);
    const session = await Session.open(store, nodeRuntime);
    await session.append({ type: "message", message: user("From ours.") });
    await store.close();
    await expectSame(created.path);
  });

  test("D14 and appends a line while Pith has it open, which Pith sees before its next append", async () => {
    const created = await conversation("meanwhile");
    const id = await pi.request({ op: "goOn", file: created.path, message: user("From pi.") });
    const late = await created.session.append({ type: "message", message: user("Too late.") });
    expect(late).toEqual({ type: "leaf-moved", leaf: id });
    await created.session.refresh();
    expect((await created.session.append({ type: "message", message: user("Now.") })).type).toBe("appended");
    await created.store.close();
    await expectSame(created.path);
  });
});

describe("Pith opens what pi made of its session", () => {
  test("LOG2 as a fork, whose lines are unverified, not damaged", async () => {
    const created = await conversation("origin");
    await compact(created);
    await created.store.close();
    const forks = (await pi.request({ op: "fork", file: created.path, folder })) as { whole: string; branch: string };
    for (const path of [forks.whole, forks.branch]) {
      // pi copies our lines with their seals, under a header of its own: nothing there vouches for them.
      expect(readFileSync(path, "utf8")).toContain('"crc"');
      await expectSame(path);
      const store = opened(await openStore(path));
      expect(store.header.pith).toBeUndefined();
      const session = await Session.open(store, nodeRuntime);
      expect((await session.append({ type: "message", message: user("On it goes.") })).type).toBe("appended");
      await store.close();
      await expectSame(path);
    }
  });
});

function opened(outcome: OpenResult): JsonlStore {
  if (outcome.type !== "opened") throw new Error(JSON.stringify(outcome));
  return outcome.store;
}

/** Without the lengths of blocks, which are ours alone: they part the same text. */
const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, each) => (key === "blocks" ? undefined : each));
