/** Pictures: shown where the terminal can, each in rows of its own. */

import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { renderBlock } from "../../../../src/modes/interactive/render/block.ts";
import type { UserBlock } from "../../../../src/modes/interactive/state/blocks.ts";
import { MainScreen } from "../../../../src/modes/interactive/terminal/screens.ts";
import { BufferedTerminal } from "../../../../src/modes/interactive/terminal/terminal.ts";
import { HeadlessTerminal } from "../../../support/headless-terminal.ts";
import { folded } from "./brushes.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

function createUserBlock(data: string): UserBlock {
  return { kind: "user", id: "s", text: "look", images: [{ type: "image", data, mimeType: "image/png" }] };
}

test("SCR23 an image is a line of text if the terminal cannot show it", () => {
  const lines = renderBlock(createUserBlock(PIXEL), folded).map(stripVTControlCharacters);
  expect(lines.slice(1)).toEqual(["> look", "  [image: png, 1×1, 72 B]"]);
});

for (const pictures of ["kitty", "iterm2"] as const)
  test(`SCR23 below an image in the ${pictures} protocol the text is at the right rows`, async () => {
    const terminal = new HeadlessTerminal(80, 24);
    const screen = new MainScreen(new BufferedTerminal(terminal), () => ["> editor"]);
    screen.start();
    screen.renderNow();
    const lines = renderBlock(createUserBlock(PIXEL), { ...folded, imageProtocol: pictures });
    expect(lines.some((line) => line.includes(PIXEL))).toBe(true);
    for (let at = 0; at < 5; at++) screen.print([...lines, `after ${at}`]);
    const all = await terminal.scrollback();
    expect(all.filter((line) => line.startsWith("after"))).toHaveLength(5);
    expect(all.filter((line) => line === "> look")).toHaveLength(5);
    expect(all.length).toBe(5 * (lines.length + 1) + 1);
    expect(all.at(-1)).toBe("> editor");
  });

test("SCR23 image data that is not base64 is not written to the terminal", () => {
  const lines = renderBlock(createUserBlock("AAAA\x1b\\\x1b]0;x\x07"), { ...folded, imageProtocol: "kitty" });
  expect(lines.join("")).not.toContain("\x1b]0");
});
