/** Proves that a session too long for one question is told whole, part by part, and becomes one record. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textTokens } from "../../../src/reading/tokens/text-tokens.ts";
import type { Request } from "../../../src/request.ts";
import type { Telling } from "../../../src/summary/asking/question.ts";
import { tell } from "../../../src/summary/asking/tell.ts";
import { scriptedModel } from "../../../src/testing/scripted-model.ts";
import { testPorts } from "../../../src/testing/test-ports.ts";
import { storyteller } from "../../told.ts";
import { answering, ended, modelOf, paid, said, textOf } from "./manners.ts";
import { blocksOf, kindOf, SMALL, taskIn, tellingOf } from "./told-blocks.ts";

const isPart = (request: Request): boolean => kindOf(request).startsWith("part");
const numbersIn = (text: string): readonly number[] =>
  [...text.matchAll(/\[e(\d+)\]/g)].map(([, number]) => Number(number));
/** The material of a question, without its task. */
const materialIn = (request: Request): string => textOf(request).slice(0, -taskIn(request).length);

/** Told to a model with a small window that answers with this; all that it was asked. */
async function toldTo(answer: (request: Request) => string, parts: Partial<Telling>) {
  const requests: Request[] = [];
  const model = answering((request) => {
    requests.push(request);
    return answer(request);
  }, SMALL);
  const telling = tellingOf({ model, ...parts });
  return { told: await tell(telling), requests, calls: telling.calls };
}

describe("its parts", () => {
  test("SUM5 every block reaches exactly one of them, in order, and none exceeds the window", async () => {
    const size = fc.integer({ min: 10, max: 1_800 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(size, { minLength: 1, maxLength: 14 }),
        fc.array(size, { maxLength: 6 }),
        async (history, turn) => {
          const blocks = { history: blocksOf(history), turn: blocksOf(turn, history.length + 1) };
          const { told, requests } = await toldTo(() => "## Goal\n- (none)", blocks);
          expect(told.type).toBe("told");
          const first = requests.filter((request) => isPart(request) || requests.length === 1);
          expect(first.flatMap((request) => numbersIn(materialIn(request)))).toStrictEqual(
            [...history, ...turn].map((_, at) => at + 1),
          );
          for (const request of requests) {
            const tokens = textTokens(`${request.system[0]?.text}${textOf(request)}`);
            expect(tokens).toBeLessThanOrEqual((SMALL.contextWindow - SMALL.maxTokens) * 0.7);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test("SUM5 are asked one after another", async () => {
    let open = 0;
    const most: number[] = [];
    const { sleep } = testPorts();
    const model = modelOf(async function* () {
      most.push(++open);
      await sleep(100, {});
      open--;
      yield ended();
    }, SMALL);
    expect(await tell(tellingOf({ model, history: blocksOf(Array.from({ length: 5 }, () => 1_000)) }))).toMatchObject({
      type: "told",
    });
    expect(most).toStrictEqual([1, 1, 1, 1, 1, 1]);
  });

  test("SUM5 the user's focus stands in every question", async () => {
    const instructions = "the failing tests";
    const { requests } = await toldTo(() => "word ".repeat(500), {
      history: blocksOf(Array.from({ length: 8 }, () => 1_000)),
      instructions,
    });
    expect(requests.map(kindOf)).toContain("merge");
    for (const request of requests)
      expect(taskIn(request).endsWith(`\n\nAdditional focus: ${instructions}`)).toBe(true);
  });

  test("SUM5 a task of the host's own is the last question, and the focus of all before", async () => {
    const instructions = "List the files.";
    const history = blocksOf([1_000, 1_000]);
    const { requests } = await toldTo(() => "- notes", { history, instructions, task: instructions });
    expect(requests.map((request) => taskIn(request).split("\n\n").at(-1))).toStrictEqual([
      "Additional focus: List the files.",
      "Additional focus: List the files.",
      "List the files.",
    ]);
    expect(taskIn(requests[2] as Request)).toBe("List the files.");
  });

  test("SUM5 numbers are those of the whole, and ids in the notes on each part", async () => {
    const answer = (request: Request): string =>
      numbersIn(materialIn(request))
        .map((at) => `- told [e${at}]`)
        .join("\n");
    const { requests } = await toldTo(answer, { history: blocksOf([1_000, 1_000]), turn: blocksOf([100], 3) });
    expect(requests.map(kindOf)).toStrictEqual(["part 1/3", "part 2/3", "part 3/3", "merge"]);
    expect(materialIn(requests[3] as Request).trim()).toBe(
      [
        "<partial-summary nonce-4>\n- told (entry:id-1)\n</partial-summary nonce-4>",
        "<partial-summary nonce-4>\n- told (entry:id-2)\n</partial-summary nonce-4>",
        "<turn nonce-4>\n- told (entry:id-3)\n</turn nonce-4>",
      ].join("\n\n"),
    );
  });
});

describe("their notes", () => {
  test("SUM5 SUM7 the record so far joins the last question alone, and so does what is asked of the turn", async () => {
    const previous = "## Goal\n- as before";
    const parts = { history: blocksOf([1_000, 1_000]), turn: blocksOf([100], 3), previous };
    const { requests } = await toldTo(() => "- notes", parts);
    const whole = requests.map((request) => ({
      hasPrevious: textOf(request).includes(`<previous-summary nonce-4>\n${previous}\n</previous-summary nonce-4>`),
      hasTurn: taskIn(request).includes("## Original Request"),
    }));
    const neither = { hasPrevious: false, hasTurn: false };
    expect(whole).toStrictEqual([neither, neither, neither, { hasPrevious: true, hasTurn: true }]);
  });

  test("SUM5 that exceed the window together are merged in groups, history and turn apart", async () => {
    const answer = (request: Request): string => `${isPart(request) ? "part" : "group"} ${"word ".repeat(350)}`;
    const { told, requests } = await toldTo(answer, {
      history: blocksOf(Array.from({ length: 6 }, () => 1_000)),
      turn: blocksOf([1_000, 1_000], 7),
    });
    expect(told.type).toBe("told");
    const merges = requests.filter((request) => !isPart(request));
    const tags = merges.map((request) =>
      [...materialIn(request).matchAll(/^<(\S+) \S+>\n(\w+)/gm)].map((mark) => mark.slice(1).join(" ")),
    );
    expect(tags).toStrictEqual([
      ["partial-summary part", "partial-summary part", "partial-summary part"],
      ["partial-summary part", "partial-summary part", "partial-summary part"],
      ["turn part", "turn part"],
      ["partial-summary group", "partial-summary group", "turn group"],
    ]);
    expect(merges.map((request) => taskIn(request).includes("## Original Request"))).toStrictEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  test("SUM5 that cannot be merged to fewer are told as they were made shorter, and it comes to an end", async () => {
    const answer = (request: Request): string => (isPart(request) ? `long ${"word ".repeat(1_000)}` : "short");
    const { told, requests } = await toldTo(answer, { history: blocksOf([1_000, 1_000, 1_000]) });
    expect(told).toMatchObject({ type: "told", text: "short" });
    expect(requests.map(kindOf)).toStrictEqual([
      "part 1/3",
      "part 2/3",
      "part 3/3",
      "merge",
      "merge",
      "merge",
      "merge",
    ]);
    expect(materialIn(requests[6] as Request)).toMatch(
      /^(<partial-summary \S+>\nshort\n<\/partial-summary \S+>\s+){3}$/,
    );
  });

  test("SUM5 many short ones do not exceed the window by the marks around them", async () => {
    const nonce = (): string => "8d1f0a6c2b7e93d45c60f1ab";
    const parts = { history: blocksOf(Array.from({ length: 30 }, () => 1_000)), ports: { ...testPorts(), nonce } };
    const { told, requests } = await toldTo(() => "word ".repeat(50), parts);
    expect(told.type).toBe("told");
    for (const request of requests)
      expect(textTokens(textOf(request))).toBeLessThan((SMALL.contextWindow - SMALL.maxTokens) * 0.7);
  });
});

describe("what goes wrong on the way", () => {
  const history = blocksOf([1_000, 1_000, 1_000]);

  test("SUM5 a part that is refused ends it; what was paid is known", async () => {
    const model = { ...scriptedModel(said(), { failure: { kind: "refused", message: "no" } }, said()), ...SMALL };
    const telling = tellingOf({ model, history });
    expect(await tell(telling)).toStrictEqual({ type: "failed", failure: { code: "refused", note: "no" } });
    expect(telling.calls).toStrictEqual([{ by: storyteller, usage: paid }]);
    expect(model.requests.map(kindOf)).toStrictEqual(["part 1/3", "part 2/3"]);
  });

  test("SUM5 one that is aborted between two parts is cancelled; what was paid is known", async () => {
    const stop = new AbortController();
    const model = answering(() => {
      stop.abort();
      return "- notes";
    }, SMALL);
    const telling = tellingOf({ model, history, signal: stop.signal });
    expect(await tell(telling)).toStrictEqual({ type: "cancelled" });
  });
});
