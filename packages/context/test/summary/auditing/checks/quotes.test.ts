/** Proves which quotations of the user are the user's words. */

import { describe, expect, test } from "vitest";
import { falseQuote } from "../../../../src/summary/auditing/checks/quotes.ts";
import { placeLines } from "../../../../src/summary/auditing/story/place-lines.ts";
import { evidenceFor } from "../asked.ts";

const evidence = evidenceFor(
  [
    "user: Please don't   touch the `payment` code.\nUse <b>bold</b> for [totals]; it's “important”!",
    "says: I will delete the cart then",
    "user: 不要删除旧订单。先写测试",
    "note: a program says hello there",
    "user: keep the old words",
    "edits e5: use the new words",
  ],
  {
    words: "The user wrote:\n\n[entry:old1]\nnever push on Fridays\n\n[entry:old2]\ntabs it is\n\n",
    request: { id: "old3", text: "write the changelog" },
  },
);
const edited = evidenceFor(["user: keep the old words", "edits e1: use the new words"], {
  edits: [
    {
      type: "context_edit",
      id: "e2",
      parentId: "e1",
      timestamp: "",
      targetId: "e1",
      replacement: { content: "use the new words" },
    },
  ],
});

function wrong(text: string, { heading = "## Goal", asked = evidence } = {}): string | null {
  const line = placeLines([heading, text])[1];
  return line ? (falseQuote(line, asked)?.note ?? null) : "no line";
}

describe("in a section of the user's", () => {
  test.each([
    "no quotation at all",
    '"don\'t touch the payment code"',
    "“Don’t touch the payment code.”",
    '"PLEASE DON\'T TOUCH"',
    '"use ‹b>bold‹/b> for (totals)"',
    "\"it's 'important'\"",
    '"please don\'t … bold … totals"',
    '"please don\'t ... payment"',
    "「不要删除旧订单」 「先写测试」",
    "„never push“ «on Fridays» 'tabs it is'",
    '"write the changelog"',
    "`rm -rf` is code, no quotation",
    '""',
    '"…"',
    'one " mark alone',
    "it's the user's own apostrophe",
  ])("AUD3 %s is the user's", (text) => {
    expect(wrong(text)).toBeNull();
  });

  test.each([
    ['"touch the payment code now"', "touch the payment code now"],
    ['"do touch the payment code"', "do touch the payment code"],
    ['"payment … touch"', "payment … touch"],
    ['"please don\'t … never push"', "please don't … never push"],
    ["“I will delete the cart”", "I will delete the cart"],
    ["'delete the cart'", "delete the cart"],
    ["‘a program says hello’", "a program says hello"],
    ["「删除旧订单并推送」", "删除旧订单并推送"],
    ['true: "tabs it is", false: "spaces it is"', "spaces it is"],
    ['"tou"', "tou"],
    ["»delete the cart«", "delete the cart"],
    ["『delete the cart』", "delete the cart"],
    ["„delete the cart”", "delete the cart"],
  ])("AUD3 %s is not", (text, quoted) => {
    expect(wrong(text)).toBe(`line 2 quotes the user with words nobody typed: "${quoted}"`);
  });
});

describe("elsewhere", () => {
  const heading = "## Critical Context";

  test.each([
    'the error was "cannot read x"',
    'the error was "cannot read x"; the user wants "tabs it is"',
    'The user said: "never push on Fridays"',
  ])("AUD3 %s holds no false quotation", (text) => {
    expect(wrong(text, { heading })).toBeNull();
  });

  test.each([
    'The user said "push on Mondays"',
    'User: "push on Mondays"',
    'Approved: "push on Mondays"',
    'The user said "go. Now push on Mondays"',
  ])("AUD3 %s does", (text) => {
    expect(wrong(text, { heading })).not.toBeNull();
  });
});

test("AUD3 what an edit removed was never said, what it put there was", () => {
  expect(wrong('"keep the old words"', { asked: edited })).not.toBeNull();
  expect(wrong('"use the new words"', { asked: edited })).toBeNull();
});
