/** A result before it is kept: what it says, what goes with it, and whether it failed. */

import assert from "node:assert/strict";
import { MemoryStore, Session, type ToolResultMessage } from "@pith/context";
import { testPorts } from "@pith/context/testing";
import { test } from "vitest";
import type { AgentHooks } from "../../src/index.ts";
import { calling, type Scene, spoken } from "./spoken.ts";

type Hook = NonNullable<AgentHooks["tool_result"]>[number];

test("SAY5 each hook patches what the one before it left, and all of it is told and kept", async () => {
  const louder: Hook = ({ content }) => ({
    content: content.map((block) => (block.type === "text" ? { type: "text", text: `${block.text}!` } : block)),
  });
  const told: unknown[] = [];
  const last: Hook = ({ toolName, input, details, isError }) => {
    told.push({ toolName, input, details, isError });
    return { details: { mine: 1 }, isError: true };
  };
  const scene = await spoken([calling({ a: 1 }), "Done."], { tool_result: [louder, louder, last] });
  await scene.prompt("Begin.");
  assert.deepEqual(told, [{ toolName: "work", input: { a: 1 }, details: { of: "work" }, isError: false }]);
  const { content, details, isError } = await resultIn(scene);
  assert.deepEqual(
    { content, details, isError },
    { content: [{ type: "text", text: "worked!!" }], details: { mine: 1 }, isError: true },
  );
  assert.match(scene.shown(1), /worked!!/);
  assert.ok(scene.events.some((event) => event.type === "tool_execution_end" && event.isError));
});

test("SAY5 what it makes of it is bounded and redacted like any other result", async () => {
  const word = ["sec", "ret"].join("");
  const redaction = {
    redacted: <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll(word, "[…]")) as Value,
  };
  const ports = testPorts("r");
  const session = await Session.open(MemoryStore.create(ports), ports, { redaction });
  const hook: Hook = () => ({ content: [{ type: "text", text: `${word} ${"x".repeat(200_000)}` }] });
  const scene = await spoken([calling(), "Done."], { tool_result: [hook] }, { session, ports });
  await scene.prompt("Begin.");
  const text = JSON.stringify((await resultIn(scene)).content);
  assert.ok(text.length < 60_000 && text.includes("not shown here") && !text.includes(word));
});

test("SAY14 where a hook that watches over results fails, what came of a call is not shown", async () => {
  const hooks: AgentHooks = { tool_result: [() => Promise.reject(new Error("no"))], onFailure: "cancel" };
  const scene = await spoken([calling(), "Well."], hooks);
  assert.deepEqual(await scene.prompt("Begin."), { type: "done" });
  assert.doesNotMatch(JSON.stringify(await resultIn(scene)), /worked/);
});

async function resultIn({ log }: Scene): Promise<ToolResultMessage> {
  const messages = (await log()).flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  return messages.find((message) => message.role === "toolResult") as ToolResultMessage;
}
