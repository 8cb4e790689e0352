/** An entry in a few words, for the tree. */

import { PIN_TYPE } from "@pith/context/host";
import { story } from "@pith/context/testing";
import { expect, test } from "vitest";
import { toOutlineEntry } from "../../src/sessions/tree-outline.ts";

function sketched(...lines: readonly string[]): readonly string[] {
  return story(...lines).map((entry) => {
    const { kind, text, isFailed } = toOutlineEntry(entry);
    return `${kind}: ${text}${isFailed ? " ✗" : ""}`;
  });
}

test("WLK1 messages, tool calls, shell lines, compactions, summaries and notes have their own kinds", () => {
  expect(
    sketched(
      "user: fix\nit",
      "says: ## Plan\nI **look** at `a.ts`.",
      "calls: read path=a.ts",
      "result: text",
      "calls: bash command=ls",
      "fails: no such folder",
      "fails to answer: the server is away",
      "bash: ls -> a b",
      "compacts: so far, keeps nothing",
      "left e3: ## Goal\n- mend it (entry:abc) and #7 [#3, #12]\n\n## Progress\n- (none)",
      "note: hello",
      "thinking: high",
      "labels e1: start",
    ),
  ).toEqual([
    "you: fix it",
    "reply: Plan I look at a.ts.",
    "calls: read a.ts",
    "tool: read",
    "calls: bash ls",
    "tool: bash no such folder ✗",
    "reply: the server is away ✗",
    "shell: ls",
    "compaction: from 1,000 tokens",
    "left: mend it and #7",
    "note: hello",
    "other: thinking: high",
    "other: label: start",
  ]);
});

test("WLK1 pins have their own kind, whether text or an entry was pinned", () => {
  const place = { id: "p", parentId: null, timestamp: "2026-01-01T00:00:00.000Z" };
  const words = toOutlineEntry({
    ...place,
    type: "custom_message",
    customType: PIN_TYPE,
    content: "no tabs",
    display: true,
  });
  const entry = toOutlineEntry({
    ...place,
    type: "custom",
    customType: PIN_TYPE,
    data: { entryId: "e1", text: "use pnpm" },
  });
  expect([words, entry]).toMatchObject([
    { kind: "pin", text: "no tabs" },
    { kind: "pin", text: "use pnpm" },
  ]);
});

test("WLK1 a malformed or very long entry becomes a short row", () => {
  const place = { id: "p", parentId: null, timestamp: "nonsense" };
  const long = toOutlineEntry({
    ...place,
    type: "message",
    message: { role: "user", content: "x".repeat(1e6), timestamp: 0 },
  });
  expect(long.text.length).toBeLessThanOrEqual(240);
  expect(long.time).toBe(0);
});

test("WLK16 secrets are redacted before a text is shortened, so that no part of one is shown", () => {
  const secret = "s3cr3t-".repeat(8);
  const redacted = (text: string) => text.replaceAll(secret, "<secret>");
  const about = `${"x".repeat(220)} ${secret}`;
  for (const entries of [
    story(`user: ${about}`),
    story(`says: ${about}`),
    story("calls: read path=a.ts", `fails: ${about}`),
    story(`fails to answer: ${about}`),
    story(`bash: ${about} -> a`),
    story(`note: ${about}`),
    story(`left e1: ${about}`),
  ])
    for (const entry of entries) expect(toOutlineEntry(entry, redacted).text).not.toContain("s3cr3t");
});
