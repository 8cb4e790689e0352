/** Tests extensions/validate.ts: states and tools. */

import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { ExtensionTool, Tool, ToolCall } from "../../src/index.ts";
import { branchLines, calls, createTestAgent, heldModel, quiet, text } from "../support/held-agent.ts";
import { assemble } from "../support/test-extensions.ts";

describe("states", () => {
  test("EXT16 a state that throws or returns no text is reported once, until it works again", async () => {
    let value: unknown = "one thing to do";
    const { extensions, failures } = await assemble({
      one: (pith) =>
        pith.registerState("todo", () => {
          if (value instanceof Error) throw value;
          return value as string;
        }),
    });
    const [state] = extensions.stateSections;
    assert.equal(state?.text(), "one thing to do");
    for (const invalid of [new Error("no luck"), 7, new Error("no luck")]) {
      value = invalid;
      assert.throws(() => state?.text());
    }
    value = undefined;
    assert.equal(state?.text(), null);
    value = 7;
    assert.throws(() => state?.text());
    assert.deepEqual(failures, [
      { extension: "one", event: "state todo", why: "no luck" },
      { extension: "one", event: "state todo", why: "the text must be a string or null" },
    ]);
  });
});

describe("tools", () => {
  const plain: ExtensionTool = {
    name: "mine",
    description: "It does something.",
    parameters: { type: "object", properties: {} },
    run: async () => ({ content: [{ type: "text", text: "done" }] }),
  };

  async function registerTool(tool: Partial<ExtensionTool>): Promise<Tool> {
    const { extensions } = await assemble({ one: (pith) => pith.registerTool({ ...plain, ...tool }) });
    assert.deepEqual(extensions.notes, []);
    return extensions.tools[0] as Tool;
  }

  test.each([
    ["throws", () => Promise.reject(new Error("no luck")), "c1 → no luck"],
    [
      "throws at once",
      () => {
        throw new Error("no luck");
      },
      "c1 → no luck",
    ],
    ["returns nothing", async () => undefined, /^c1 → /],
    ["returns an invalid value", async () => ({ content: [7] }), /^c1 → /],
  ])("EXT15 the call of a tool that %s has an error result", async (_, run, line) => {
    const model = heldModel();
    const test = await createTestAgent(model, { tools: [await registerTool({ run: run as never })] });
    const end = test.prompt("Try.");
    await quiet();
    model.waiting[0]?.end(calls("mine", "c1"));
    await quiet();
    model.waiting[0]?.end(text("So it goes."));
    assert.deepEqual(await end, { type: "done" });
    const result = (await branchLines(test))[2] ?? "";
    if (typeof line === "string") assert.equal(result, line);
    else assert.match(result, line);
  });

  test("EXT15 a tool gets copies, and later changes of its schema have no effect", async () => {
    const parameters = { type: "object", properties: { a: { type: "string" } } };
    const tool = await registerTool({
      parameters,
      run: async ({ arguments: args }) => {
        Object.assign(args, { a: "spoilt" });
        return { content: [] };
      },
      intent: (args) => {
        Object.assign(args, { a: "spoilt" });
        return { type: "nothing" };
      },
    });
    parameters.type = "string";
    assert.deepEqual(tool.parameters, { type: "object", properties: { a: { type: "string" } } });
    const args = { a: "kept" };
    await tool.run({
      id: "c1",
      arguments: args,
      signal: new AbortController().signal,
      maxOutputBytes: 1,
      update: () => {},
    } as ToolCall);
    assert.deepEqual(tool.intent?.(args), { type: "nothing" });
    assert.deepEqual(args, { a: "kept" });
  });

  test("EXT15 an invalid intent throws, and no intent counts as confined", async () => {
    const confined = await registerTool({ intent: () => ({ type: "command", command: "ls", isConfined: true }) });
    assert.deepEqual(confined.intent?.({}), { type: "command", command: "ls", isConfined: false });
    for (const intent of [
      null,
      7,
      {},
      { type: "look", paths: "/" },
      { type: "change", paths: [7] },
      { type: "fetch" },
    ]) {
      const odd = await registerTool({ intent: () => intent as never });
      assert.throws(() => odd.intent?.({}), /unknown type or lacks a field/);
    }
  });
});
