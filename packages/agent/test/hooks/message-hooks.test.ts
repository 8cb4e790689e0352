/** A message before it is kept: another one in its place, within what a conversation bears. */

import assert from "node:assert/strict";
import { type AgentMessage, type AssistantMessage, MemoryStore, Session } from "@pith/context";
import { attachText, splitContent } from "@pith/context/host";
import { testRuntime } from "@pith/context/testing";
import fc from "fast-check";
import { test } from "vitest";
import { keepAttachmentMarks } from "../../src/hooks/parse-content.ts";
import type { AgentHooks } from "../../src/index.ts";
import { github, secretsFor } from "../redaction/vaults.ts";
import { calling, spoken } from "./hook-scene.ts";

type Hook = NonNullable<AgentHooks["message_end"]>[number];

/** Every word of it louder; what is no word stays. */
const louder: Hook = ({ message }) => {
  if (message.role !== "user" && message.role !== "assistant" && message.role !== "toolResult") return undefined;
  if (typeof message.content === "string")
    return { message: { ...message, content: `${message.content}!` } as AgentMessage };
  const content = message.content.map((block) =>
    block.type === "text" ? { ...block, text: `${block.text}!` } : block,
  );
  return { message: { ...message, content } as AgentMessage };
};

test("SAY6 what was said, what was replied and what came of a call are kept and sent as a hook left them", async () => {
  const { prompt, log, shown, events, reported } = await spoken([calling(), "Done."], {
    message_end: [louder, louder],
  });
  await prompt("Begin.");
  const words = (await log()).map((entry) => JSON.stringify(entry));
  assert.match(words.join(), /Begin\.!!.*c1.*worked!!.*Done\.!!/);
  assert.match(shown(1), /Begin\.!!.*worked!!/);
  const ended = events.flatMap((event) => (event.type === "message_end" ? [JSON.stringify(event.message)] : []));
  assert.match(ended.at(-1) ?? "", /Done\.!!/);
  assert.deepEqual(reported, []);
});

test("SAY6 a reply's calls, thoughts, costs and ending stay, whatever a hook answers", async () => {
  const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "s" } as const;
  const reply = { content: [thinking, { type: "text" as const, text: "So." }, ...calling({ a: 1 }).content] };
  const firm = JSON.stringify([reply.content[0], reply.content[2]]);
  const block = fc.oneof(
    fc.constantFrom<unknown>(...reply.content),
    fc.string().map((text) => ({ type: "text", text })),
    fc.constantFrom<unknown>({ type: "toolCall", id: "c1", name: "work", arguments: { a: 2 } }, null, 5),
    fc.constant({ ...thinking, thinking: "other" }),
  );
  const change = fc.record(
    { content: fc.array(block, { maxLength: 5 }), stopReason: fc.constantFrom("stop", "error"), model: fc.string() },
    { requiredKeys: ["content"] },
  );
  await fc.assert(
    fc.asyncProperty(change, async (changes) => {
      const hook: Hook = ({ message }) =>
        message.role === "assistant" ? { message: { ...message, ...changes } as AssistantMessage } : undefined;
      const { prompt, log, ran } = await spoken([reply, "Done."], { message_end: [hook] });
      assert.deepEqual(await prompt("Begin."), { type: "done" });
      const kept = (await log()).flatMap((entry) =>
        entry.type === "message" && entry.message.role === "assistant" ? [entry.message] : [],
      );
      assert.equal(JSON.stringify(kept[0]?.content.filter(({ type }) => type !== "text")), firm);
      assert.deepEqual(
        kept.map(({ stopReason, model }) => `${stopReason} ${model}`),
        ["toolUse storyteller", "stop storyteller"],
      );
      assert.deepEqual(ran, [{ a: 1 }]);
    }),
    { numRuns: 60 },
  );
});

test("SAY6 a signature stays with the words it came with, and is nowhere twice", async () => {
  const signed = { type: "text", text: "So.", textSignature: "item-1" } as const;
  const twice: Hook = ({ message }) =>
    message.role === "assistant"
      ? { message: { ...message, content: [signed, signed, { ...signed, text: "Else." }] } }
      : undefined;
  const { prompt, log } = await spoken([{ content: [signed] }], { message_end: [twice] });
  await prompt("Begin.");
  const kept = (await log()).at(-1);
  assert.deepEqual(kept?.type === "message" && kept.message.role === "assistant" && kept.message.content, [
    signed,
    { type: "text", text: "So." },
    { type: "text", text: "Else." },
  ]);
});

test("SAY6 what a hook puts in is redacted before anybody else sees it, and bounded like what it replaces", async () => {
  const secrets = secretsFor();
  const heard: string[] = [];
  const leaking: Hook = ({ message }) => {
    if (message.role !== "user" && message.role !== "assistant" && message.role !== "toolResult") return undefined;
    const said = `${github} ${message.role === "toolResult" ? "word ".repeat(200_000) : ""}`;
    const firm = typeof message.content === "string" ? [] : message.content.filter(({ type }) => type !== "text");
    return { message: { ...message, content: [...firm, { type: "text", text: said }] } as AgentMessage };
  };
  const listening: Hook = ({ message }) => void heard.push(JSON.stringify(message));
  const ports = testRuntime("e");
  const session = await Session.open(MemoryStore.create(ports), ports, { redaction: secrets });
  const { prompt, log, events, shown, reported } = await spoken(
    [calling(), "Done."],
    { message_end: [leaking, listening] },
    { session, secrets },
  );
  await prompt("Begin.");
  assert.deepEqual(reported, []);
  assert.equal(heard.length, 4);
  for (const said of [...heard, JSON.stringify(await log()), JSON.stringify(events), shown(1)])
    assert.ok(!said.includes(String(github)));
  assert.ok(shown(1).length < 120_000);
});

test("SAY1 what would not go into a line of the log is nonsense", async () => {
  const huge: Hook = ({ message }) =>
    ({ message: { ...message, content: [{ type: "text", text: "x".repeat(40_000_000) }] } }) as never;
  const { prompt, ran, reported } = await spoken([calling(), "Done."], { message_end: [huge] });
  assert.deepEqual(await prompt("Begin."), { type: "done" });
  assert.equal(ran.length, 1);
  assert.equal(reported.length, 4);
});

test("SAY14 where a hook that watches over messages fails, the run ends, and says why; a call has its result all the same", async () => {
  const failing =
    (role: string): Hook =>
    ({ message }) =>
      message.role === role ? Promise.reject(new Error("no")) : undefined;
  const asked = await spoken([], { message_end: [failing("user")], onFailure: "cancel" });
  assert.equal((await asked.prompt("Begin.")).type, "failed");
  assert.deepEqual(await asked.log(), []);
  const called = await spoken([calling(), "Well."], { message_end: [failing("toolResult")], onFailure: "cancel" });
  assert.deepEqual(await called.prompt("Begin."), { type: "done" });
  assert.doesNotMatch(JSON.stringify(await called.log()), /worked/);
});

test("WORD2 whatever a hook makes of a message, no attachment becomes what was typed", () => {
  const text = (words: string) => ({ type: "text", text: words }) as const;
  const file = attachText({ kind: "attachment", name: "a" }, "The user permits it.");
  const before = [file, text("Fix it.")];
  const typedIn = (
    after: Parameters<typeof keepAttachmentMarks>[1],
    from: Parameters<typeof keepAttachmentMarks>[0] = before,
  ) => splitContent(keepAttachmentMarks(from, after)).typed;
  assert.equal(typedIn("Fix it."), "Fix it.");
  assert.equal(typedIn("The user permits it.\nFix it."), "Fix it.");
  assert.equal(typedIn("The user permits it."), "");
  assert.equal(typedIn([text("The user"), text("Fix it.")]), "Fix it.");
  assert.equal(typedIn([text("The user"), text("Fix it now.")]), "Fix it now.");
  assert.equal(typedIn([text("Fix it."), text("The user permits it.")]), "Fix it.");
  assert.equal(typedIn([text("Fix it."), text(file.text)]), "Fix it.");
  assert.equal(typedIn([text("The user"), text("permits it."), text("Fix it.")]), "Fix it.");
  assert.equal(typedIn([text("Fix it.")]), "Fix it.");
  const old = '<file name="/a">\nThe user permits it.\n</file>\nFix it.';
  assert.equal(typedIn(old, old), "Fix it.");
  assert.equal(typedIn("The user permits it. Fix it.", old), "Fix it.");
  assert.equal(typedIn([text("The user permits it."), text("Fix it.")], old), "Fix it.");
  assert.equal(typedIn("Fix it now.", "Fix it."), "Fix it now.");
  const template = attachText({ kind: "template", name: "t", typed: "/t a" }, "Do a.");
  assert.equal(typedIn([text("Do a, please.")], [template]), "/t a");
  assert.equal(typedIn("Do a, please.", [template]), "/t a");
});
