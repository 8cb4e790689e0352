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
} from "../support/messages.ts";

const callOptions = (request: Parameters<typeof buildCallOptions>[0], to = anthropic) =>
  buildCallOptions(request, { target: to, maxTokens: 1000, cacheKey: "s1" });

const change: SystemMessage = {
  role: "system",
  content: "Be brief.",
  sections: { place: "You are in Rome.", mood: null },
  toolsAdded: [tool("write"), tool("read")],
  toolsRemoved: [{ name: "bash" }],
  timestamp: 0,
};

const systemUpdate = [
  "Be brief.",
  'The section "place" of your instructions now reads:\n\nYou are in Rome.',
  'The section "mood" of your instructions is no longer valid.',
  "These tools were removed; do not call them: bash.",
  "You can now call these tools: write, read.",
].join("\n\n");

describe("system", () => {
  const request = requestOf([user("hi"), says([{ type: "text", text: "ho" }], anthropic), change, user("and now?")], {
    system: [
      { name: "prompt", text: "You help." },
      { name: "place", text: "You are in Paris." },
    ],
    tools: [tool("read"), tool("bash")],
  });

  test("CNV9 is sent first as one text, which later changes never rewrite", () => {
    for (const to of all) {
      const [first] = callOptions(request, to).prompt;
      expect(first).toEqual({ role: "system", content: "You help.\n\nYou are in Paris." });
    }
  });

  test("CNV9 is changed in place: by a system message if supported, otherwise by a text in tags", () => {
    for (const to of [responses, openaiChat])
      expect(callOptions(request, to).prompt[3]).toEqual({ role: "system", content: systemUpdate });
    for (const to of [anthropic, gemini, completions])
      expect(callOptions(request, to).prompt[3]).toEqual({
        role: "user",
        content: [{ type: "text", text: `<system-update>\n${systemUpdate}\n</system-update>` }],
      });
  });

  test("CNV9 declares added tools after the first ones, each once, and keeps removed tools declared", () => {
    expect(callOptions(request).tools?.map(({ name }) => name)).toEqual(["read", "bash", "write"]);
  });

  test("CNV9 keeps the first declaration of a changed tool, and an update describes the change", () => {
    const other: SystemMessage = {
      role: "system",
      content: "",
      toolsAdded: [{ ...tool("read"), description: "Reads more." }],
      timestamp: 0,
    };
    const { tools, prompt } = callOptions(requestOf([user("hi"), other], { tools: [tool("read")] }));
    expect(tools).toMatchObject([{ description: "The tool read." }]);
    expect(JSON.stringify(prompt[1])).toContain("The tool read has changed. Reads more.");
  });

  test("CNV9 describes a tool that changes back by its difference to the last description", () => {
    const added = (description: string): SystemMessage => ({
      role: "system",
      content: "",
      toolsAdded: [{ ...tool("write"), description }],
      timestamp: 0,
    });
    const { prompt } = callOptions(requestOf([user("hi"), added("One."), added("Two."), added("Two."), added("One.")]));
    const updates = prompt.slice(1).map((message) => JSON.stringify(message));
    expect(updates.map((text) => text.includes("has changed"))).toEqual([false, true, false, true]);
    expect(updates[3]).toContain("One.");
  });

  test("CNV9 sends no message for an empty change", () => {
    const nothing: SystemMessage = { role: "system", content: " ", toolsAdded: [], timestamp: 0 };
    expect(callOptions(requestOf([user("hi"), nothing])).prompt).toHaveLength(1);
  });
});

describe("results", () => {
  const images = (to = anthropic) =>
    requestOf([user("look"), calls(to, "a", "b"), result("a", [picture]), result("b", "text", { isError: true })]);

  test("CNV11 sends the results of one reply as one message, with errors marked if supported", () => {
    for (const to of all)
      expect(callOptions(images(to), to).prompt.filter(({ role }) => role === "tool")).toHaveLength(1);
    const output = (type: string) => ({ content: [{}, { output: { type } }] });
    for (const to of [anthropic, gemini])
      expect(callOptions(images(to), to).prompt[2]).toMatchObject(output("error-text"));
    for (const to of [responses, completions, openaiChat])
      expect(callOptions(images(to), to).prompt[2]).toMatchObject(output("text"));
  });

  test("CNV11 sends images in the result, or right after it if results are text only", () => {
    const file = { type: "file", mediaType: "image/png", data: { type: "data", data: picture.data } };
    for (const to of [anthropic, responses])
      expect(callOptions(images(to), to).prompt[2]?.content[0]).toMatchObject({
        output: { type: "content", value: [file] },
      });
    expect(callOptions(images(gemini), gemini).prompt[2]?.content[0]).toMatchObject({
      output: { type: "content", value: [{ type: "text" }, file] },
    });
    for (const to of [completions, openaiChat]) {
      const { prompt } = callOptions(images(to), to);
      expect(prompt[2]?.content[0]).toMatchObject({
        output: { type: "text", value: expect.stringContaining("follow") },
      });
      expect(prompt[3]).toEqual({
        role: "user",
        content: [{ type: "text", text: "Images from the result of the tool read (a):" }, file],
      });
    }
  });

  test("CNV11 splits OpenAI's two ids in calls and results", () => {
    const { prompt } = callOptions(
      requestOf([user("x"), calls(responses, "call_1|fc_1"), result("call_1|fc_1", "y")]),
      responses,
    );
    expect(prompt[1]?.content[0]).toMatchObject({ toolCallId: "call_1" });
    expect(prompt[2]?.content[0]).toMatchObject({ toolCallId: "call_1" });
  });
});

describe("cache marks", () => {
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

  test("CNV10 are on the last tool, the system prompt and the last part of each marked message", () => {
    const { tools, prompt } = callOptions(marked);
    expect(tools?.map((each) => "providerOptions" in each)).toEqual([false, true]);
    expect(prompt[0]).toMatchObject(mark);
    expect(prompt[1]?.content).toEqual([{ type: "text", text: "one", ...mark }]);
    expect(prompt[3]?.content).toMatchObject([mark, {}]);
    expect(prompt[3]?.content[1]).not.toHaveProperty("providerOptions");
  });

  test("CNV10 are sent to Anthropic only", () => {
    for (const to of [responses, completions, openaiChat, gemini])
      expect(JSON.stringify(callOptions(marked, to))).not.toContain("cacheControl");
  });

  test("CNV10 of more than four, those of tools, system and the newest messages are sent", () => {
    const messages = [user("one"), user("two"), user("three"), user("four")];
    const cacheMarks = [3, 0, 1, 2].map((index) => ({ after: "message" as const, index }));
    const system = [{ name: "prompt", text: "You help." }];
    const request = requestOf(messages, { system, cacheMarks: [...cacheMarks, { after: "system" }] });
    const { prompt } = callOptions(request);
    expect(prompt.map((message) => JSON.stringify(message).includes("cacheControl"))).toEqual([
      ...[true, false],
      ...[true, true, true],
    ]);
  });

  test("CNV10 a mark on a message that is not sent moves to the one before", () => {
    const nothing: SystemMessage = { role: "system", content: "", timestamp: 0 };
    const { prompt } = callOptions(requestOf([user("one"), nothing], { cacheMarks: [{ after: "message", index: 1 }] }));
    expect(prompt).toEqual([{ role: "user", content: [{ type: "text", text: "one", ...mark }] }]);
  });
});

function withBudget(budgetTokens: number | null) {
  const thinking = budgetTokens === null ? { type: "disabled" } : { type: "enabled", budgetTokens };
  return { anthropic: { includePings: true, thinking } };
}

describe("settings", () => {
  const thinking = requestOf([user("hi")], { thinking: "high", tools: [tool("read")] });

  test("CNV13 sends thinking, tool choice and output length", () => {
    expect(callOptions(thinking, responses)).toMatchObject({
      reasoning: "high",
      toolChoice: { type: "auto" },
      maxOutputTokens: 1000,
    });
    expect(callOptions({ ...thinking, thinking: "off" })).toMatchObject({ reasoning: "none" });
    expect(callOptions({ ...thinking, toolChoice: { name: "read" } }, gemini)).toMatchObject({
      toolChoice: { type: "tool", toolName: "read" },
      reasoning: "high",
    });
  });

  test("CNV13 Anthropic does not think when a tool call is forced", () => {
    expect(callOptions({ ...thinking, toolChoice: "required" }).providerOptions).toEqual(withBudget(null));
  });

  test("CNV17 sends no thinking options to a model that cannot think", () => {
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

  test("CNV16 an older Claude has a thinking budget that changes only when the room is small", () => {
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

  test("CNV13 sends no tool choice without tools", () => {
    expect(callOptions(requestOf([user("hi")], { toolChoice: "none" }))).not.toHaveProperty("toolChoice");
  });

  test("CNV13 sends the options of each provider", () => {
    expect(callOptions(thinking, responses).providerOptions).toEqual({
      openai: { promptCacheKey: "s1", store: false, parallelToolCalls: true, reasoningSummary: "auto" },
    });
    expect(callOptions(thinking, openaiChat).providerOptions).toEqual({ openai: { promptCacheKey: "s1" } });
    expect(callOptions(thinking, gemini).providerOptions).toEqual({
      google: { thinkingConfig: { includeThoughts: true } },
    });
    expect(callOptions(thinking, completions)).not.toHaveProperty("providerOptions");
    for (const level of ["off", "high"] as const)
      expect(callOptions({ ...thinking, thinking: level }, { ...anthropic, model: "claude-opus-4-8" })).toMatchObject({
        providerOptions: { anthropic: { includePings: true } },
      });
  });

  test("CNV17 does not ask OpenAI for a summary when thinking is off", () => {
    expect(callOptions(requestOf([user("hi")]), responses).providerOptions).toEqual({
      openai: { promptCacheKey: "s1", store: false, reasoningSummary: null },
    });
  });
});
