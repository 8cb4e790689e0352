/** Proves what the log answers: which ids exist, what a person typed, and which names occur. */

import { expect, test } from "vitest";
import { footings } from "../../../src/summary/claims/footings.ts";
import { heard } from "../../../src/summary/claims/heard.ts";
import { isKnownWord, joints, knownNames, quotable, textsIn, typedTexts } from "../../../src/summary/evidence.ts";
import { story } from "../../../src/testing/story.ts";
import { evidenceFor, nothing } from "./asked.ts";

test("AUD4 what people typed, oldest first", () => {
  const covered = story("user: one", "says: two", "note: three", "user:  ", "user: five", "bash: six -> seven");
  const parts = {
    ...nothing,
    covered,
    previous: "## Goal\n- zero (entry:z, entry:e2)\n- no id\n## Next Steps\n1. other (entry:y)",
    isOurs: true,
    words: "The user wrote:\n\n[entry:w1]\nfirst\nwords\n\n[entry:w2]\nsecond\n\n",
    request: { id: "e5", text: "five" },
  };
  expect([...typedTexts(parts)]).toEqual([
    ["z", ["zero"]],
    ["w1", ["first\nwords\n"]],
    ["w2", ["second\n\n"]],
    ["e1", ["one"]],
    ["e5", ["five", "five"]],
  ]);
  expect([...typedTexts({ ...parts, isOurs: false }).keys()]).toEqual(["w1", "w2", "e1", "e5"]);
});

test("AUD3 words are typed in a row, in one message", () => {
  const isTyped = quotable(["one two three, four", "five one", "two", "a b a b a c"]);
  const asked = ["one two", "Two THREE four", "one…four", "five one", "two", "a b a c", "a … c", "!", ""];
  expect(asked.filter((words) => !isTyped(words))).toEqual([]);
  const others = ["two one", "one three", "one five", "five one two", "four … one", "on", "one…two…five", "a c a"];
  expect(others.filter(isTyped)).toEqual([]);
});

test("AUD3 of very common words the first places are looked at", () => {
  const isTyped = quotable([`${"a b ".repeat(500)}a z`]);
  expect([isTyped("a b a"), isTyped("b a z"), isTyped("a z"), isTyped("b b")]).toEqual([true, true, true, false]);
});

test("AUD5 names are words, and words that one mark joins", () => {
  expect(joints("src/a.ts x--y a b C:\\D #7")).toEqual([
    { word: "src", pair: null },
    { word: "a", pair: "src/a" },
    { word: "ts", pair: "a.ts" },
    { word: "x", pair: null },
    { word: "y", pair: null },
    { word: "a", pair: null },
    { word: "b", pair: null },
    { word: "c", pair: null },
    { word: "d", pair: null },
    { word: "7", pair: null },
  ]);
});

test("AUD5 a word is known by itself, its plural, or as the beginning of a hash", () => {
  const names = knownNames(["boxes cat 3f2a91c4d5e6f708 v12 \\nline v1.2"]);
  const asked = ["boxes", "boxe", "cat", "cats", "3f2a91c", "3f2a91c4d", "v12", "12", "line", "nline"];
  expect(asked.filter((word) => !isKnownWord(word, names))).toEqual([]);
  expect(["box", "cot", "3f2a91d", "13"].filter((word) => isKnownWord(word, names))).toEqual([]);
  expect([...names.pairs]).toEqual(["v1.2", "1.2"]);
});

test("AUD5 all texts of an entry are read, but not its ids, times, signatures and images", () => {
  const [, called] = story("thinks: hm", "calls: edit path=a.ts", "calls: edit path=b.ts count=2");
  expect([...(called ? textsIn(called) : [])].sort()).toEqual(
    [
      ...["type", "message", "message", "role", "assistant", "content", "api", "anthropic-messages", "provider"],
      ...["anthropic", "model", "storyteller", "stopReason", "toolUse", "type", "toolCall", "id", "c2", "name"],
      ...["edit", "arguments", "path", "b.ts", "count", "2"],
    ].sort(),
  );
});

test("AUD4 a claim rests on the newest text that carries it", () => {
  const find = footings(
    new Map([
      ["old", heard("paint the fence blue")],
      ["other", heard("paint the door")],
      ["new", heard("please paint the fence blue today")],
      ["no", heard("do not paint the fence blue")],
    ]),
  );
  expect([
    find("Paint the fence blue"),
    find("Paint the door"),
    find("Wash the door"),
    find("fence"),
    find(""),
  ]).toEqual(["new", "other", null, null, null]);
  expect(find(`paint the fence blue ${"x".repeat(4000)}`)).toBeNull();
});

test("AUD2 the log answers for its own ids, and what a sentence puts behind one is no part of it", () => {
  const evidence = evidenceFor(["user: a", "says: b"], { previous: "(entry:p1)", ledger: "entry:l1. entry:l2" });
  expect(["e1", "e2", "e1.", "p1", "l1", "l1.", "l2", "e3", "E1", ""].map(evidence.knownId)).toEqual([
    ...["e1", "e2", "e1", "p1", "l1", "l1.", "l2"],
    ...[null, null, null],
  ]);
  expect([evidence.heardUnder("e1") !== null, evidence.heardUnder("e2"), evidence.heardUnder("x")]).toEqual([
    true,
    null,
    null,
  ]);
  expect(evidence.typed()).toEqual(["a"]);
  expect(evidence.names()).toBe(evidence.names());
});
