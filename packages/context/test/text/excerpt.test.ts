/** Tests excerpts of long texts and the template of a line. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createExcerpt } from "../../src/text/excerpt.ts";
import { lineTemplate } from "../../src/text/score-novelty.ts";
import { textTokens } from "../../src/tokens/estimate-tokens.ts";
import { expectLinearTime } from "../support/expect-speed.ts";

describe("createExcerpt", () => {
  const handle = "#412";
  const short = (text: string, share: number): string =>
    createExcerpt(text, { tokens: Math.floor(textTokens(text) * share), handle });

  const served = (index: number): string => `12:00:${index} GET /users/${index} from 10.0.0.${index} in ${index}ms`;
  const log = Array.from({ length: 1_000 }, (_, index) => served(index));

  test("SUM1 returns a short text as it is", () => {
    expect(createExcerpt("one\n\n  two  \n", { tokens: 20, handle })).toBe("one\n\n  two  \n");
    expect(createExcerpt("", { tokens: 0, handle })).toBe("");
  });

  test("SUM1 keeps head, tail and the most informative lines in order, with a mark for each gap and the handle in the first", () => {
    const text = log.with(400, "cache rebuilt by hand").with(403, "Error: disk full").join("\n");
    expect(createExcerpt(text, { tokens: 400, handle })).toBe(
      [
        served(0),
        served(1),
        "[… 398 lines; #412 opens all of it …]",
        "cache rebuilt by hand",
        "[…]",
        "Error: disk full",
        "[… 594 lines …]",
        served(998),
        served(999),
      ].join("\n"),
    );
  });

  describe("SUM1 keeps what occurs once in the middle of a long text", () => {
    const records = Array.from({ length: 300 }, (_, index) => ({
      id: index,
      state: index % 3 ? "open" : "done",
      size: index * 7,
    }));
    const noted = records.with(150, { ...records[150], owner: "Mira Holt" } as (typeof records)[0]);
    const parts = ["the scheduler", "the queue", "the export", "the gateway"];
    const acts = ["waits for", "reads from", "writes to", "depends on"];
    const sentence = (index: number): string =>
      `In step ${index} ${parts[index % 4]} ${acts[index % 3]} ${parts[(index * 7) % 4]}.`;
    const prose = Array.from({ length: 300 }, (_, index) => sentence(index));
    const hunk = (index: number): string =>
      `@@ -${index},3 +${index},3 @@\n const a = ${index};\n-let b = ${index};\n+let b = ${index + 1};`;
    const diff = Array.from({ length: 150 }, (_, index) => hunk(index));
    const chinese = Array.from({ length: 300 }, (_, index) => `第${index}步，调度程序等待队列的回应。`);
    const cases: readonly (readonly [kind: string, text: string, fact: string])[] = [
      ["in a log", log.with(500, "listening on port 48213").join("\n"), "port 48213"],
      ["in a log with one format", log.with(500, "12:00:500 GET /users/500 by Mira in 5ms").join("\n"), "by Mira"],
      ["in prose without line ends", prose.with(150, "The spare key hangs behind the aquarium.").join(" "), "aquarium"],
      [
        "in prose, without rare words",
        prose.with(150, "The second office has no lift.").join(" "),
        "office has no lift",
      ],
      ["in JSON on one line", JSON.stringify(noted), "Mira Holt"],
      ["in JSON on many lines", JSON.stringify(noted, null, 2), "Mira Holt"],
      ["in a diff", diff.with(75, "@@ -9,1 +9,2 @@\n+// never call this twice").join("\n"), "never call this twice"],
      ["in Chinese", chinese.with(150, "备用钥匙挂在鱼缸后面。").join(""), "鱼缸"],
      [
        "in the lines of a table",
        log
          .map((_, index) => `| ${index} | ok |`)
          .with(500, "| 500 | lost |")
          .join("\n"),
        "lost",
      ],
      ["beside encoded data", `${noise(40_000)}\ntoken expired\n${noise(20_000)}`, "token expired"],
    ];
    test.each(cases)("SUM1 %s", (_, text, fact) => {
      expect(short(text, 0.2)).toContain(fact);
    });

    test("SUM1 cuts a long line around its informative part, not at its head", () => {
      const line = `${"again and again ".repeat(400)}the valve sticks ${"again and again ".repeat(400)}`;
      const excerpt = short(line, 0.1);
      expect(excerpt).toContain("the valve sticks");
      expect(textTokens(excerpt)).toBeLessThan(textTokens(line) / 10);
    });
  });

  test("SUM1 keeps only head and tail of encoded data", () => {
    const excerpt = short(noise(60_000), 0.4);
    expect(textTokens(excerpt)).toBeLessThan(textTokens(noise(60_000)) * 0.1);
  });

  test("SUM1 shortens repetitive text even if the budget has room", () => {
    const excerpt = short(log.join("\n"), 0.4);
    expect(textTokens(excerpt)).toBeLessThan(textTokens(log.join("\n")) * 0.25);
  });

  test("SUM1 stays within the tokens, quotes the text in order and is well-formed, for any text", () => {
    const words = fc.constantFrom(
      "a",
      "error",
      "漢字",
      "😀",
      "x".repeat(400),
      "\n",
      "\r\n",
      ". ",
      "。",
      "},{",
      "@@ -1 +1 @@\n",
      "12",
    );
    const texts = fc.oneof(
      fc.array(fc.oneof(words, fc.string({ unit: "binary" })), { maxLength: 300 }).map((parts) => parts.join(" ")),
      fc.array(words, { maxLength: 300 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(texts, fc.integer({ min: 20, max: 500 }), (text, tokens) => {
        const excerpt = createExcerpt(text, { tokens, handle });
        expect(textTokens(excerpt)).toBeLessThanOrEqual(tokens);
        if (text.isWellFormed()) expect(excerpt.isWellFormed()).toBe(true);
        expect(createExcerpt(text, { tokens, handle })).toBe(excerpt);
        let position = 0;
        for (const piece of excerpt.split(/\s*\[…(?:[^\]]*…)?\]\s*/)) {
          position = removeSpaces(text).indexOf(removeSpaces(piece), position);
          expect(position).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 300 },
    );
  });

  describe("SUM1 time is linear in the length of the text", () => {
    const lines = [
      "a\n",
      "\n",
      " ",
      "x",
      "word ",
      ". A",
      "漢。",
      "😀",
      '",',
      "[{",
      "]}",
      ". ",
      "\r",
      `${served(7)}\n`,
      "a1B",
    ];
    test.each(lines)("SUM1 %j", (line) => {
      const [small = "", large = ""] = [250_000, 1_000_000].map((chars) => `${line.repeat(chars / line.length)}end`);
      expectLinearTime(
        () => createExcerpt(small, { tokens: 500, handle }),
        () => createExcerpt(large, { tokens: 500, handle }),
      );
    });
  });

  /** Deterministic base64 characters. */
  function noise(chars: number): string {
    let state = 7;
    const nextChar = (): string => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[state >> 25] ?? "";
    };
    return Array.from({ length: chars }, (_, index) => (index % 77 === 76 ? "\n" : nextChar())).join("");
  }

  const removeSpaces = (text: string): string => text.replace(/\s+/g, "");
});

test("lineTemplate ignores numbers, times, hashes, paths and quoted words", () => {
  const same = (one: string, other: string): void => expect(lineTemplate(one)).toBe(lineTemplate(other));
  same("at 2026-01-02T03:04:05.678Z took 12ms", "at 2025-11-12T13:14:15.9Z took 7ms");
  same("object 0xdeadbeef at 3f2a9c1", "object 0x0 at 0123456789abcdef");
  same("read src/a.ts in 'one'", "read /home/ada/b.ts in 'two words'");
  same("id 5891b5b5-22d5-4f08-ad0f-f0b110fbd9d2", "id 00000000-0000-4000-8000-000000000000");
  expect(lineTemplate("don't stop, can't stop")).toBe("don't stop, can't stop");
});
