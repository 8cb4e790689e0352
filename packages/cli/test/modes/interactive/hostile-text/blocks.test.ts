/** Tests that no block can control a terminal, whatever it contains: streamed, finished, folded and unfolded. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { formatBlock } from "../../../../src/modes/interactive/plain/block-text.ts";
import { renderBlock } from "../../../../src/modes/interactive/render/block.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";
import type { Block } from "../../../../src/modes/interactive/state/blocks.ts";
import { hostileTexts } from "../../../support/hostile-texts.ts";
import { createTestScreen, NOW } from "../../../support/test-screen.ts";
import { blocksOf } from "./hostile-content.ts";
import { findForeignSequences, recordOutput } from "./written-sequences.ts";

test("SNK1 there are over 200 hostile texts, nearly all of them with control characters or long", () => {
  expect(hostileTexts.length).toBeGreaterThan(200);
  const tame = hostileTexts.filter((text) => text.length < 90 && findForeignSequences(text).length === 0);
  // A tab, line ends, and what only Markdown could make something of.
  expect(tame.length).toBeLessThan(12);
});

const brush = { width: 80, theme: createTheme("none"), now: NOW };

test.each([
  { isUnfolded: false },
  { isUnfolded: true },
  { isUnfolded: false, maxRows: 10 },
  { isUnfolded: true, maxRows: 10 },
])("SNK2 no block prints control sequences from hostile text or a line wider than the screen: %j", (fold) => {
  const faults = hostileTexts.flatMap((text) =>
    blocksOf(text).flatMap((block) => {
      const lines = renderBlock(block, { ...brush, ...fold });
      const broad = lines.filter((line) => visibleWidth(line) > brush.width).map((line) => `too wide: ${line}`);
      return [...findForeignSequences(lines.join("\n")), ...broad].map((fault) => `${block.kind}: ${fault}`);
    }),
  );
  expect(faults.slice(0, 5)).toEqual([]);
});

test("SNK3 in plain mode no block prints control characters from hostile text", () => {
  for (const text of hostileTexts)
    for (const block of blocksOf(text))
      expect(formatBlock(block).join("\n"), block.kind).not.toMatch(/[[\p{Cc}\p{Cf}\p{Cs}]--[\n\t\u{200c}\u{200d}]]/v);
});

test("SNK4 text that is streamed in pieces prints no control sequences", async () => {
  const { screen, terminal } = createTestScreen({ columns: 80, rows: 24 });
  const bytes = recordOutput(terminal);
  const call = { toolCallId: "c", toolName: "bash", args: { command: "x" } };
  for (const text of hostileTexts) {
    const pieces = text.length > 100 ? [text] : (text.match(/.{1,3}/gsu) ?? []);
    for (const type of ["thinking-delta", "text-delta"] as const)
      for (const piece of pieces) screen.handleEvent({ type: "message_update", delta: { type, text: piece } });
    screen.handleEvent({ type: "tool_execution_start", ...call });
    screen.handleEvent({ type: "tool_execution_update", ...call, partialResult: text });
    screen.update((state) => ({ ...state, blocks: state.blocks.filter(({ kind }) => kind !== "tool").map(closed) }));
    screen.showNote("next");
    await new Promise((resolve) => setImmediate(resolve));
    expect(findForeignSequences(bytes()), JSON.stringify(text.slice(0, 60))).toEqual([]);
  }
  screen.stop();
  const screenText = (await terminal.scrollback()).join("\n");
  for (const shown of ["\\x1b]0;gotcha\\x07", "\\x1b[77A", "\\u{202e}", "\\x9b", "\\u{e0041}"])
    expect(screenText).toContain(shown);
});

function closed(block: Block): Block {
  return block.kind === "thinking" || block.kind === "assistant" ? { ...block, isOpen: false } : block;
}
