/** Requests as the AI SDK takes them. */

import type { SystemMessage } from "@pith/context";
import { describe, expect, test } from "vitest";
import { buildCallOptions } from "../../src/convert/index.ts";
import {
  all,
  anthropic,
  calls,
  completions,
  gemini,
  openaiChat,
  picture,
  requestOf,
  responses,
  result,
  says,
  tool,
  user,
} from "./requests.ts";

const asked = (request: Parameters<typeof buildCallOptions>[0], to = anthropic) =>
  buildCallOptions(request, { target: to, maxTokens: 1000, cacheKey: "s1" });

const change: SystemMessage = {
  role: "system",
  content: "Be brief.",
  sections: { place: "You are in Rome.", mood: null },
  toolsAdded: [tool("write"), tool("read")],
  toolsRemoved: [{ name: "bash" }],
  timestamp: 0,
};

const told = [
  "Be brief.",
  'The part "place" of your instructions now reads:\n\nYou are in Rome.',
  'The part "mood" of your instructions is no longer valid.',
  "These tools were removed; do not call them: bash.",
  "From now on you can call these tools: write, read.",
].join("\n\n");

describe("system", () => {
  const request = requestOf([user("hi"), says([{ type: "text", text: "ho" }], anthropic), change, user("and now?")], {
    system: [
      { name: "prompt", text: "You help." },
      { name: "place", text: "You are in Paris." },
    ],
    tools: [tool("read"), tool("bash")],
  });

  test("CNV9 the sections lead as one text, and a later change never touches it", () => {
    for (const to of all) {
      const [first] = asked(request, to).prompt;
      expect(first).toEqual({ role: "system", content: "You help.\n\nYou are in Paris." });
    }
  });

  test("CNV9 a later change is told in its place: as the system where that is heard, in a frame where it is not", () => {
    for (const to of [responses, openaiChat])
      expect(asked(request, to).prompt[3]).toEqual({ role: "system", content: told });
    for (const to of [anthropic, gemini, completions])
      expect(asked(request, to).prompt[3]).toEqual({
        role: "user",
        content: [{ type: "text", text: `<system-update>\n${told}\n</system-update>` }],
      });
  });

  test("CNV9 tools that were added come after the first ones, each once; those that were removed stay declared", () => {
    expect(asked(request).tools?.map(({ name }) => name)).toEqual(["read", "bash", "write"]);
  });

  test("CNV9 a tool that comes back as another one stays declared as it was; the change tells of it", () => {
    const other: SystemMessage = {
      role: "system",
      content: "",
      toolsAdded: [{ ...tool("read"), description: "Reads more." }],
      timestamp: 0,
    };
    const { tools, prompt } = asked(requestOf([user("hi"), other], { tools: [tool("read")] }));
    expect(tools).toMatchObject([{ description: "The tool read." }]);
    expect(JSON.stringify(prompt[1])).toContain("The tool read has changed. Reads more.");
  });

  test("CNV9 a tool that changes back is told of again: what counts is what was told last", () => {
    const added = (description: string): SystemMessage => ({
      role: "system",
      content: "",
      toolsAdded: [{ ...tool("write"), description }],
      timestamp: 0,
    });
    const { prompt } = asked(requestOf([user("hi"), added("One."), added("Two."), added("Two."), added("One.")]));
    const told = prompt.slice(1).map((message) => JSON.stringify(message));
    expect(told.map((text) => text.includes("has changed"))).toEqual([false, true, false, true]);
    expect(told[3]).toContain("One.");
  });

  test("CNV9 a change that says nothing is no message", () => {
    const nothing: SystemMessage = { role: "system", content: " ", toolsAdded: [], timestamp: 0 };
    expect(asked(requestOf([user("hi"), nothing])).prompt).toHaveLength(1);
  });
});

describe("results", () => {
  const images = (to = anthropic) =>
    requestOf([user("look"), calls(to, "a", "b"), result("a", [picture]), result("b", "text", { isError: true })]);

  test("CNV11 those of one reply are one message, errors marked where the protocol has a field", () => {
    for (const to of all) expect(asked(images(to), to).prompt.filter(({ role }) => role === "tool")).toHaveLength(1);
    const output = (type: string) => ({ content: [{}, { output: { type } }] });
    for (const to of [anthropic, gemini]) expect(asked(images(to), to).prompt[2]).toMatchObject(output("error-text"));
    for (const to of [responses, completions, openaiChat])
      expect(asked(images(to), to).prompt[2]).toMatchObject(output("text"));
  });

  test("CNV11 pictures stand in the result, or right after it where results are text only", () => {
    const file = { type: "file", mediaType: "image/png", data: { type: "data", data: picture.data } };
    for (const to of [anthropic, responses])
      expect(asked(images(to), to).prompt[2]?.content[0]).toMatchObject({ output: { type: "content", value: [file] } });
    expect(asked(images(gemini), gemini).prompt[2]?.content[0]).toMatchObject({
      output: { type: "content", value: [{ type: "text" }, file] },
    });
    for (const to of [completions, openaiChat]) {
      const { prompt } = asked(images(to), to);
      expect(prompt[2]?.content[0]).toMatchObject({
        output: { type: "text", value: expect.stringContaining("follow") },
      });
      expect(prompt[3]).toEqual({
        role: "user",
        content: [{ type: "text", text: "From the result of the tool read (a):" }, file],
      });
    }
  });

  test("CNV11 a result finds its call: OpenAI's two ids are parted on both", () => {
    const { prompt } = asked(
      requestOf([user("x"), calls(responses, "call_1|fc_1"), result("call_1|fc_1", "y")]),
      responses,
    );
    expect(prompt[1]?.content[0]).toMatchObject({ toolCallId: "call_1" });
    expect(prompt[2]?.content[0]).toMatchObject({ toolCallId: "call_1" });
  });
});

describe("marks for the cache", () => {
  const marked = requestOf([user("one"), calls(anthropic, "a", "b"), result("a", "x"), result("b", "y")], {
    system: [{ name: "prompt", text: "You help." }],
    tools: [tool("read"), tool("bash")],
    cacheMarks: [
      { after: "tools" },
      { after: "system" },
      { after: "message", index: 0 },
      { after: "message", index: 2 },
    ],
  });
  const mark = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };

  test("CNV10 stand on the last tool, on the system and on the last part of each marked message", () => {
    const { tools, prompt } = asked(marked);
    expect(tools?.map((each) => "providerOptions" in each)).toEqual([false, true]);
    expect(prompt[0]).toMatchObject(mark);
    expect(prompt[1]?.content).toEqual([{ type: "text", text: "one", ...mark }]);
    expect(prompt[3]?.content).toMatchObject([mark, {}]);
    expect(prompt[3]?.content[1]).not.toHaveProperty("providerOptions");
  });

  test("CNV10 are for Anthropic alone", () => {
    for (const to of [responses, completions, openaiChat, gemini])
      expect(JSON.stringify(asked(marked, to))).not.toContain("cacheControl");
  });

  test("CNV10 of more than four, those of tools and system and of the newest messages stay", () => {
    const messages = [user("one"), user("two"), user("three"), user("four")];
    const cacheMarks = [3, 0, 1, 2].map((index) => ({ after: "message" as const, index }));
    const system = [{ name: "prompt", text: "You help." }];
    const request = requestOf(messages, { system, cacheMarks: [...cacheMarks, { after: "system" }] });
    const { prompt } = asked(request);
    expect(prompt.map((message) => JSON.stringify(message).includes("cacheControl"))).toEqual([
      ...[true, false],
      ...[true, true, true],
    ]);
  });

  test("CNV10 one on a message that is not told stands on the one before", () => {
    const nothing: SystemMessage = { role: "system", content: "", timestamp: 0 };
    const { prompt } = asked(requestOf([user("one"), nothing], { cacheMarks: [{ after: "message", index: 1 }] }));
    expect(prompt).toEqual([{ role: "user", content: [{ type: "text", text: "one", ...mark }] }]);
  });
});

function withBudget(budgetTokens: number | null) {
  const thinking = budgetTokens === null ? { type: "disabled" } : { type: "enabled", budgetTokens };
  return { anthropic: { includePings: true, thinking } };
}

describe("settings", () => {
  const thinking = requestOf([user("hi")], { thinking: "high", tools: [tool("read")] });

  test("CNV13 thinking, tool choice and the length of the answer", () => {
    expect(asked(thinking, responses)).toMatchObject({
      reasoning: "high",
      toolChoice: { type: "auto" },
      maxOutputTokens: 1000,
    });
    expect(asked({ ...thinking, thinking: "off" })).toMatchObject({ reasoning: "none" });
    expect(asked({ ...thinking, toolChoice: { name: "read" } }, gemini)).toMatchObject({
      toolChoice: { type: "tool", toolName: "read" },
      reasoning: "high",
    });
  });

  test("CNV13 Anthropic does not think where it is forced to call", () => {
    expect(asked({ ...thinking, toolChoice: "required" }).providerOptions).toEqual(withBudget(null));
  });

  test("CNV17 what cannot think hears nothing of thinking, whatever is asked for", () => {
    for (const level of ["off", "high"] as const)
      for (const to of all) {
        const options = buildCallOptions(
          { ...thinking, thinking: level },
          { target: to, maxTokens: 8_000, supportsThinking: false },
        );
        expect(options.maxOutputTokens).toBe(8_000);
        expect(JSON.stringify({ ...options, prompt: [], tools: [] })).not.toMatch(/reasoning|thinking|thoughts/i);
      }
  });

  test("CNV16 an older Claude thinks within what is asked for, and its budget changes only where the room gets narrow", () => {
    const given = (maxTokens: number) =>
      buildCallOptions(thinking, { target: anthropic, maxTokens, modelMaxTokens: 64_000 });
    for (const maxTokens of [64_000, 64_001, 100_000])
      expect(given(maxTokens).providerOptions).toEqual(withBudget(32_000));
    expect(given(64_000).maxOutputTokens).toBe(32_000);
    const budgets = Array.from({ length: 60 }, (_, step) => given(60_000 - step * 1_000));
    const kinds = new Set(budgets.map(({ providerOptions }) => JSON.stringify(providerOptions)));
    expect(kinds.size).toBeLessThanOrEqual(6);
    expect(given(1_500)).toMatchObject({ maxOutputTokens: 1_500, providerOptions: withBudget(null) });
  });

  test("CNV13 without tools no choice is sent", () => {
    expect(asked(requestOf([user("hi")], { toolChoice: "none" }))).not.toHaveProperty("toolChoice");
  });

  test("CNV13 what each provider is told besides", () => {
    expect(asked(thinking, responses).providerOptions).toEqual({
      openai: { promptCacheKey: "s1", store: false, parallelToolCalls: true, reasoningSummary: "auto" },
    });
    expect(asked(thinking, openaiChat).providerOptions).toEqual({ openai: { promptCacheKey: "s1" } });
    expect(asked(thinking, gemini).providerOptions).toEqual({ google: { thinkingConfig: { includeThoughts: true } } });
    expect(asked(thinking, completions)).not.toHaveProperty("providerOptions");
    for (const level of ["off", "high"] as const)
      expect(asked({ ...thinking, thinking: level }, { ...anthropic, model: "claude-opus-4-8" })).toMatchObject({
        providerOptions: { anthropic: { includePings: true } },
      });
  });

  test("CNV17 OpenAI is not asked for a summary of thoughts that are switched off", () => {
    expect(asked(requestOf([user("hi")]), responses).providerOptions).toEqual({
      openai: { promptCacheKey: "s1", store: false, reasoningSummary: null },
    });
  });
});
