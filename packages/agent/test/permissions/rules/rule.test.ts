/** Rules as people write them, and what is said of those that cannot be read. */

import { describe, expect, test } from "vitest";
import { parseRule } from "../../../src/permissions/rules/rule.ts";

const nameOf = (text: string): string => {
  const parsed = parseRule(text);
  return parsed.type === "mistake" ? parsed.name : "none";
};

describe("PERM7 a rule that cannot be read is a named mistake, and never counts as another", () => {
  test.each([
    ["", "empty"],
    ["  ", "empty"],
    ["bash()", "empty"],
    ["bash(:*)", "empty"],
    ["(x)", "no-tool"],
    ["*", "no-tool"],
    ["Bash(rm:*)", "unknown-tool"],
    ["Edit(a.txt)", "unknown-tool"],
    ["shell", "unknown-tool"],
    ["mcp__x", "unknown-tool"],
    ["constructor", "unknown-tool"],
    ["outside()", "empty"],
    ["outside(npm *)", "star"],
    ["bash(x", "brackets"],
    ["bash x", "brackets"],
    ["bash(x) y", "brackets"],
    ["bash(a\nb)", "unseen"],
    ["edit(a\u202eb)", "unseen"],
    ["bash(*)", "star"],
    ["bash(npm run *)", "star"],
    ["bash(git push*)", "star"],
    ["bash(ls *.ts)", "star"],
    ["bash(a; b:*)", "not-simple"],
    ["bash($X:*)", "not-simple"],
    ["bash(A=1 b:*)", "not-simple"],
    ["edit(../x)", "path"],
    ["edit(a/../../x)", "path"],
    ["edit({a,b})", "path"],
    ["edit(~bob/x)", "path"],
    ["edit(a**)", "star"],
    ["fetch(https://example.com)", "host"],
    ["fetch(example.com/x)", "host"],
    ["fetch(example.com:80)", "host"],
    ["fetch(a@b)", "host"],
    ["fetch(exam*.com)", "star"],
    ["fetch(*)", "star"],
    ["fetch(*.*.com)", "star"],
  ])("%j: %s", (text, name) => {
    expect(nameOf(text)).toBe(name);
  });

  test("a mistake says what was written and what to write", () => {
    expect(parseRule("bash(npm run *)")).toEqual({
      type: "mistake",
      name: "star",
      message: "bash(npm run *): a * means something only at the end, as in npm test:*",
    });
  });

  test("a tool that nobody has is named, with the one that was meant", () => {
    expect(parseRule("Bash(rm:*)")).toMatchObject({ message: "there is no tool Bash; did you mean bash?" });
    expect(parseRule("shell")).toMatchObject({
      message: "there is no tool shell; there are: read, write, edit, bash, outside, grep, find, ls, fetch",
    });
  });

  test.each([
    "grep",
    "bash(git status)",
    "bash(npm test:*)",
    "edit(src/**)",
    "read(~/notes)",
    "fetch(*.example.com)",
    "outside",
    "outside(npm test:*)",
    "mcp__x",
  ])("%s is kept as it was written", (text) => {
    expect(parseRule(` ${text} `, { tools: ["mcp__x"] })).toMatchObject({ type: "rule", rule: { text } });
  });
});
