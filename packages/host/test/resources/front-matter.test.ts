/** Front matter: names with texts, in every way that people write them. */

import { expect, test } from "vitest";
import { parseFrontMatter } from "../../src/resources/front-matter.ts";

const fieldsOf = (...lines: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(parseFrontMatter(`---\n${lines.join("\n")}\n---\nbody`).fields);

test.each([
  [
    "plain",
    ["name: a-b", "description: Use it: often, really. # not said"],
    { name: "a-b", description: "Use it: often, really." },
  ],
  [
    "quoted",
    ['name: "a\\tb \\u00e9" # why', "description: 'it''s # fine'"],
    { name: "a\tb é", description: "it's # fine" },
  ],
  ["over lines", ["description: one", "  two", "", "  three", "name: x"], { description: "one two three", name: "x" }],
  [
    "folded",
    ["description: >-", "  one", "  two", "", "  three", "name: x"],
    { description: "one two\nthree", name: "x" },
  ],
  ["literal", ["description: |", "  one", "    two"], { description: "one\n  two" }],
  [
    "followed by lists and maps",
    ["metadata:", "  by: me", "tags:", "- a", "- b", "name: x"],
    { metadata: "by: me", tags: "- a - b", name: "x" },
  ],
  ["with comments and nothing", ["# a comment", "name:", "license: # none"], { name: "", license: "" }],
  [
    "written by another program",
    ['"name": x', "vendor.flag: on", "two words: yes", "a:b: c"],
    { name: "x", "vendor.flag": "on", "two words": "yes", "a:b": "c" },
  ],
  ["a list in a line", ["allowed-tools: [Bash, Read]"], { "allowed-tools": "[Bash, Read]" }],
])("SKL2 parses a value that is %s", (_, lines, fields) => {
  expect(fieldsOf(...lines)).toEqual(fields);
});

test("SKL2 the body is everything after the front matter, also with CRLF and a byte order mark", () => {
  expect(parseFrontMatter("\ufeff---\r\nname: x\r\n---\r\n\r\n# Body\r\n---\r\n")).toMatchObject({
    body: "\n# Body\n---\n",
    error: null,
  });
  expect(parseFrontMatter("# Body\n---\n")).toEqual({ fields: new Map(), body: "# Body\n---\n", error: null });
  expect(parseFrontMatter("")).toMatchObject({ body: "", error: null });
});

test.each([
  ["no end", "---\nname: x\n", "starts with --- but has no closing --- line"],
  ["a line that is no field", "---\nname: x\nwhat is this\n---\n", 'has an invalid line 3 (expected "name: text")'],
  ["a quote without an end", '---\nname: "x\n---\n', "has an invalid quoted string on line 2"],
  ["a single quote without an end", "---\nname: 'x\n---\n", "has an invalid quoted string on line 2"],
])("SKL2 front matter with %s is an error", (_, text, fault) => {
  expect(parseFrontMatter(text).error).toBe(fault);
});

test("SKL2 YAML aliases and hundreds of thousands of lines are parsed quickly", () => {
  const bomb = `---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n---\n`;
  expect(parseFrontMatter(bomb).fields.get("c")).toBe("[*b,*b]");
  expect(parseFrontMatter(`---\n${"a: b\n".repeat(400_000)}---\n`).error).toContain("no closing --- line");
  expect(parseFrontMatter(`---\na: b${" ".repeat(200_000)}c\n---\n`).fields.get("a")).toHaveLength(200_002);
  expect(parseFrontMatter(`---\na: ${'"\\"'.repeat(100_000)}\n---\n`).error).not.toBeUndefined();
  // A sign that ends a line for some and not for others, behind what begins a comment again and again.
  expect(parseFrontMatter(`---\na: x\n  y${" #".repeat(100_000)}\u2028z\n---\n`).fields.get("a")).toBe("x y");
});
