/** Tests hooks/tool-hooks.ts: tool_call, tool_result. */

import assert from "node:assert/strict";
import { MemoryStore, Session, type ToolResultMessage } from "@pith/context";
import { testRuntime } from "@pith/context/testing";
import { describe, test } from "vitest";
import type { AgentHooks } from "../../src/index.ts";
import { createScene, type Scene, workCall } from "./hook-scene.ts";

describe("tool_call", () => {
  type Hook = NonNullable<AgentHooks["tool_call"]>[number];

  test("SAY4 a blocked call is not run, and its result has the reason and the source", async () => {
    const hook: Hook = Object.assign(() => ({ block: true, reason: "it is Sunday" }), { from: "calendar" });
    const scene = await createScene([workCall(), "Then not."], {
      tool_call: [hook, () => assert.fail("the next hook must not be called")],
    });
    assert.deepEqual(await scene.prompt("Begin."), { type: "done" });
    const { content, isError } = await resultIn(scene);
    assert.deepEqual(content, [{ type: "text", text: "not run: it is Sunday (calendar)" }]);
    assert.equal(isError, true);
    assert.deepEqual(scene.toolInputs, []);
  });

  test("SAY4 changed arguments are checked and run; the session keeps the model's own, and the result states the change", async () => {
    const calls: unknown[] = [];
    const permits = {
      permit: async ({ arguments: given }: { readonly arguments: unknown }) => {
        calls.push(given);
        return { type: "permitted" } as const;
      },
    };
    const more: Hook = ({ input }) => ({ input: { ...input, count: Number(input.count ?? 0) + 1 } });
    const scene = await createScene(
      [workCall({ path: "a" }), "Done."],
      { tool_call: [more, more] },
      { permissions: permits },
    );
    await scene.prompt("Begin.");
    const changed = { path: "a", count: 2 };
    assert.deepEqual(calls, [changed]);
    assert.deepEqual(scene.toolInputs, [changed]);
    assert.deepEqual((await resultIn(scene)).details, { of: "work", changedInput: changed });
    assert.ok(JSON.stringify(await scene.log()).includes(JSON.stringify(workCall({ path: "a" }).content)));
  });

  test("SAY4 a tool that returns nothing for changed arguments has the usual error result", async () => {
    const tool = { name: "work", description: "It.", parameters: { type: "object" }, isIdempotent: true };
    const mute = { ...tool, run: async () => null as never };
    const hooks = { tool_call: [() => ({ input: { all: true } })] };
    const scene = await createScene([workCall(), "Well."], hooks, { tools: [mute] });
    await scene.prompt("Begin.");
    assert.match(JSON.stringify((await resultIn(scene)).content), /work returned no content/);
  });

  test("SAY4 events have the arguments that are run", async () => {
    const scene = await createScene([workCall({ path: "a" }), "Done."], {
      tool_call: [() => ({ input: { path: "b" } })],
    });
    await scene.prompt("Begin.");
    const events = scene.events.filter((event) => event.type.startsWith("tool_execution"));
    assert.deepEqual(
      events.map((event) => ("args" in event ? event.args : null)),
      events.map(() => ({ path: "b" })),
    );
    assert.ok(events.length >= 2);
  });

  test("SAY4 a result with an unknown field blocks the call, because the hook may have meant to block it", async () => {
    const hook = (() => ({ blok: true })) as unknown as Hook;
    const scene = await createScene([workCall(), "Well."], { tool_call: [hook] });
    await scene.prompt("Begin.");
    assert.deepEqual(scene.toolInputs, []);
    assert.equal((await resultIn(scene)).isError, true);
  });

  test("SAY4 changed arguments that are not permitted are not run", async () => {
    const permits = { permit: async () => ({ type: "refused", why: "no" }) as const };
    const scene = await createScene(
      [workCall(), "Well."],
      { tool_call: [() => ({ input: { all: true } })] },
      { permissions: permits },
    );
    await scene.prompt("Begin.");
    assert.deepEqual(scene.toolInputs, []);
    assert.equal((await resultIn(scene)).isError, true);
  });

  test("SAY14 if a required hook fails, no call is run, and each has a result", async () => {
    const scene = await createScene([workCall(), "Well."], {
      tool_call: [() => Promise.reject(new Error("no"))],
      onFailure: "cancel",
    });
    assert.deepEqual(await scene.prompt("Begin."), { type: "done" });
    assert.deepEqual(scene.toolInputs, []);
    assert.equal((await resultIn(scene)).isError, true);
  });

  async function resultIn({ log }: Scene): Promise<ToolResultMessage> {
    const messages = (await log()).flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
    const results = messages.filter((message) => message.role === "toolResult");
    assert.equal(results.length, 1);
    return results[0] as ToolResultMessage;
  }
});

describe("tool_result", () => {
  type Hook = NonNullable<AgentHooks["tool_result"]>[number];

  test("SAY5 each hook changes the result of the previous one, and the last result is sent and recorded", async () => {
    const louder: Hook = ({ content }) => ({
      content: content.map((block) => (block.type === "text" ? { type: "text", text: `${block.text}!` } : block)),
    });
    const events: unknown[] = [];
    const last: Hook = ({ toolName, input, details, isError }) => {
      events.push({ toolName, input, details, isError });
      return { details: { mine: 1 }, isError: true };
    };
    const scene = await createScene([workCall({ a: 1 }), "Done."], { tool_result: [louder, louder, last] });
    await scene.prompt("Begin.");
    assert.deepEqual(events, [{ toolName: "work", input: { a: 1 }, details: { of: "work" }, isError: false }]);
    const { content, details, isError } = await resultIn(scene);
    assert.deepEqual(
      { content, details, isError },
      { content: [{ type: "text", text: "worked!!" }], details: { mine: 1 }, isError: true },
    );
    assert.match(scene.requestText(1), /worked!!/);
    assert.ok(scene.events.some((event) => event.type === "tool_execution_end" && event.isError));
  });

  test("SAY5 a changed result is limited and redacted like any other", async () => {
    const word = ["sec", "ret"].join("");
    const redaction = {
      redact: <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll(word, "[…]")) as Value,
    };
    const ports = testRuntime("r");
    const session = await Session.open(MemoryStore.create(ports), ports, { redaction });
    const hook: Hook = () => ({ content: [{ type: "text", text: `${word} ${"x".repeat(200_000)}` }] });
    const scene = await createScene([workCall(), "Done."], { tool_result: [hook] }, { session, runtime: ports });
    await scene.prompt("Begin.");
    const text = JSON.stringify((await resultIn(scene)).content);
    assert.ok(text.length < 60_000 && text.includes("bytes omitted") && !text.includes(word));
  });

  test("SAY14 if a required hook fails, the result is not shown", async () => {
    const hooks: AgentHooks = { tool_result: [() => Promise.reject(new Error("no"))], onFailure: "cancel" };
    const scene = await createScene([workCall(), "Well."], hooks);
    assert.deepEqual(await scene.prompt("Begin."), { type: "done" });
    assert.doesNotMatch(JSON.stringify(await resultIn(scene)), /worked/);
  });

  async function resultIn({ log }: Scene): Promise<ToolResultMessage> {
    const messages = (await log()).flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
    return messages.find((message) => message.role === "toolResult") as ToolResultMessage;
  }
});
