/** What can be asked: whatever is typed means something or nothing, and is never a mistake. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseQuery, toMatchExpression, toPrefilterQuery } from "../../src/search/query.ts";
import { createSearchHome, userLine } from "./search-home.ts";

const TEXTS: Readonly<Record<string, string>> = {
  plain: "The retry queue drops messages when the broker restarts",
  other: "messages of the queue: retry later",
  path: "I changed src/loop/run.ts and packages/cli/src/main.ts",
  names: "fooBar calls parse_header and http.createServer(), see HTTPServer and sha256",
  accents: "Das Café in Zürich öffnet früh; naïve Ångström",
  chinese: "上下文压缩后，用户的原话会逐字保留。index重建",
  japanese: "圧縮のあとでもユーザーのガイドは残る",
  korean: "압축한 뒤에도 사용자의 말은 그대로 남는다",
  thai: "หลังจากบีบอัดแล้ว",
  operators: 'NOT found AND "quoted" OR NEAR(5) -minus col:value ^caret {brace}',
};

async function planted() {
  const on = createSearchHome();
  on.session(
    "s",
    Object.entries(TEXTS).map(([id, text]) => userLine(id, text)),
  );
  return on;
}

describe("FIND1 FIND2 what a query finds", () => {
  const cases: readonly (readonly [question: string, ids: string])[] = [
    ["retry queue", "other plain"],
    ["QUEUE Retry", "other plain"],
    ['"retry queue"', "plain"],
    ["“retry queue”", "plain"],
    ["retry broker", "plain"],
    ["retry absent", ""],
    ["mess*", "other plain"],
    ["mess", ""],
    ['"the retry que"*', "plain"],
    ["src/loop/run.ts", "path"],
    ["loop/run.ts", "path"],
    ["run.ts", "path"],
    ["./src/loop/run.ts:12", ""],
    ["src/main", "path"],
    ["fooBar", "names"],
    ["foobar", "names"],
    ["foo", "names"],
    ["bar", "names"],
    ["parse_header", "names"],
    ["header", "names"],
    ["http.createServer()", "names"],
    ["createServer", "names"],
    ["server", "names"],
    ["serv*", "names"],
    ["HTTPServer", "names"],
    ["sha256", "names"],
    ["cafe zurich", "accents"],
    ["Cafe\u0301", "accents"],
    ["naive angstrom", "accents"],
    ["压", "chinese"],
    ["压缩", "chinese"],
    ["上下文压缩", "chinese"],
    ["压上", ""],
    ["压缩 保留", "chinese"],
    ["index重建", "chinese"],
    ["ユーザー", "japanese"],
    ["ガイド", "japanese"],
    ["カイト", ""],
    ["ｶﾞｲﾄﾞ", "japanese"],
    ["사용자", "korean"],
    ["บีบอัด", "thai"],
    ["NOT", "operators"],
    ["AND OR", "operators"],
    ["NEAR(5)", "operators"],
    ["-minus", "operators"],
    ["col:value", "operators"],
    ['"', ""],
    ["* - ()", ""],
    ["", ""],
  ];
  test("each query finds the expected entries in one session", async () => {
    const on = await planted();
    for (const [question, ids] of cases)
      expect([question, (await on.ids(question)).join(" ")]).toEqual([question, ids]);
  });
});

test("FIND1 any text is a valid query", async () => {
  const on = await planted();
  await on.find("first");
  const spice = fc.constantFrom(
    '"',
    "*",
    "'",
    "(",
    ")",
    "-",
    ":",
    "^",
    "AND",
    "NOT",
    "NEAR/2",
    "\u0000",
    "\ud800",
    "\ue000",
    " ",
    "a",
    "é",
    "中",
  );
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.array(spice, { maxLength: 12 }).map((all) => all.join("")),
  );
  await fc.assert(
    fc.asyncProperty(text, async (query) => void (await on.find(query))),
    { numRuns: 80 },
  );
});

test("FIND1 a long pasted query is truncated", () => {
  const { terms: parts } = parseQuery("word ".repeat(5_000));
  expect(parts.length).toBe(32);
});

test.each([
  ["src/loop/run-all.ts", '"loop"'],
  ['"for retry and queues of messages"', '"retry" AND "queues" AND "messages"'],
  ['"the retry queue" broker it', '"retry queue" AND "broker"'],
  ['"the retry que"* of', '"the retry que"*'],
  ["the retry of queues", null],
  ['"retry queue"', null],
  ['"as it is"', null],
  ["上下文", null],
])("for %s, the prefilter searches the longer words first if that helps: %s", (query, gist) => {
  const found = toPrefilterQuery(parseQuery(query));
  expect(found && toMatchExpression(found, { required: [] })).toBe(gist);
});
