/** Tests hooks/message-hooks.ts and hooks/parse-content.ts: a replaced message keeps its role, tool calls, thinking and attachments. */

import assert from "node:assert/strict";
import { type AgentMessage, type AssistantMessage, MemoryStore, Session } from "@pith/context";
import { attachText, splitContent } from "@pith/context/host";
import { testRuntime } from "@pith/context/testing";
import fc from "fast-check";
import { test } from "vitest";
import { keepAttachmentMarks } from "../../src/hooks/parse-content.ts";
import type { AgentHooks } from "../../src/index.ts";
import { github, secretsFor } from "../support/secrets.ts";
import { createScene, workCall } from "./hook-scene.ts";

type Hook = NonNullable<AgentHooks["message_end"]>[number];

/** Appends an exclamation mark to every text; other blocks stay. */
const louder: Hook = ({ message }) => {
  if (message.role !== "user" && message.role !== "assistant" && message.role !== "toolResult") return undefined;
  if (typeof message.content === "string")
    return { message: { ...message, content: `${message.content}!` } as AgentMessage };
  const content = message.content.map((block) =>
    block.type === "text" ? { ...block, text: `${block.text}!` } : block,
  );
  return { message: { ...message, content } as AgentMessage };
};

test("SAY6 user messages, replies and tool results are recorded and sent as the hooks left them", async () => {
  const { prompt, log, requestText, events, failures } = await createScene([workCall(), "Done."], {
    message_end: [louder, louder],
  });
  await prompt("Begin.");
  const words = (await log()).map((entry) => JSON.stringify(entry));
  assert.match(words.join(), /Begin\.!!.*c1.*worked!!.*Done\.!!/);
  assert.match(requestText(1), /Begin\.!!.*worked!!/);
  const ended = events.flatMap((event) => (event.type === "message_end" ? [JSON.stringify(event.message)] : []));
  assert.match(ended.at(-1) ?? "", /Done\.!!/);
  assert.deepEqual(failures, []);
});

test("SAY6 the tool calls, thinking, usage and stop reason of a reply stay unchanged, whatever a hook returns", async () => {
  const thinking = { type: "thinking", thinking: "hm", thinkingSignature: "s" } as const;
  const reply = { content: [thinking, { type: "text" as const, text: "So." }, ...workCall({ a: 1 }).content] };
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
      const { prompt, log, toolInputs } = await createScene([reply, "Done."], { message_end: [hook] });
      assert.deepEqual(await prompt("Begin."), { type: "done" });
      const kept = (await log()).flatMap((entry) =>
        entry.type === "message" && entry.message.role === "assistant" ? [entry.message] : [],
      );
      assert.equal(JSON.stringify(kept[0]?.content.filter(({ type }) => type !== "text")), firm);
      assert.deepEqual(
        kept.map(({ stopReason, model }) => `${stopReason} ${model}`),
        ["toolUse storyteller", "stop storyteller"],
      );
      assert.deepEqual(toolInputs, [{ a: 1 }]);
    }),
    { numRuns: 60 },
  );
});

test("SAY6 a signature stays with its text and occurs once", async () => {
  const signed = { type: "text", text: "So.", textSignature: "item-1" } as const;
  const twice: Hook = ({ message }) =>
    message.role === "assistant"
      ? { message: { ...message, content: [signed, signed, { ...signed, text: "Else." }] } }
      : undefined;
  const { prompt, log } = await createScene([{ content: [signed] }], { message_end: [twice] });
  await prompt("Begin.");
  const kept = (await log()).at(-1);
  assert.deepEqual(kept?.type === "message" && kept.message.role === "assistant" && kept.message.content, [
    signed,
    { type: "text", text: "So." },
    { type: "text", text: "Else." },
  ]);
});

test("SAY6 text from a hook is redacted before other hooks see it, and has the same limit as the text that it replaces", async () => {
  const secrets = secretsFor();
  const received: string[] = [];
  const leaking: Hook = ({ message }) => {
    if (message.role !== "user" && message.role !== "assistant" && message.role !== "toolResult") return undefined;
    const text = `${github} ${message.role === "toolResult" ? "word ".repeat(200_000) : ""}`;
    const firm = typeof message.content === "string" ? [] : message.content.filter(({ type }) => type !== "text");
    return { message: { ...message, content: [...firm, { type: "text", text: text }] } as AgentMessage };
  };
  const listening: Hook = ({ message }) => void received.push(JSON.stringify(message));
  const ports = testRuntime("e");
  const session = await Session.open(MemoryStore.create(ports), ports, { redaction: secrets });
  const { prompt, log, events, requestText, failures } = await createScene(
    [workCall(), "Done."],
    { message_end: [leaking, listening] },
    { session, secrets },
  );
  await prompt("Begin.");
  assert.deepEqual(failures, []);
  assert.equal(received.length, 4);
  for (const text of [...received, JSON.stringify(await log()), JSON.stringify(events), requestText(1)])
    assert.ok(!text.includes(String(github)));
  assert.ok(requestText(1).length < 120_000);
});

test("SAY1 a message that is too large for the session file is refused", async () => {
  const huge: Hook = ({ message }) =>
    ({ message: { ...message, content: [{ type: "text", text: "x".repeat(40_000_000) }] } }) as never;
  const { prompt, toolInputs, failures } = await createScene([workCall(), "Done."], { message_end: [huge] });
  assert.deepEqual(await prompt("Begin."), { type: "done" });
  assert.equal(toolInputs.length, 1);
  assert.equal(failures.length, 4);
});

test("SAY14 if a required hook fails, the run ends with the reason, and a call still has a result", async () => {
  const failing =
    (role: string): Hook =>
    ({ message }) =>
      message.role === role ? Promise.reject(new Error("no")) : undefined;
  const cancelling = await createScene([], { message_end: [failing("user")], onFailure: "cancel" });
  assert.equal((await cancelling.prompt("Begin.")).type, "failed");
  assert.deepEqual(await cancelling.log(), []);
  const called = await createScene([workCall(), "Well."], {
    message_end: [failing("toolResult")],
    onFailure: "cancel",
  });
  assert.deepEqual(await called.prompt("Begin."), { type: "done" });
  assert.doesNotMatch(JSON.stringify(await called.log()), /worked/);
});

test("WORD2 attachments never become typed text, whatever a hook changes in a message", () => {
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
