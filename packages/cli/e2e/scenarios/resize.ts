/** The terminal changes its size between answers: nothing is doubled, nothing is lost, and the shell's lines stay. */

import { expectThat, type Scenario } from "../scenario.ts";
import { TestWorkspace } from "../support/test-workspace.ts";

const SIZES = [
  [60, 20],
  [100, 30],
  [80, 24],
  [70, 40],
  [120, 24],
  [80, 24],
] as const;

/** Of one answer. */
const LINES = 8;

export const resize: Scenario = {
  name: "resize",
  says: "after six resizes each line of each answer is there once, and the shell's lines above it stay",
  run: async (keep) => {
    const script = ({ number }: { readonly number: number }) => lines(number).join("\n\n");
    const workspace = await keep(TestWorkspace.create({ script }));
    const terminal = await workspace.openTerminal();
    await terminal.enter("echo a line of the shell");
    await terminal.waitFor(/^a line of the shell/m);
    await terminal.enter("pith");
    await terminal.waitFor("claude");
    for (const [at, [columns, rows]] of SIZES.entries()) {
      await terminal.enter(`Count ${at}`);
      await terminal.waitFor(lines(at + 1).at(-1) ?? "");
      await terminal.waitUntilGone(" s · Esc stop");
      await terminal.settled();
      await terminal.resize(columns, rows);
      await terminal.waitUntil((screen) => isDrawnFor(columns, screen), `a picture of ${columns} columns`);
      await terminal.settled();
    }
    const screenText = await terminal.scrollback();
    const wanted = SIZES.flatMap((_, at) => lines(at + 1));
    const wrong = wanted.filter((line) => screenText.split(line).length !== 2);
    expectThat(wrong.length === 0, `not once: ${wrong.join(", ")}\n${screenText}`);
    expectThat(screenText.includes("\na line of the shell"), "the shell's lines are gone");
    return `${wanted.length} lines, each once`;
  },
};

function lines(answer: number): readonly string[] {
  return Array.from({ length: LINES }, (_, at) => `Line ${at + 1} of answer ${answer}.`);
}

/** tmux wraps what is there at once, and tells the program a moment later: until then the borders of the editor are in pieces. */
function isDrawnFor(columns: number, screen: string): boolean {
  const borders = screen.split("\n").filter((line) => /^─+$/.test(line));
  return borders.length === 2 && borders.every(({ length }) => length === columns);
}
