/** Tests extensions/validate.ts: commands, states and rules, tools. */

import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { ExtensionTool, Tool, ToolCall } from "../../src/index.ts";
import { calls, heldModel, quiet, stage, talk, text } from "../loop/held.ts";
import { assembled } from "./assembly.ts";

describe("commands, states and rules", () => {
  test("EXT16 a state that throws or says no text is reported once, until it speaks again", async () => {
    let says: unknown = "one thing to do";
    const { extensions, failures } = await assembled({
      one: (pith) =>
        pith.registerState("todo", () => {
          if (says instanceof Error) throw says;
          return says as string;
        }),
    });
    const [state] = extensions.stateSections;
    assert.equal(state?.text(), "one thing to do");
    for (const odd of [new Error("no luck"), 7, new Error("no luck")]) {
      says = odd;
      assert.throws(() => state?.text());
    }
    says = undefined;
    assert.equal(state?.text(), null);
    says = 7;
    assert.throws(() => state?.text());
    assert.deepEqual(failures, [
      { extension: "one", event: "state todo", why: "no luck" },
      { extension: "one", event: "state todo", why: "what it says is no text" },
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

  async function admitted(tool: Partial<ExtensionTool>): Promise<Tool> {
    const { extensions } = await assembled({ one: (pith) => pith.registerTool({ ...plain, ...tool }) });
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
    ["answers nothing", async () => undefined, /^c1 → /],
    ["answers nonsense", async () => ({ content: [7] }), /^c1 → /],
  ])("EXT15 a tool that %s has answered with an error", async (_, run, line) => {
    const model = heldModel();
    const scene = await stage(model, { tools: [await admitted({ run: run as never })] });
    const end = scene.prompt("Try.");
    await quiet();
    model.waiting[0]?.end(calls("mine", "c1"));
    await quiet();
    model.waiting[0]?.end(text("So it goes."));
    assert.deepEqual(await end, { type: "done" });
    const result = (await talk(scene))[2] ?? "";
    if (typeof line === "string") assert.equal(result, line);
    else assert.match(result, line);
  });

  test("EXT15 a tool is given copies, and its schema is taken as it was", async () => {
    const parameters = { type: "object", properties: { a: { type: "string" } } };
    const tool = await admitted({
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

  test("EXT15 an intent that is none is no intent, and none is believed to be confined", async () => {
    const confined = await admitted({ intent: () => ({ type: "command", command: "ls", isConfined: true }) });
    assert.deepEqual(confined.intent?.({}), { type: "command", command: "ls", isConfined: false });
    for (const intent of [
      null,
      7,
      {},
      { type: "look", paths: "/" },
      { type: "change", paths: [7] },
      { type: "fetch" },
    ]) {
      const odd = await admitted({ intent: () => intent as never });
      assert.throws(() => odd.intent?.({}), /none that is known/);
    }
  });
});
