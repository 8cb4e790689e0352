/** Tests a long session on a real screen: every line is there once, despite resizes and open pages. */

import type { AgentEvent } from "@pith/agent";
import { expect, test } from "vitest";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";
import { Screen } from "../../../../src/modes/interactive/screen.ts";
import { initialScreenState } from "../../../../src/modes/interactive/state/screen-state.ts";
import { HeadlessTerminal } from "../../../support/headless-terminal.ts";
import { appended, callEvents, messageOf, type Part, pieces, started } from "../../../support/reply-events.ts";

const SIZES: readonly (readonly [number, number])[] = [
  [80, 24],
  [60, 20],
  [120, 40],
  [72, 30],
];

/** A reply with words, code and a call; each of its lines is there once in the whole talk. */
function reply(at: number): readonly AgentEvent[] {
  const code = Array.from({ length: 30 }, (_, line) => `code-${at}-${line}`).join("\n");
  const words = Array.from({ length: 6 }, (_, line) => `word-${at}-${line}`).join("\n\n");
  const call = { type: "toolCall", id: `call-${at}`, name: "bash", arguments: { command: `run-${at}` } } as const;
  const parts: readonly Part[] = [{ type: "text", text: `${words}\n\n\`\`\`\n${code}\n\`\`\`\n\nend-${at}` }, call];
  const output = Array.from({ length: 12 }, (_, line) => `out-${at}-${line}`).join("\n");
  return [started(), ...pieces(parts, 4), appended(`e${at}`, messageOf(parts)), ...callEvents(call, output)];
}

test("SCR24 after 10,000 pieces, 20 resizes and 20 expansions no line appears twice, and earlier shell lines stay", async () => {
  const terminal = new HeadlessTerminal(80, 24);
  terminal.write("$ earlier shell line 1\r\n$ earlier shell line 2\r\n");
  const parts = { terminal, theme: createTheme("dark"), initialState: initialScreenState, now: () => 0 };
  const screen = new Screen({ ...parts, onKey: () => false, onSubmit: () => {} });
  screen.start();
  const fold = (): void => screen.update((state) => ({ ...state, isUnfolded: !state.isUnfolded }));
  let [count, resizes, folds] = [0, 0, 0];
  screen.handleEvent({ type: "agent_start" });
  for (let at = 0; count < 10_000; at++)
    for (const event of reply(at)) {
      screen.handleEvent(event);
      count += 1;
      if (count % 500 === 250) await drawn(terminal);
      if (count % 500 === 250) terminal.resize(...(SIZES[++resizes % SIZES.length] ?? [80, 24]));
      if (count % 250 === 100) fold();
      if (count % 250 === 110) fold();
      if (count % 250 === 110) folds += 1;
      if (count % 40 === 0) await drawn(terminal);
    }
  screen.handleEvent({ type: "agent_settled", aborted: false });
  await drawn(terminal);
  const all = await terminal.scrollback();
  expect(all.slice(0, 2)).toEqual(["$ earlier shell line 1", "$ earlier shell line 2"]);
  expect([resizes >= 20, folds >= 20]).toEqual([true, true]);
  const ours = all.flatMap((line) => line.match(/(?:word|code|end|run|out)-\d+(?:-\d+)?/g) ?? []);
  expect(ours.filter((line, at) => ours.indexOf(line) !== at)).toEqual([]);
  for (const kind of [/^word/, /^code/, /^end/, /^run/])
    expect(inOrder(ours.filter((line) => kind.test(line)))).toBe(true);
  expect(ours.filter((line) => line.startsWith("code")).length % 30).toBe(0);
  screen.stop();
});

/** What was asked for is drawn a moment later, and understood another moment later. */
async function drawn(terminal: HeadlessTerminal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  await terminal.waitUntilDrawn();
}

function inOrder(lines: readonly string[]): boolean {
  const places = lines.map((line) => line.split("-").slice(1).map(Number));
  return places.every(([reply = 0, line = 0], at) => {
    const [before = -1, last = -1] = places[at - 1] ?? [];
    return reply > before || (reply === before && line === last + 1);
  });
}
