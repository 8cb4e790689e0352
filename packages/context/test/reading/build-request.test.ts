/** The request as one value, and how it grows. */

import { expect, test } from "vitest";
import type { CompactionEntry, Entry } from "../../src/entry.ts";
import { buildSessionContext } from "../../src/reading/build-context.ts";
import { buildRequest } from "../../src/reading/build-request.ts";
import { convertToLlm } from "../../src/reading/convert-to-llm.ts";
import { windowOf } from "../../src/session/window.ts";
import { story } from "../../src/testing/story.ts";
import { contextAt, storyteller } from "../told.ts";

const read = { name: "read", description: "reads a file", parameters: { type: "object" } };
const rules = {
  role: "system",
  content: "be kind",
  sections: { project: "a library", gone: null },
  toolsAdded: [read],
  timestamp: 0,
} as const;

test("REQ1 the first system message gives system and tools; a later one is sent in place", () => {
  const told = story("system: x", "user: go", "system: now be brief", "says: ok").map((entry) =>
    entry.id === "e1" && entry.type === "message" ? { ...entry, message: rules } : entry,
  );
  const request = buildRequest(contextAt(told), { to: storyteller, thinking: "low" });
  expect(request.system).toEqual([
    { name: "prompt", text: "be kind" },
    { name: "project", text: "a library" },
  ]);
  expect(request.tools).toEqual([read]);
  expect(request.messages.map(({ role }) => role)).toEqual(["user", "system", "assistant"]);
  expect(request.thinking).toBe("low");
});

test("REQ2 as a conversation goes on, each request begins with the one before it", () => {
  const told = story(
    "system: rules",
    "user: go",
    "calls: read; bash",
    "result: one",
    "result: two",
    "says: ok",
    "user: on",
    "calls: read",
    "result: x",
  );
  const ends = ["e2", "e5", "e7", "e9"].map((leaf) =>
    JSON.stringify(buildRequest(contextAt(told, leaf), { to: storyteller }).messages).slice(0, -1),
  );
  for (const [at, end] of ends.entries()) if (at > 0) expect(end.startsWith(ends[at - 1] ?? "?")).toBe(true);
});

test("REQ3 four marks at most: tools, system or front, the end of the last request and of this one", () => {
  const told = story(
    "system: x",
    "user: go",
    "calls: read",
    "result: one",
    "says: ok",
    "user: on",
    "compacts: short, keeps e6",
    "says: yes",
    "user: go on",
  ).map((entry) =>
    entry.id === "e1" && entry.type === "message"
      ? { ...entry, message: rules }
      : entry.type === "compaction"
        ? { ...entry, systemMessage: rules }
        : entry,
  );
  const marks = (leaf: string): unknown => buildRequest(contextAt(told, leaf), { to: storyteller }).cacheMarks;
  expect(marks("e2")).toEqual([{ after: "tools" }, { after: "system" }, { after: "message", index: 0 }]);
  expect(marks("e6")).toEqual([
    { after: "tools" },
    { after: "system" },
    { after: "message", index: 2 },
    { after: "message", index: 4 },
  ]);
  expect(marks("e9")).toEqual([
    { after: "tools" },
    { after: "message", index: 0 },
    { after: "message", index: 1 },
    { after: "message", index: 3 },
  ]);
});

test("REQ1 the thinking level is the one that was set last, unless another is asked for", () => {
  const level = (thinking: string): string =>
    buildRequest(contextAt(story(`thinking: ${thinking}`, "user: go")), { to: storyteller }).thinking;
  expect(level("high")).toBe("high");
  expect(level("tremendous")).toBe("off");
  expect(
    buildRequest(contextAt(story("thinking: high", "user: go")), { to: storyteller, thinking: "low" }).thinking,
  ).toBe("low");
});

test("REQ4 a front of ours is one message of several blocks, which together say the same as one", () => {
  const parts = [
    { kind: "pins", length: 5, tokens: 1 },
    { kind: "words", length: 6, tokens: 1 },
    { kind: "story", length: 6, tokens: 1 },
    { kind: "request", length: 7, tokens: 1 },
  ];
  const [said, compaction] = story("user: one", "compacts: pins,words,story,request, keeps nothing");
  const ours = { ...(compaction as CompactionEntry), details: { pith: { front: parts } } };
  const blocks = (entry: CompactionEntry): readonly string[] => {
    const [front] = convertToLlm(buildSessionContext(windowOf([said, entry] as Entry[])).messages);
    return typeof front?.content === "string"
      ? []
      : (front?.content ?? []).map((block) => (block.type === "text" ? block.text : ""));
  };
  expect(blocks(ours).map((text) => text.slice(-16))).toEqual([
    expect.stringMatching(/<summary>\npins,$/),
    "words,",
    "quest\n</summary>",
  ]);
  expect(blocks(ours).join("")).toBe(blocks(compaction as CompactionEntry).join(""));
  const wrong = { ...ours, details: { pith: { front: parts.slice(1) } } };
  expect(blocks(wrong)).toEqual(blocks(compaction as CompactionEntry));
});
