/** Proves how texts are made comparable: folding, quoting, stems, words, and lists of words. */

import { describe, expect, test } from "vitest";
import { anyOf, lexicon, pattern, stem } from "../../../src/summary/claims/lexicon.ts";
import { foldAccents, normal, wordsIn } from "../../../src/text/sanitize.ts";

test.each([
  ["ÄÖü Çñ é", "aou cn e"],
  ["ＡＢＣ ﬁ", "abc fi"],
  ["don’t", "don't"],
  ["us\u200ber\u00ad", "user"],
  ["が ぱ 한글 हिन्दी", "が ぱ 한글 हिन्दी"],
  ["Ёлка й", "елка и"],
  ["plain TEXT 1", "plain text 1"],
])("AUD4 %j folds to %j", (text, comparable) => {
  expect(foldAccents(text)).toBe(comparable);
});

test.each([
  ["  A\n\tb  ", "a b"],
  ["“a” ‘b’ «c» „d“ 「e」 `f` *g* \"h\" 'i'", "a b c d e f g h i"],
  ["‹b> [c] {d} （e）", "(b) (c) (d) (e)"],
  ["a – b — c − d", "a - b - c - d"],
  ["é Ａ…", "é a..."],
  ["a\u200bb", "ab"],
])("AUD3 %j is quoted as %j", (text, comparable) => {
  expect(normal(text)).toBe(comparable);
});

test.each([
  [["fix", "fixes", "fixed", "fixing"], "fix"],
  [["run", "runs", "running"], "run"],
  [["test", "tests", "tested", "testing"], "test"],
  [["migrate", "migrating", "migration", "migrations"], "migra"],
  [["retry", "retries"], "retr"],
  [["log", "logs", "logging"], "log"],
  [["prueba", "pruebas"], "prueb"],
  [["файл", "файла", "файлы"], "файл"],
  [["at"], "at"],
  [["登录"], "登录"],
])("AUD4 %j have one stem, %s", (words, common) => {
  expect(words.map(stem)).toEqual(words.map(() => common));
});

test("AUD3 words are set apart by what is no letter, and letters where there are no spaces", () => {
  expect(wordsIn("It's src/a_b.ts, Über 3.5")).toEqual(["its", "src", "a_b", "ts", "über", "3", "5"]);
  expect(wordsIn("改src文件 テスト 한글")).toEqual([..."改", "src", ..."文件テスト한글"]);
  expect(wordsIn("… !")).toEqual([]);
});

describe("lists of words", () => {
  const words = pattern(anyOf("stop go_on Über* 停止 지_?마"));

  test.each(["stop", "Please stop.", "go  on", "uber", "ubermut", "请停止", "하지 마"])(
    "AUD4 are found in %j",
    (text) => {
      expect(words.test(foldAccents(text))).toBe(true);
    },
  );

  test.each(["stops", "nonstop", "go, on", "hubert", "停", "go"])("AUD4 are not found in %j", (text) => {
    expect(words.test(foldAccents(text))).toBe(false);
  });
});

describe("a lexicon", () => {
  const tagsOf = lexicon({ no: "not do_not n* 不 (?<!特)别", stop: "halt halt_at* 不要 halt" });
  const shown = (text: string): string =>
    tagsOf(text)
      .map(({ text: word, tags }) => `${word}[${tags}]`)
      .join(" ");

  test.each([
    ["do not halt", "do[no] not[no,no] halt[stop,stop]"],
    ["do, not", "do[no] not[no,no]"],
    ["do it", "do[] it[]"],
    ["halt atom", "halt[stop,stop,stop] atom[]"],
    ["don't o'n", "don't[] o'n[]"],
    ["我不要特别别走", "我[] 不要[stop] 特别[] 别[no] 走[]"],
    ["不x不", "不[no] x[] 不[no]"],
    ["", ""],
  ])("AUD4 of %j", (text, pieces) => {
    expect(shown(text)).toBe(pieces);
  });
});
