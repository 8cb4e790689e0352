/** Tests modes/interactive/recent-history.ts: last entries, last exchange. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryStore, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { story } from "@pith/context/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { buildRecentHistory, showRecentHistory } from "../../../src/modes/interactive/recent-history.ts";
import type { InteractiveContext } from "../../../src/modes/interactive/screen-context.ts";

describe("last entries", () => {
  test.each([
    ["Ctrl+T", { hasPages: true, keymap: "{}" }],
    ["F7", { hasPages: true, keymap: '{ "transcript": "f7" }' }],
    ["/transcript", { hasPages: true, keymap: '{ "transcript": null }' }],
    ["/transcript", { hasPages: false, keymap: "{}" }],
  ])("TYP21 the note about earlier entries names %s to show all", async (way, { hasPages, keymap }) => {
    const home = mkdtempSync(join(tmpdir(), "pith-past-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    writeFileSync(join(home, "keymap.json"), keymap);
    const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
    for (let at = 0; at < 250; at++)
      await session.append({ type: "message", message: { role: "user", content: `say ${at}`, timestamp: 0 } });
    const notes: string[] = [];
    const screen = { hasPages, showNote: (text: string) => notes.push(text), update: () => {} };
    await showRecentHistory({
      app: { agent: { session }, home },
      screen,
    } as unknown as InteractiveContext);
    expect(notes.join()).toMatch(new RegExp(`^… \\d+ earlier entries; ${way.replace("+", "\\+")} shows all$`));
  });
});

describe("last exchange", () => {
  test("RES3 the recent history has the last two exchanges and the number of earlier entries", () => {
    const lines = Array.from({ length: 10 }, (_, at) => [`user: question ${at}`, `says: answer ${at}`]).flat();
    const { blocks, earlierCount } = buildRecentHistory(story(...lines));
    const texts = blocks.flatMap((block) => ("text" in block ? [block.text] : []));
    expect(texts).toEqual(["question 8", "answer 8", "question 9", "answer 9"]);
    expect(earlierCount).toBe(16);
  });

  test("RES3 the recent history shortens a long answer to its last paragraphs", () => {
    const paragraphs = Array.from({ length: 100 }, (_, at) => `paragraph ${at} ${"and its words ".repeat(5)}`);
    const { blocks } = buildRecentHistory(story("user: tell me", `says: ${paragraphs.join("\n\n")}`));
    const answer = blocks.find((block) => block.kind === "assistant");
    expect(answer?.kind === "assistant" && answer.text.slice(answer.printed)).toMatch(/^paragraph 7\d /);
  });
});
