/** Proves in which language a summary must be, and when that cannot be told. */

import { expect, test } from "vitest";
import { otherLanguage } from "../../../../src/summary/auditing/checks/language.ts";
import { placeLines } from "../../../../src/summary/auditing/story/place-lines.ts";
import { evidenceFor, format, summaryWith } from "../asked.ts";

const typed = {
  English: "please have a look at the test, it is not what it should be",
  German: "bitte schau dir den Test an, der ist nicht so, wie er sein soll",
  Spanish: "mira la prueba por favor, no es como las que hay en el otro lado",
  French: "regarde le test, il est dans les sources et ce n'est pas bon pour nous",
  Portuguese: "olha o teste em questão, não está como os outros que são do sistema",
  Chinese: "请看一下测试,结果不对",
  Japanese: "テストを見てください。結果がおかしいです",
  Korean: "테스트를 확인해 주세요. 결과가 이상합니다",
  Russian: "посмотри на тест, результат неправильный",
  Arabic: "انظر إلى الاختبار من فضلك",
  Hindi: "कृपया परीक्षण देखें",
} as const;

type Name = keyof typeof typed;

const names = Object.keys(typed) as readonly Name[];

function notesOf(said: readonly string[], written: string): readonly string[] {
  const lines = placeLines(summaryWith({ "## Goal": `- ${written} (entry:e1)` }).split("\n"));
  const evidence = evidenceFor(said.map((text) => `user: ${text}`));
  return otherLanguage({ story: "", lines, evidence, format }).map(({ note }) => note);
}

test.each(names)("AUD8 %s for %s", (name) => {
  expect(notesOf([typed[name]], typed[name])).toEqual([]);
});

test.each(names.flatMap((spoken) => names.filter((name) => name !== spoken).map((written) => ({ spoken, written }))))(
  "AUD8 who writes $spoken gets no $written",
  ({ spoken, written }) => {
    expect(notesOf([typed[spoken]], typed[written])).toHaveLength(1);
  },
);

test("AUD8 the note names both languages", () => {
  expect(notesOf([typed.German], typed.English)).toEqual([
    "the user writes German, the summary is in English: only its headings are English",
  ]);
  expect(notesOf([typed.Chinese], typed.Russian)).toEqual([
    "the user writes Chinese, the summary is in Cyrillic: only its headings are English",
  ]);
});

test("AUD8 what was pasted, quoted or is code says nothing of a language", () => {
  const log = "Error: the file is not there and it should have been in the folder of the user\n".repeat(40);
  expect(notesOf([`看看这个错误\n${log}是什么原因`], typed.Chinese)).toEqual([]);
  expect(notesOf([typed.German], `${typed.German} "the file is not there and it should be in the folder"`)).toEqual([]);
  expect(notesOf([typed.Chinese], "修好了 `src/the/and.ts` and_of_the/to.ts 里的测试问题")).toEqual([]);
});

test("AUD8 where it cannot be told, anything goes", () => {
  expect(notesOf([], typed.German)).toEqual([]);
  expect(notesOf(["ok"], typed.German)).toEqual([]);
  expect(notesOf([typed.German], "npm test")).toEqual([]);
  expect(notesOf([typed.German, typed.English], typed.Spanish)).toEqual([]);
  expect(notesOf([typed.German, typed.Chinese], typed.Spanish)).toEqual([]);
});

test("AUD8 most messages decide", () => {
  expect(notesOf([typed.German, typed.German, typed.English], typed.English)).toHaveLength(1);
  expect(notesOf([typed.German, typed.English, typed.English], typed.English)).toEqual([]);
});
