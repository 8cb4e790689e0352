/** Tests commands/settings.ts: /keys, /mode. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PermissionMode } from "@pith/agent";
import { describe, expect, onTestFinished, test } from "vitest";
import { Ground } from "../ground.ts";
import { answerOf, deskOf, toldBy } from "./desks.ts";

describe("/keys", () => {
  test("TYP20 /keys tells every key as it is now, with what is wrong in the keymap file", async () => {
    const desk = await deskOf([]);
    expect(await toldBy("/keys", desk)).toMatch(/ctrl\+o +expand or collapse folded content/);
    writeFileSync(join(desk.home, "keymap.json"), '{ "fold": "f2", "flod": "f3" }');
    const told = await toldBy("/keys", desk);
    expect(told).toMatch(/f2 +expand or collapse folded content/);
    expect(told).toContain('unknown action "flod"; did you mean "fold"?');
    expect(await toldBy("/keys undo", desk)).toContain('"tui.editor.undo": ctrl+-');
    expect(await answerOf("/keys nothing like it", desk)).toMatchObject({ type: "mistake" });
  });

  test("TYP20 the keys can be asked for without a screen, and without a model", async () => {
    const ground = new Ground();
    onTestFinished(() => ground.clear());
    const { code, out } = await ground.run(["-p", "/keys fold"]);
    expect([code, out]).toEqual([0, '  "fold": ctrl+o\n      expand or collapse folded content\n']);
  });
});

describe("/mode", () => {
  test("MAN5 /mode says which mode holds and sets another until the program ends", async () => {
    let now: PermissionMode = "edit";
    const mode = {
      get: () => now,
      set: (wanted: PermissionMode) => {
        now = wanted;
        return null;
      },
    };
    const desk = await deskOf(["user: hello", "says: hi"], { desk: { permissionMode: mode } });
    expect(await answerOf("/mode", desk)).toMatchObject({ type: "success", data: { mode: "edit" } });
    expect(await answerOf("/mode plan", desk)).toEqual({
      type: "success",
      text: "Permission mode plan: reads files and runs commands that cannot write here; changes nothing. It applies until you quit.",
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
      out: "Permission mode ask: asks before it changes a file, runs a command or opens a page.\n",
    });
    await ground.clear();
  });
});
