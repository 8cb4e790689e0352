/** Proves what counts as a name in a line, and where it stands. */

import { expect, test } from "vitest";
import { namesIn } from "../../../src/summary/names.ts";

const shown = (text: string): readonly string[] => namesIn(text).map(({ text: name, kind }) => `${kind} ${name}`);

test.each([
  [
    "src/auth test/x.ts ./a.ts ../b /etc/hosts C:\\a\\b.ts",
    ["path src/auth", "path test/x.ts", "path ./a.ts", "path ../b", "path /etc/hosts", "path C:\\a\\b.ts"],
  ],
  [
    "@scope/pkg origin/main package.json .env .env.local",
    ["path @scope/pkg", "path origin/main", "path package.json", "path .env", "path .env.local"],
  ],
  ["auth.ts:42:7, (auth.ts) **auth.ts**; auth.ts#L3", ["path auth.ts", "path auth.ts", "path auth.ts", "path auth.ts"]],
  [
    "foo_bar FOO_BAR fooBar FooBar foo() Foo.bar $HOME",
    ["loose foo_bar", "loose FOO_BAR", "loose fooBar", "loose FooBar", "loose foo", "loose Foo.bar", "loose $HOME"],
  ],
  [
    "--flag #12 ABC-123 v2 1.2.3 3f2a91c https://a.b/c www.x.y",
    [
      "exact --flag",
      "exact #12",
      "exact ABC-123",
      "exact v2",
      "exact 1.2.3",
      "exact 3f2a91c",
      "exact https://a.b/c",
      "exact www.x.y",
    ],
  ],
  ["`a b` and `x`", ["code a b", "code x"]],
  ["中文src/a.ts文件", ["path src/a.ts"]],
  ["CI/CD and/or e.g. i.e. a.m. Node.js TypeScript HTTP/2 UTF-8 I/O 24/7 read/write client/server", []],
  ["GitHub macOS iOS x.y.z word: 12:30 1.5 100% deadbeef 1234567 U.S. a_ _b -x key=value user@host", []],
  ["ab.m p.m", ["path ab.m"]],
])("AUD5 %j", (text, names) => {
  expect(shown(text)).toEqual(names);
});

test("AUD5 a name says where it stands, its backticks included", () => {
  expect(namesIn("see `x`, **a.ts:3**!")).toEqual([
    { text: "x", kind: "code", start: 4, end: 7 },
    { text: "a.ts", kind: "path", start: 11, end: 15 },
  ]);
});

test("AUD5 a name without end is cut", () => {
  expect(namesIn(`src/${"a".repeat(900)}`).map(({ end }) => end)).toEqual([500]);
});
