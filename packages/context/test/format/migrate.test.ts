/** Tests how lines of older files are read: version 1, version 2, and the files of document 003. */

import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import { loadBranch } from "../../src/session/loaded-branch.ts";
import { bytesOf, damageIn, entriesIn, file, numbered, piHeader, read } from "./specimen.ts";

const firstHeader =
  '{"type":"session","id":"s1","timestamp":"2025-11-01T00:00:00.000Z","cwd":"/home/ada","provider":"anthropic"}';
const secondHeader = piHeader.replace('"version":3', '"version":2');

describe("LOG9 a file of version 1", () => {
  test("LOG9 becomes a chain with ids from line offsets, and a compaction keeps entries by line index (the header is 0)", () => {
    const lines = [firstHeader, says("one"), says("two"), says("three"), compaction('"firstKeptEntryIndex":2')];
    const [one, two, three, fourth] = idsOf(lines);
    const found = read(file(lines));
    expect(entriesIn(found)).toEqual(
      numbered([
        { ...JSON.parse(says("one")), id: one, parentId: null },
        { ...JSON.parse(says("two")), id: two, parentId: one },
        { ...JSON.parse(says("three")), id: three, parentId: two },
        { ...JSON.parse(compaction('"firstKeptEntryIndex":2')), id: fourth, parentId: three, firstKeptEntryId: two },
      ]),
    );
    expect({ damage: found.damage, outdated: found.needsRewrite, ours: found.isPithFormat }).toEqual({
      damage: [],
      outdated: true,
      ours: false,
    });
  });

  test("LOG9 upgraded lines start with id, parent and first kept entry; every other byte stays", () => {
    const odd = '{"type":"compaction", "summary":"so far","tokensBefore":1.0,"firstKeptEntryIndex":1}';
    const lines = [firstHeader, says("one"), odd];
    const [one, second] = idsOf(lines);
    expect(read(file(lines)).lines.map((line) => line.text())).toEqual([
      `{"id":"${one}","parentId":null,${says("one").slice(1)}`,
      `{"id":"${second}","parentId":"${one}","firstKeptEntryId":"${one}",${odd.slice(1)}`,
    ]);
  });

  test.each([
    ["the line it was written behind", 3, "three", ""],
    ["the first line behind the header", 1, "one", ""],
    ["a line that was lost is a gap, and counts", 2, "gap", ""],
    ["the compaction before it", 4, "C", ""],
    ["the header is nobody", 0, "self", "missing-first-kept@6"],
    ["itself, which is nothing on purpose", 5, "self", ""],
    ["a line behind it", 6, "self", "missing-first-kept@6"],
    ["a line that never was", 99, "self", "missing-first-kept@6"],
    ["no index at all", -1, "self", "missing-first-kept@6"],
    ["half an index", 1.5, "self", "missing-first-kept@6"],
  ])("LOG9 a compaction keeps from: %s", (_, index, kept, damage) => {
    const lines = [
      firstHeader,
      says("one"),
      "garbage",
      says("three"),
      compaction('"firstKeptEntryIndex":1'),
      compaction(`"firstKeptEntryIndex":${index}`),
      says("last"),
    ];
    const found = read(file(lines));
    const names = ["one", "gap", "three", "C", "self", "last"];
    const at = entriesIn(found).findIndex(({ id }) => id === keptBy(entriesIn(found)[4]));
    expect([names[at], damageIn(found)]).toEqual([kept, `not-json@3${damage && ` ${damage}`}`]);
  });
});

describe("LOG5 a file of version 2", () => {
  const hook =
    '{"type":"message","id":"e1","parentId":null,"timestamp":"t","message":{"role":"hookMessage","customType":"x","content":"a\\/b","display":true,"n":1.0}}';

  test("LOG5 has the role hookMessage for a custom message", () => {
    const found = read(file(secondHeader, hook));
    expect(entriesIn(found)).toEqual(numbered([JSON.parse(hook.replace("hookMessage", "custom"))]));
    expect({ damage: found.damage, outdated: found.needsRewrite }).toEqual({ damage: [], outdated: true });
  });

  test("LOG5 the upgrade changes nothing else on the line", () => {
    expect(read(file(secondHeader, hook)).lines[0]?.text()).toBe(hook.replace("hookMessage", "custom"));
  });
});

describe("LOG6 a file of version 3", () => {
  test("LOG6 is read without changes", () => {
    const line =
      '{"type":"message","id":"e1","parentId":null,"timestamp":"t","message":{"role":"user","content":null,"timestamp":1}}';
    const found = read(file(piHeader, line));
    expect(found.header).toEqual(JSON.parse(piHeader));
    expect(entriesIn(found)).toEqual(numbered([JSON.parse(line)]));
    expect({ damage: found.damage, outdated: found.needsRewrite, ours: found.isPithFormat }).toEqual({
      damage: [],
      outdated: false,
      ours: false,
    });
  });
});

describe("LOG9 a file of document 003", () => {
  const letters = "u1 a1 t1 t1 a1 u2 a2 u3 a3 t3 a3 t3 a3 u4 a4 t4 a4";

  test.each([
    ["one compaction", `${letters} C4`, "u4 a4 t4 a4 C"],
    ["one compaction, and what came after it", `${letters} C4 u5 a5`, "u4 a4 t4 a4 C u5 a5"],
    ["a second compaction", `${letters} C4 u5 a5 u6 a6 t6 a6 u7 a7 C3`, "a6 u7 a7 C"],
    [
      "a second compaction that keeps all since the first",
      `${letters} C4 u5 a5 u6 a6 t6 a6 u7 a7 C8`,
      "u5 a5 u6 a6 t6 a6 u7 a7 C",
    ],
    ["never past the compaction before it", `${letters} C4 u5 a5 u6 a6 t6 a6 C10`, "u5 a5 u6 a6 t6 a6 C"],
    ["more than there are takes all there are", "u1 a1 C10 u2", "u1 a1 C u2"],
    ["none keeps nothing", "u1 a1 C0 u2", "C u2"],
    ["fewer than none keeps nothing", "u1 a1 C-3 u2", "C u2"],
    ["right behind another there is nothing to keep", "u1 a1 C1 C1 u2", "C u2"],
    ["a branch taken before the first compaction", "u1 a1", "u1 a1"],
    ["a branch taken after it", "u1 a1 u2 a2 C2", "u2 a2 C"],
  ])("LOG9 shows the model: %s", (_, lines, context) => {
    const found = read(file(lines.split(" ").map(lineOf003)));
    expect(loadBranch(entriesIn(found)).entries.map(letterOf).join(" ")).toBe(context);
    expect(damageIn(found)).toBe("no-header@1");
  });

  test("LOG9 has no header, ids or parents, and becomes a chain with ids from line offsets", () => {
    const lines = ["u1", "a1", "C1"].map(lineOf003);
    const [one, two, three] = idsOf(lines);
    const found = read(file(lines));
    expect(entriesIn(found).map(({ id, parentId }) => [id, parentId])).toEqual([
      [one, null],
      [two, one],
      [three, two],
    ]);
    expect([found.header, found.headerText, found.needsRewrite]).toEqual([null, null, true]);
  });

  test("LOG9 a compaction that does not say what it keeps is reported, and keeps nothing", () => {
    const found = read(
      file(piHeader, '{"type":"compaction","id":"c","parentId":null,"timestamp":"t","summary":"so far"}'),
    );
    expect([keptBy(entriesIn(found)[0]), damageIn(found)]).toEqual(["c", "missing-first-kept@2"]);
  });
});

function says(content: string): string {
  return JSON.stringify({ type: "message", timestamp: "t", message: { role: "user", content, timestamp: 1 } });
}

function compaction(keeps: string): string {
  return `{"type":"compaction","timestamp":"t","summary":"so far","tokensBefore":9,${keeps}}`;
}

function lineOf003(letter: string): string {
  if (letter.startsWith("C")) return compaction(`"keepLastMessages":${letter.slice(1)}`);
  const roles: Readonly<Record<string, string>> = { u: "user", a: "assistant", t: "toolResult" };
  const message = { role: roles[letter.charAt(0)], toolCallId: "c1", content: [{ type: "text", text: letter }] };
  return JSON.stringify({ type: "message", message });
}

function letterOf(entry: Entry): string {
  if (entry.type !== "message" || !("content" in entry.message)) return "C";
  const [block] = entry.message.content;
  return typeof block === "object" && block.type === "text" ? block.text : "?";
}

/** The ids that lines get from where they begin, without the header's. */
function idsOf(lines: readonly string[]): readonly string[] {
  const offsets = lines.map(
    (_, at) =>
      bytesOf(
        lines
          .slice(0, at)
          .map((line) => `${line}\n`)
          .join(""),
      ).length,
  );
  return offsets.filter((_, at) => lines[at] !== firstHeader).map((offset) => `at-${offset}`);
}

function keptBy(entry: Entry | undefined): string | undefined {
  return entry?.type === "compaction" ? entry.firstKeptEntryId : undefined;
}
