/** `/mode`, wherever it is called. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mode } from "@pith/agent";
import { expect, test } from "vitest";
import { Ground } from "../../ground.ts";
import { answerOf, deskOf } from "../desks.ts";

test("MAN5 /mode says which mode holds and sets another until the program ends", async () => {
  let now: Mode = "edit";
  const mode = {
    now: () => now,
    set: (wanted: Mode) => {
      now = wanted;
    },
  };
  const desk = await deskOf(["user: hello", "says: hi"], { desk: { mode } });
  expect(await answerOf("/mode", desk)).toMatchObject({ type: "told", data: { mode: "edit" } });
  expect(await answerOf("/mode plan", desk)).toEqual({
    type: "told",
    text: "plan mode: it only looks, and says what it would do, until this program ends",
    data: { mode: "plan" },
  });
  expect(now).toBe("plan");
  expect(await answerOf("/mode yolo", desk)).toEqual({
    type: "mistake",
    message: '/mode takes plan, ask, edit or all, not "yolo"',
  });
});

test("MAN5 where nobody is asked there is nothing to set", async () => {
  const desk = await deskOf([]);
  expect(await answerOf("/mode plan", desk)).toMatchObject({ type: "mistake" });
});

test("MAN5 in print mode /mode says which one holds, and a setting of the screen is no mistake there", async () => {
  const ground = new Ground();
  writeFileSync(join(ground.home, "settings.json"), '{ "notify": "off", "permissionMode": "ask" }');
  const { code, out } = await ground.run(["-p", "/mode"], { variables: { ANTHROPIC_API_KEY: "any" } });
  expect({ code, out }).toEqual({
    code: 0,
    out: "ask mode: it asks before it changes a file, runs a command or opens a page\n",
  });
  await ground.clear();
});
