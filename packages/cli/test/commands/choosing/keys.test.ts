/** `/keys`: every key as it is now. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Ground } from "../../ground.ts";
import { answerOf, deskOf, toldBy } from "../desks.ts";

test("TYP20 /keys tells every key as it is now, with what is wrong in the keymap file", async () => {
  const desk = await deskOf([]);
  expect(await toldBy("/keys", desk)).toMatch(/ctrl\+o +open or close what is folded/);
  writeFileSync(join(desk.home, "keymap.json"), '{ "fold": "f2", "flod": "f3" }');
  const told = await toldBy("/keys", desk);
  expect(told).toMatch(/f2 +open or close what is folded/);
  expect(told).toContain('there is nothing called "flod"; did you mean "fold"?');
  expect(await toldBy("/keys undo", desk)).toContain('"tui.editor.undo": ctrl+-');
  expect(await answerOf("/keys nothing like it", desk)).toMatchObject({ type: "mistake" });
});

test("TYP20 the keys can be asked for without a screen, and without a model", async () => {
  const ground = new Ground();
  onTestFinished(() => ground.clear());
  const { code, out } = await ground.run(["-p", "/keys fold"]);
  expect([code, out]).toEqual([0, '  "fold": ctrl+o\n      open or close what is folded\n']);
});
