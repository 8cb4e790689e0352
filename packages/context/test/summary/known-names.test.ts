/** Tests which words of a line are paths and identifiers, and which of them the session has. */

import { describe, expect, test } from "vitest";
import { addTextNames, createNameIndex, findNames, isKnownName } from "../../src/summary/known-names.ts";

const namesIn = (text: string): readonly string[] => findNames(text).map(({ kind, text: name }) => `${kind} ${name}`);

describe("paths", () => {
  test.each([
    ["see /etc/hosts for it", "/etc/hosts"],
    ["./run and", "./run"],
    ["../lib/a", "../lib/a"],
    ["edited src/auth/login.ts.", "src/auth/login.ts"],
    ["**src/login.ts**", "src/login.ts"],
    ["(src/login.ts:42:7)", "src/login.ts"],
    ["src/login.ts:10-20", "src/login.ts"],
    ["src/login.ts#L10-L20", "src/login.ts"],
    ["“src/login.ts”", "src/login.ts"],
    ["修改了 src/login.ts，", "src/login.ts"],
    ["C:\\work\\tool.ps1", "C:\\work\\tool.ps1"],
    ["src\\tool.ps1", "src\\tool.ps1"],
    ["see https://docs.test/guide!", "https://docs.test/guide"],
    ["`src/login.ts`", "src/login.ts"],
    ["`cat /etc/hosts`", "/etc/hosts"],
  ])("AUD5 %j names a path", (text, path) => {
    expect(namesIn(text)).toEqual([`path ${path}`]);
  });

  test.each([
    "and/or",
    "CI/CD, I/O, TCP/IP",
    "5/7 of 24/7",
    "2024/01/05",
    "10 MB/s and km/h",
    "login.ts",
    "src/auth",
    "a sentence. Another",
    "plain words",
    "n/a",
  ])("AUD5 %j names no path", (text) => {
    expect(namesIn(text)).toEqual([]);
  });
});

describe("identifiers", () => {
  test("AUD5 a name with an underscore is an identifier everywhere", () => {
    expect(namesIn("the maximum is MAX_RETRIES = 4, see `max_tokens`")).toEqual([
      "identifier max_tokens",
      "identifier MAX_RETRIES",
    ]);
    expect(namesIn("a _word_ in emphasis")).toEqual([]);
  });

  test.each([
    "getUser",
    "config.retry",
    "--force",
    "@scope",
    "$HOME",
    "pre-commit",
    "node:fs",
    "user@host",
    "4f2a91c",
    "login.ts",
  ])("AUD5 `%s` is an identifier in backticks, and a plain word in a sentence", (name) => {
    expect(namesIn(`\`${name}\``)).toEqual([`identifier ${name}`]);
    expect(namesIn(`the ${name} thing`)).toEqual([]);
  });

  test("AUD5 each word of a command in backticks is checked", () => {
    expect(namesIn("`git commit --amend src/a.ts, retryLimit(3)`")).toEqual([
      "identifier --amend",
      "path src/a.ts",
      "identifier retryLimit",
    ]);
  });

  test.each([
    ...["timeout", "GET", "word", "64", "3.5", "50ms", "2.5GHz", "64KiB", "100%", "3.5x", "1,000", "12:30"],
    ...["v1.2", "1.2.3", "v2.10.3", "1.2.x", "2024-01-05", "O(n)", "HTTP/2", "and/or", "npm run build", "#submit", "…"],
  ])("AUD5 `%s` is a plain word, a unit, a version or a number", (text) => {
    expect(namesIn(`\`${text}\``)).toEqual([]);
  });
});

describe("known names", () => {
  const names = createNameIndex();
  for (const text of [
    "look at src/auth/login.ts and the retryLimit in config.yaml, see https://docs.test/guide/start?x=1",
    'fixed in 3f2a91c4d5e6f708192a3b4c5d6e7f8091a2b3c4, {"key":"a\\nsnake_case"} boxes',
    "C:\\work\\data.csv --workspace=web héros.md",
    "lib/parse-json.mjs imports lib/parse.mjs; json is parsed there. ls: table-view.mjs",
  ])
    addTextNames(text, names);
  const isKnown = (text: string): boolean => findNames(`\`${text}\``).every((name) => isKnownName(name, names));

  test.each([
    "src/auth/login.ts",
    "./src/auth/login.ts",
    "/home/me/project/src/auth/login.ts",
    "auth/login.ts",
    "SRC/Auth/Login.ts",
    "src\\auth\\login.ts",
    "login.ts",
    "retryLimit",
    "retryLimits",
    "config.yaml",
    "https://docs.test/guide/start",
    "3f2a91c",
    "3f2a91c4d5",
    "snake_case",
    "work/data.csv",
    "--workspace",
    "heros.md",
    "lib/parse-json.mjs",
    "./lib/parse-json",
    "lib/table-view.mjs",
  ])("AUD5 %s is known", (text) => {
    expect(findNames(`\`${text}\``)).toHaveLength(1);
    expect(isKnown(text)).toBe(true);
  });

  test.each([
    "src/auth/logout.ts",
    "src/login/auth.ts",
    "src/auth/login.js",
    "login.go",
    "retryCount",
    "https://docs.test/other",
    "https://evil.test/",
    "9f2a91c",
    "4f2a91c4d5",
    "--force",
    "snake_cases_x",
    "@scope/pkg.js",
    "lib/json-parse.mjs",
    "src/parse-json.mjs",
    "src/login.ts",
    "lib/view-table.mjs",
  ])("AUD5 %s is not known", (text) => {
    expect(findNames(`\`${text}\``)).toHaveLength(1);
    expect(isKnown(text)).toBe(false);
  });

  test("AUD5 a plural is known by its singular, and a singular by its plural", () => {
    expect(["boxes.x", "boxe.x"].map((text) => isKnownName({ text, kind: "identifier" }, names))).toEqual([true, true]);
    expect(isKnownName({ text: "box.x", kind: "identifier" }, names)).toBe(false);
  });

  test("AUD5 the file at the end of a path must be in the session literally, its folders need not", () => {
    expect(isKnownName({ text: "auth/config.yaml", kind: "path" }, names)).toBe(true);
    expect(isKnownName({ text: "src/login.yaml", kind: "path" }, names)).toBe(false);
    expect(isKnownName({ text: "/unknown/auth/login.ts", kind: "path" }, names)).toBe(true);
    expect(isKnownName({ text: "/unknown/else/login.ts", kind: "path" }, names)).toBe(false);
  });
});
