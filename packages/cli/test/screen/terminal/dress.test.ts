/** The theme follows what is set and what the terminal says, and nothing waits for it. */

import { expect, test } from "vitest";
import { wornHere } from "../../../src/screen/terminal/dress.ts";

const white = { r: 255, g: 255, b: 255 };

function terminalOf(background: typeof white | undefined) {
  const seen = { asked: 0, redrawn: 0 };
  const asked = async () => {
    seen.asked += 1;
    return background;
  };
  return { seen, background: asked, redraw: () => seen.redrawn++ };
}

test("SCR22 a light terminal that says so gets light colours, and is drawn anew", async () => {
  const worn = wornHere({}, async () => undefined);
  const terminal = terminalOf(white);
  expect(worn.theme.name).toBe("dark");
  await worn.follow(terminal);
  expect([worn.theme.name, terminal.seen.redrawn]).toEqual(["light", 1]);
});

test("SCR22 one that says nothing stays as it was, and is not drawn anew", async () => {
  const worn = wornHere({}, async () => "auto");
  const terminal = terminalOf(undefined);
  await worn.follow(terminal);
  expect([worn.theme.name, terminal.seen]).toEqual(["dark", { asked: 1, redrawn: 0 }]);
});

test("SCR22 nobody is asked where it is set, or where there is no colour", async () => {
  const [set, none] = [wornHere({}, async () => "light"), wornHere({ NO_COLOR: "1" }, async () => "light")];
  const terminal = terminalOf(white);
  await set.follow(terminal);
  await none.follow(terminal);
  expect([set.theme.name, none.theme.name, terminal.seen.asked]).toEqual(["light", "none", 0]);
});
