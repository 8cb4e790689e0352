/** Tests context/context-size.ts: the tokens that a reply reports are its total or the sum of its parts. */

import { describe, expect, test } from "vitest";
import { calculateContextTokens, readTokenReport } from "../../src/context/context-size.ts";
import type { AssistantMessage, Usage } from "../../src/message.ts";
import { emptyUsage, story } from "../../src/testing/story.ts";

const parts = { input: 100, output: 20, cacheRead: 7, cacheWrite: 3 };
const used = (usage: object): Usage => ({ ...emptyUsage, ...usage }) as Usage;

describe("the tokens of a context are", () => {
  test.each<[string, Usage | undefined, number]>([
    ["the total, if it is reported", used({ ...parts, totalTokens: 150 }), 150],
    ["without a total, the sum of input, output and both caches", used(parts), 130],
    ["the total, even if it is less than its parts", used({ ...parts, totalTokens: 5 }), 5],
    ["the sum of the reported parts", { input: 100, cacheRead: 7 } as Usage, 107],
    ["zero for a usage of zeros", emptyUsage, 0],
    ["zero without a usage", undefined, 0],
    ["zero for null", null as never, 0],
    ["zero for an empty usage", {} as Usage, 0],
  ])("TOK1 B9 %s", (_, usage, tokens) => {
    expect(calculateContextTokens(usage)).toBe(tokens);
  });

  test.each([[Number.NaN], [Number.POSITIVE_INFINITY], [-5], ["150"], [null], [150n], [{}]])(
    "TOK2 not %s, as a total or as a part",
    (wrong) => {
      expect(calculateContextTokens(used({ ...parts, totalTokens: wrong }))).toBe(130);
      expect(calculateContextTokens(used({ ...parts, input: wrong }))).toBe(30);
    },
  );
});

describe("the tokens that a reply reports are", () => {
  const reply = (usage: object, stopReason: AssistantMessage["stopReason"] = "stop"): AssistantMessage => {
    const [entry] = story("says: done");
    return { ...(entry as { readonly message: AssistantMessage }).message, usage: used(usage), stopReason };
  };

  test.each<[string, object, object | null]>([
    ["its request and its answer", { ...parts, totalTokens: 130 }, { prompt: 110, total: 130 }],
    ["a cache that is only in the total", { input: 10, output: 20, totalTokens: 130 }, { prompt: 110, total: 130 }],
    ["a total less than its parts", { ...parts, totalTokens: 60 }, { prompt: 110, total: 60 }],
    ["nothing for an empty usage", {}, null],
  ])("TOK1 %s", (_, usage, measure) => {
    expect(readTokenReport(reply(usage))).toStrictEqual(measure);
  });

  test.each(["error", "aborted"] as const)("TOK2 none if it ended as %s", (stopReason) => {
    expect(readTokenReport(reply(parts, stopReason))).toBeNull();
  });
});
