/** Tests openSession, addUserMessage, stream and compactIfNeeded on real files: the calls of the short program. */

import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compactIfNeeded, type Model, type ModelEvent, type Session } from "../../src/index.ts";
import { openSession } from "../../src/node/sessions/sessions.ts";
import { scriptedModel } from "../../src/testing/scripted-model.ts";
import { emptyUsage } from "../../src/testing/story.ts";

let folder = "";
let path = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-open-session-"));
  path = join(folder, "chat.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true }));

const roles = (session: Session): readonly string[] =>
  session.branch.entries.map((entry) => (entry.type === "message" ? entry.message.role : entry.type));

async function readAll(events: AsyncIterable<ModelEvent>): Promise<readonly ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const partialReply = {
  role: "assistant",
  content: [{ type: "text", text: "Half of" }],
  ...{ api: "anthropic-messages", provider: "anthropic", model: "storyteller", usage: emptyUsage, timestamp: 0 },
} as const;

test("openSession creates the file, and opens it the next time", async () => {
  const model = scriptedModel("Hello.");
  const session = await openSession(path, { system: "Be brief." });
  expect(await session.addUserMessage("Hi.")).toBe(session.leaf);
  const events = await readAll(session.stream(model));
  expect(events.at(-1)?.type).toBe("reply-ended");
  expect(model.requests[0]).toMatchObject({ system: [{ name: "prompt", text: "Be brief." }] });
  await session.close();

  const again = await openSession(path, { system: "Be brief." });
  expect(roles(again)).toEqual(["system", "user", "assistant"]);
  expect(again.busyReasons).toEqual([]);
  await again.close();
});

test("openSession appends a system prompt that has changed", async () => {
  await (await openSession(path, { system: "Be brief." })).close();
  const session = await openSession(path, { system: "Explain everything." });
  await session.addUserMessage("Hi.");
  const model = scriptedModel("Hello.");
  await readAll(session.stream(model));
  // The change follows the first text, so that the provider's cache of the prefix stays valid.
  expect(model.requests[0]?.messages[0]).toMatchObject({ role: "system", sections: { prompt: "Explain everything." } });
  await session.close();
});

test("openSession opens a damaged file with its readable entries", async () => {
  const session = await openSession(path);
  await session.addUserMessage("One.");
  await session.close();
  appendFileSync(path, '{"type":"message","id":"torn');
  const again = await openSession(path);
  expect(roles(again)).toEqual(["user"]);
  await again.addUserMessage("Two.");
  expect(roles(again)).toEqual(["user", "user"]);
  await again.close();
});

test("openSession throws if the path is a folder or another writer has it open", async () => {
  await expect(openSession(folder)).rejects.toThrow(/^The session was not opened: /);
  const session = await openSession(path);
  await expect(openSession(path)).rejects.toThrow(/^Another process \(\d+\) is writing to /);
  await session.close();
});

test("addUserMessage throws if the session is closed", async () => {
  const session = await openSession(path);
  await session.close();
  await expect(session.addUserMessage("Hi.")).rejects.toThrow(/^The message was not written: the session is closed/);
});

test("stream appends the reply before its last event", async () => {
  const session = await openSession(path);
  await session.addUserMessage("Hi.");
  for await (const event of session.stream(scriptedModel("Hello.")))
    if (event.type === "reply-ended") expect(readFileSync(path, "utf8")).toContain("Hello.");
  expect(existsSync(path)).toBe(true);
  await session.close();
});

test("stream appends the received part of a reply that fails midway", async () => {
  const session = await openSession(path);
  await session.addUserMessage("Hi.");
  const model: Model = {
    ...scriptedModel(),
    async *stream() {
      yield { type: "text-delta", text: "Half of" };
      const message = { ...partialReply, stopReason: "error", errorMessage: "the line broke" } as const;
      yield { type: "reply-failed", failure: { kind: "unreachable", message: "the line broke" }, message };
    },
  };
  const events = await readAll(session.stream(model));
  expect(events.map(({ type }) => type)).toEqual(["text-delta", "reply-failed"]);
  expect(session.branch.entries.at(-1)).toMatchObject({
    message: { stopReason: "error", errorMessage: "the line broke" },
  });
  await session.close();
});

test("stream reports a reply that never ends as failed, and appends nothing", async () => {
  const session = await openSession(path);
  await session.addUserMessage("Hi.");
  const model: Model = {
    ...scriptedModel(),
    async *stream() {
      yield { type: "text-delta", text: "Half of" };
    },
  };
  expect((await readAll(session.stream(model))).at(-1)).toMatchObject({
    type: "reply-failed",
    failure: { kind: "unreachable" },
  });
  expect(roles(session)).toEqual(["user"]);
  await session.close();
});

test("stream aborts the model when the caller leaves the loop, and appends the received part", async () => {
  const session = await openSession(path);
  await session.addUserMessage("Hi.");
  const model: Model = {
    ...scriptedModel(),
    async *stream(_request, { signal }) {
      yield { type: "text-delta", text: "Half of" };
      if (!signal?.aborted) throw new Error("the stream goes on");
      const message = { ...partialReply, stopReason: "aborted" } as const;
      yield { type: "reply-failed", failure: { kind: "aborted", message: "it was stopped" }, message };
    },
  };
  for await (const event of session.stream(model)) if (event.type === "text-delta") break;
  expect(session.branch.entries.at(-1)).toMatchObject({ message: { role: "assistant", stopReason: "aborted" } });
  expect(session.busyReasons).toEqual([]);
  await session.close();
});

test("EVT5 stream appends the usage of a failed attempt", async () => {
  const session = await openSession(path);
  await session.addUserMessage("Hi.");
  const failure = { kind: "busy", message: "overloaded" } as const;
  const model: Model = {
    ...scriptedModel(),
    async *stream() {
      yield { type: "reply-restarted", failure, waitMs: 0, usage: { ...emptyUsage, input: 5, totalTokens: 5 } };
      yield { type: "reply-ended", message: { ...partialReply, stopReason: "stop" } };
    },
  };
  await readAll(session.stream(model));
  expect(roles(session)).toEqual(["user", "usage", "assistant"]);
  await session.close();
});

test("compactIfNeeded does nothing while the context fits", async () => {
  const session = await openSession(path);
  await session.addUserMessage("Hi.");
  const { leaf } = session;
  expect(await compactIfNeeded(session, scriptedModel())).toMatchObject({ type: "not-due", why: "fits" });
  expect(session.leaf).toBe(leaf);
  await session.close();
});

test("compactIfNeeded compacts a context that no longer fits, and does not throw if the model fails", async () => {
  const session = await openSession(path);
  await session.addUserMessage("Make the tests pass.");
  for (let step = 1; step <= 12; step++)
    await session.append({
      ...{ type: "custom_message", customType: "output", display: true },
      content: `step ${step}\n${"one more line of output\n".repeat(120)}`,
    });
  await session.addUserMessage("Go on.");
  const failure = { kind: "refused", message: "no" } as const;
  const model: Model = {
    ...scriptedModel(),
    contextWindow: 8_000,
    async *stream() {
      yield { type: "reply-failed", failure };
    },
  };
  const result = await compactIfNeeded(session, model);
  expect(result.type).toBe("compacted");
  expect(await compactIfNeeded(session, model)).toMatchObject({ type: "not-due" });
  await session.close();
});

test("openSession never overwrites a file that is not a session", async () => {
  writeFileSync(path, "not a session\n");
  const opened = await openSession(path).catch(() => null);
  await opened?.close();
  expect(readFileSync(path, "utf8")).toContain("not a session");
});
