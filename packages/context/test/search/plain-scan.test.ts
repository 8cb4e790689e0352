/** The index beside a plain look at every entry: both must find the same, for any question. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { appendLines, createSearchHome, userLine } from "./search-home.ts";

const WORDS = [
  "run",
  "Run",
  "runner",
  "loop",
  "fooBar",
  "foo",
  "bar",
  "src/loop/run.ts",
  "a_b",
  "12",
  "é",
  "e",
  "中文",
  "中",
  "文字",
  "(x)",
];
const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((words) => words.join(" "));
const question = fc.array(
  fc.oneof(
    fc.constantFrom(...WORDS),
    fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...WORDS)).map(([one, other]) => `"${one} ${other}"`),
    fc.constantFrom("r*", "ru*", "foo*", "1*", "中*", "lo*"),
  ),
  { minLength: 1, maxLength: 3 },
);

test("FIND13 the index finds the same entries as a plain scan: 200 queries, several segments, with additions in between", async () => {
  const on = createSearchHome();
  const all = fc.sample(text, { numRuns: 160, seed: 7 });
  const path = on.session(
    "one",
    all.slice(0, 60).map((each, at) => userLine(`e${at}`, each)),
  );
  on.session(
    "two",
    all.slice(60, 120).map((each, at) => userLine(`e${at + 60}`, each)),
    { cwd: "/code/two" },
  );
  const questions = fc.sample(question, { numRuns: 200, seed: 8 });
  for (const [number, parts] of questions.entries()) {
    if (number === 100) appendLines(path, ...all.slice(120).map((each, at) => userLine(`e${at + 120}`, each)));
    const there = number < 100 ? all.slice(0, 120) : all;
    const expected = there.flatMap((each, at) => (parts.every((part) => has(each, part)) ? [`e${at}`] : [])).sort();
    const found = await on.ids(parts.join(" "), { limit: 500, segmentChars: 800 });
    expect([parts, found]).toEqual([parts, expected]);
  }
});

// Told without the code that it checks: a text as a row of small words, a name's parts as words beside the row.
function has(text: string, part: string): boolean {
  const isPrefix = part.endsWith("*");
  const wanted = row(part);
  const words = row(text);
  const last = wanted.length - 1;
  const fits = (found: string | undefined, at: number): boolean =>
    isPrefix && at === last ? (found ?? "").startsWith(wanted[at] ?? "") : found === wanted[at];
  if (words.some((_, from) => wanted.every((_word, at) => fits(words[from + at], at)))) return true;
  return wanted.length === 1 && text.includes("fooBar") && ["foo", "bar"].some((name) => fits(name, 0));
}

function row(text: string): readonly string[] {
  const plain = text
    .toLowerCase()
    .replaceAll("é", "e")
    .replace(/[中文字]/g, " $& ");
  return plain.split(/[^a-z0-9中文字]+/).filter((word) => word !== "");
}
