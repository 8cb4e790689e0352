/** Proves what a model is asked first, and what becomes of a session that is too long for it. */

import { describe, expect, test } from "vitest";
import type { ModelFailure } from "../../../src/model.ts";
import { textTokens } from "../../../src/reading/tokens/text-tokens.ts";
import type { Telling } from "../../../src/summary/asking/question.ts";
import { tell } from "../../../src/summary/asking/tell.ts";
import { type ScriptedReply, scriptedModel } from "../../../src/testing/scripted-model.ts";
import { words } from "../../compaction/small-session.ts";
import { storyteller } from "../../told.ts";
import { paid, said, textOf } from "./manners.ts";
import { blocksOf, kindOf, SMALL, tellingOf } from "./told-blocks.ts";

/** What comes of it, the kinds of questions, their requests, and what was paid. */
async function toldTo(replies: readonly ScriptedReply[], parts: Partial<Telling>) {
  const model = { ...scriptedModel(...replies), ...SMALL };
  const telling = tellingOf({ model, ...parts });
  const told = await tell(telling);
  return { told, kinds: model.requests.map(kindOf), requests: model.requests, calls: telling.calls };
}

const failing = (kind: ModelFailure["kind"]): ScriptedReply => ({ failure: { kind, message: "too long" } });

describe("what has room", () => {
  test.each<[string, Partial<Telling>]>([
    ["initial", {}],
    ["update", { previous: "## Goal\n- x" }],
    ["branch", { format: "branch", previous: "## Goal\n- x" }],
    ["turn prefix", { format: "turn" }],
  ])("SUM6 is asked for in one question: %s", async (kind, parts) => {
    const { told, kinds, requests, calls } = await toldTo([said()], { history: blocksOf([100, 100]), ...parts });
    expect({ told, kinds, calls }).toStrictEqual({
      told: { type: "told", text: "the record", asked: { request: requests[0], nonce: "nonce-1" }, said: said() },
      kinds: [kind],
      calls: [{ by: storyteller, usage: paid }],
    });
  });

  test("SUM7 history and a turn that is cut are one question", async () => {
    const { kinds, requests } = await toldTo([said()], { history: blocksOf([100]), turn: blocksOf([100], 2) });
    expect(kinds).toStrictEqual(["initial"]);
    expect(textOf(requests[0] as never)).toMatch(
      /^<conversation (\S+)>\n\[User\]: \[e1\] [^<]+\n<\/conversation \1>\n\n<turn \1>\n\[User\]: \[e2\] [^<]+\n<\/turn \1>\n\n/,
    );
  });

  test.each<[ModelFailure["kind"]]>([["refused"], ["busy"], ["unreachable"]])(
    "SUM5 a model that is %s is not told it in parts",
    async (kind) => {
      const { told, kinds, calls } = await toldTo([failing(kind)], { history: blocksOf([100]) });
      expect({ told, kinds, calls }).toStrictEqual({
        told: { type: "failed", failure: { code: kind, note: "too long" } },
        kinds: ["initial"],
        calls: [],
      });
    },
  );

  test("SUM5 nobody who has given up is told it in parts", async () => {
    const { told, kinds } = await toldTo([failing("aborted")], { history: blocksOf([100]) });
    expect({ told, kinds }).toStrictEqual({ told: { type: "cancelled" }, kinds: ["initial"] });
  });
});

describe("what the provider finds too long", () => {
  const longest = (requests: readonly { readonly messages: readonly unknown[] }[]): readonly number[] =>
    requests.map((request) => textTokens(textOf(request as never)));

  test.each<[string, readonly number[]]>([
    ["in parts", Array.from({ length: 20 }, () => 200)],
    ["at once", Array.from({ length: 20 }, () => 60)],
    ["at once, though it is little", Array.from({ length: 20 }, () => 25)],
  ])("SUM5 is told in smaller parts, three sizes at most, each smaller than the one before: %s", async (_, sizes) => {
    for (const kind of ["overflow", "payload"] as const) {
      const replies = Array.from({ length: 4 }, () => failing(kind));
      const { told, requests } = await toldTo(replies, { history: blocksOf(sizes) });
      expect(told).toMatchObject({ type: "failed", failure: { code: expect.stringMatching(/overflow|payload/) } });
      const asked = longest(requests);
      expect(asked.length).toBeLessThanOrEqual(3);
      expect(asked.every((tokens, at) => at === 0 || tokens < (asked[at - 1] ?? 0))).toBe(true);
    }
  });

  test("SUM5 is told once more, in parts that it has room for", async () => {
    const replies = [failing("overflow"), ...Array.from({ length: 9 }, () => said())];
    const { told, kinds } = await toldTo(replies, { history: blocksOf(Array.from({ length: 10 }, () => 120)) });
    expect(told).toMatchObject({ type: "told", text: "the record" });
    expect(kinds).toStrictEqual(["initial", "part 1/2", "part 2/2", "merge"]);
  });

  test("SUM5 a window nobody knows the end of is found by trying", async () => {
    const model = { ...scriptedModel(failing("overflow"), said(), said(), said()), contextWindow: Infinity };
    expect(await tell(tellingOf({ model, history: blocksOf([900, 900]) }))).toMatchObject({ type: "told" });
    expect(model.requests.map(kindOf)).toStrictEqual(["initial", "part 1/2", "part 2/2", "merge"]);
  });
});

describe("what cannot be told", () => {
  test("SUM5 in more than 32 parts is refused by name, and nobody is asked", async () => {
    const { told, kinds } = await toldTo([], { history: blocksOf(Array.from({ length: 34 }, () => 1_000)) });
    expect({ told, kinds }).toStrictEqual({
      told: { type: "failed", failure: { code: "overflow", note: "the session does not fit into 32 parts" } },
      kinds: [],
    });
  });

  test.each<[string, Partial<Telling>]>([
    ["a small one", { model: { ...scriptedModel(), contextWindow: 1_500, maxTokens: 500 } }],
    ["one that the instructions fill", { instructions: "word ".repeat(4_000) }],
  ])("SUM5 in a window too small is refused by name, and nobody is asked: %s", async (_, parts) => {
    const { told, kinds } = await toldTo([], { history: blocksOf([100]), ...parts });
    expect({ told, kinds }).toStrictEqual({
      told: { type: "failed", failure: { code: "overflow", note: "its window is too small" } },
      kinds: [],
    });
  });
});

test("SUM5 one block that is bigger than all room is shown with head, tail and handle", async () => {
  const text = `[Tool result]: [e2] ${words(4_000)}`;
  const huge = { entryId: "id-2", text, tokens: textTokens(text) };
  const history = [...blocksOf([700]), huge, ...blocksOf([700], 3)];
  const { told, kinds, requests } = await toldTo([said(), said(), said(), said()], { history });
  expect(told).toMatchObject({ type: "told" });
  expect(kinds).toStrictEqual(["part 1/3", "part 2/3", "part 3/3", "merge"]);
  expect(textOf(requests[1] as never)).toMatch(/\[e2\] word0 word1 .* entry:id-2 opens all of it .* word3999\n/s);
});
