/** What fills a context by tool, by file and by entry, and what the model sees of it. */

import { REREAD_TYPE } from "@pith/agent";
import { buildSessionContext, compactionLimits, convertToLlm, createBudget, type Entry } from "@pith/context";
import { loadBranch } from "@pith/context/store";
import { story } from "@pith/context/testing";
import { expect, test } from "vitest";
import { buildModelView } from "../../src/context-report/model-view.ts";
import { buildContextReport, formatContextReport } from "../../src/context-report/report.ts";
import { buildRows } from "../../src/modes/interactive/panels/context.ts";
import { createCommandContext, runForResult, runForText } from "../support/command-context.ts";

const file = (words: number): string => "const x = 1; ".repeat(words);

const lines = [
  "user: read both",
  "calls: read path=a.ts; read path=b.ts",
  `result c1: ${file(900)}`,
  `result c2: ${file(300)}`,
  "calls: bash command=make",
  `result: ${file(100)}`,
  "says: done",
  "user: again",
  "calls: read path=a.ts",
  `result: ${file(900)}`,
  "says: read",
];

const budget = createBudget(compactionLimits, { contextWindow: 200_000 });

test("MET12 results are counted by tool and by file, largest first, and add up to the parts of /context", () => {
  const report = buildContextReport(loadBranch(story(...lines)), budget);
  expect(report.tools.map(({ tool, results }) => [tool, results])).toEqual([
    ["read", 3],
    ["bash", 1],
  ]);
  for (const { tool, tokens } of report.tools) {
    const part = report.parts.find(({ kind }) => kind === `${tool} results`);
    expect(Math.abs(tokens - (part?.tokens ?? 0))).toBeLessThan(5);
  }
  expect(report.files.map(({ path, results }) => [path, results])).toEqual([
    ["a.ts", 2],
    ["b.ts", 1],
  ]);
});

test("MET12 the largest entries say what a compaction, and going back to before them, would free", () => {
  const long = Array.from({ length: 30 }, (_, at) => [`user: more ${at}`, `says: ${"words ".repeat(1_500)}`]).flat();
  const report = buildContextReport(loadBranch(story(...lines, ...long)), budget);
  const old = report.biggest.find(({ id }) => id === "e12");
  expect(report.biggest.length).toBeLessThanOrEqual(20);
  const sizes = report.biggest.map(({ tokens }) => tokens);
  expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
  for (const { tokens, frees } of report.biggest) {
    expect([0, tokens]).toContain(frees.compaction);
    expect(frees.goingBack).toBeGreaterThanOrEqual(tokens);
    expect(frees.goingBack).toBeLessThanOrEqual(report.tokens);
  }
  expect(old?.frees.compaction ?? 0).toBe(old?.tokens ?? 0);
  expect(report.biggest.some(({ frees }) => frees.compaction > 0)).toBe(true);
});

test("MET12 an entry's kind is in the singular, and its calls are described as in the transcript", () => {
  const edits = ["user: go", "calls: edit path=a.ts newText=y", "result: changed"];
  const { biggest } = buildContextReport(loadBranch(story(...edits, ...lines)), budget);
  const names = biggest.map(({ kind, text }) => `${kind}: ${text}`);
  expect(names).toEqual(
    expect.arrayContaining([
      "your message: read both",
      "reply: done",
      "tool call: edit a.ts",
      "tool call: read a.ts; read b.ts",
      "edit result: a.ts",
      "bash result: make",
    ]),
  );
});

test("MET12 /context has the sizes by tool, by file and by entry in its text and in its data", async () => {
  const context = await createCommandContext(lines);
  const text = await runForText("/context", context);
  for (const words of [
    "By tool",
    "By file",
    "Biggest entries",
    "a.ts",
    "going back to the point before it (/tree) would free",
  ])
    expect(text).toContain(words);
  const answer = await runForResult("/context", context);
  expect(answer).toMatchObject({
    data: { tools: [{ tool: "read" }, { tool: "bash" }], files: [{ path: "a.ts" }, {}] },
  });
  expect(formatContextReport(buildContextReport(loadBranch([]), budget))).not.toContain("By tool");
});

test("MET11 buildModelView returns exactly what is sent, in the same order, with the place of each part", () => {
  const window = loadBranch(story(...lines, "compacts: what was done, keeps e8", "user: on", "says: yes"));
  const parts = buildModelView(window, undefined);
  expect(parts.map(({ place }) => place)).toEqual(["summary", "kept", "kept", "kept", "kept", "recent", "recent"]);
  const sent = convertToLlm(buildSessionContext(window).messages);
  expect(parts).toHaveLength(sent.length);
  for (const [at, message] of sent.entries()) {
    const blocks =
      typeof message.content === "string"
        ? [message.content]
        : message.content.flatMap((block) => ("text" in block ? [block.text] : []));
    for (const words of blocks) expect(parts[at]?.text).toContain(words);
  }
});

test("MET11 /seen prints what the model sees, and reports that it sees nothing yet", async () => {
  expect(await runForText("/seen", await createCommandContext([]))).toBe("The model sees nothing yet.");
  const text = await runForText(
    "/seen",
    await createCommandContext(["system: You work.", "user: go", "calls: read path=a", "result: x", "says: gone"]),
  );
  expect(text).toMatch(
    /── System ──\nsystem: You work\.\n\n── Messages ──\nyou: go\n\nmodel: calls read \{"path":"a"\}/,
  );
});

test("MET12 RST6 a compaction would replace files that were read again, and a kind in two places has two names", () => {
  const entries = story("user: go", "says: on", "user: next", "compacts: a story of it, keeps e3", "says: going on");
  const reread: Entry = {
    ...{ type: "custom_message", id: "e6", parentId: "e5", timestamp: "", display: false },
    ...{ customType: REREAD_TYPE, content: file(50) },
  };
  const report = buildContextReport(loadBranch([...entries, reread]), budget);
  const replaced = "the next compaction replaces it with the files' current text";
  expect(buildRows(report, "kind").find(({ name }) => name === "files read again")?.description).toBe(replaced);
  expect(buildRows(report, "entry")[0]?.description).toMatch(
    new RegExp(`^${replaced}; going back to the point before it`),
  );
  const summarized = { place: "summary", kind: "your messages", tokens: 5 } as const;
  const rows = buildRows({ ...report, parts: [summarized, ...report.parts] }, "kind");
  expect(rows.map(({ name }) => name)).toEqual([
    ...["your messages (in the summary)", "summary", "your messages (kept and new)", "replies", "files read again"],
  ]);
});
