/** No panel can steer a terminal, whatever it shows. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CURSOR_MARKER, visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { sanitizePanelLine, type Viewport } from "../../../../src/modes/interactive/panels/panel.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";
import { hostileTexts } from "../../../support/hostile-texts.ts";
import { type AnyPanel, hostilePanels, notByItself } from "./hostile-panels.ts";
import { findForeignSequences } from "./written-sequences.ts";

test("SNK9 the list of tested panels contains every panel", () => {
  expect([...Object.keys(hostilePanels), ...notByItself].sort()).toEqual(listPanelFunctions());
});

const theme = createTheme("none");
const sight: Viewport = { width: 80, height: 24, theme };
const wide: Viewport = { width: 140, height: 40, theme };

/** Walked, filtered, searched and opened; what answers is not pressed on. */
const keys = ["down", "tab", "/", "a", "enter"];

test.each(Object.keys(hostilePanels))(
  "SNK9 hostile text in %s prints no control sequences, and no line is too wide",
  async (name) => {
    const faults: string[] = [];
    for (const text of hostileTexts)
      for (const panel of (await hostilePanels[name]?.(text)) ?? [])
        for (const picture of await pictures(panel))
          if (faults.length < 5)
            faults.push(...faultsIn(picture).map((fault) => `${JSON.stringify(text.slice(0, 40))}: ${fault}`));
    expect(faults).toEqual([]);
  },
);

interface Picture {
  readonly lines: readonly string[];
  readonly width: number;
}

/** Each panel makes plain what it shows; line ends and tabs go where it is open. */
function faultsIn({ lines, width }: Picture): readonly string[] {
  const own = findForeignSequences(unmarked(lines).join("\n").replaceAll("\t", ""));
  const shown = unmarked(lines.map((line) => sanitizePanelLine(line, width)));
  const ends = shown.filter((line) => line.includes("\n")).map((line) => `a line end: ${line}`);
  const broad = shown.filter((line) => visibleWidth(line) > width).map((line) => `too wide: ${line}`);
  return [...own, ...findForeignSequences(shown.join("\n")), ...ends, ...broad];
}

/** Without the mark of the cursor, which is never written. */
function unmarked(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replaceAll(CURSOR_MARKER, ""));
}

async function pictures(panel: AnyPanel): Promise<readonly Picture[]> {
  const { signal } = new AbortController();
  let state = panel.initialState;
  await panel.loadUpdates?.((change) => {
    state = change(state);
  }, signal);
  const drawnPictures: Picture[] = [];
  const look = (each: Viewport): void =>
    void drawnPictures.push({ lines: panel.render(state, each), width: each.width });
  look(wide);
  for (const key of keys) {
    const pressed = panel.handleKey(state, key, sight);
    if (pressed?.type !== "continue") continue;
    state = pressed.loadUpdate ? (await pressed.loadUpdate(signal))(pressed.state) : pressed.state;
    if (key === "a") look(sight);
  }
  look(sight);
  return drawnPictures;
}

const interactive = join(import.meta.dirname, "../../../../src/modes/interactive");

/** The names of the functions, sorted. */
function listPanelFunctions(): readonly string[] {
  return readdirSync(interactive, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => panelFunctions(readFileSync(join(interactive, path), "utf8")))
    .sort();
}

function panelFunctions(text: string): readonly string[] {
  return text
    .split(/^(?=(?:export )?function )/m)
    .filter((piece) => RETURNS_PANEL.test(piece))
    .flatMap((piece) => /^(?:export )?function (\w+)/.exec(piece)?.[1] ?? []);
}

/** The parameters may stand on several lines. */
const RETURNS_PANEL = /^(?:(?:export )?function .*|\}: .*)?\): Panel<.*> \{$/m;
