/** How hard each is told to think. */

import type { ModelName, ThinkingLevel } from "@pith/context";
import { expect, test } from "vitest";
import { callOptions } from "../../../src/convert/index.ts";
import { anthropic, completions, gemini, openaiChat, requestOf, responses, user } from "./requests.ts";

const told = (to: ModelName, thinking: ThinkingLevel) =>
  callOptions(requestOf([user("hi")], { thinking }), { to, maxTokens: 1000 }).reasoning;

const levels = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;

test("CNV17 thinking is switched off where a package knows how; chat and strangers are told nothing", () => {
  for (const to of [anthropic, responses, gemini]) expect(told(to, "off")).toBe("none");
  for (const to of [completions, openaiChat, { ...completions, api: "some-other-api" }, { ...responses, model: "o3" }])
    expect(told(to, "off")).toBeUndefined();
});

test("CNV17 servers of the chat protocol, and OpenAI's first thinkers, hear of three levels", () => {
  const three = ["low", "low", "medium", "high", "high", "high"];
  for (const to of [completions, { ...responses, model: "o4-mini" }, { ...openaiChat, model: "o3" }])
    expect(levels.map((level) => told(to, level))).toEqual(three);
});

test("CNV17 packages that know their models are told the level as it is", () => {
  for (const to of [responses, openaiChat, gemini, { ...anthropic, model: "claude-opus-4-8" }])
    expect(levels.map((level) => told(to, level))).toEqual(levels);
});
