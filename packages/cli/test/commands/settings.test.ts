/** Tests commands/settings.ts: /keys, /mode. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PermissionMode } from "@pith/agent";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCommandContext, runForResult, runForText } from "../support/command-context.ts";
import { TestProgram } from "../support/test-program.ts";

describe("/keys", () => {
  test("TYP20 /keys lists every current key binding and the errors of the keymap file", async () => {
    const context = await createCommandContext([]);
    expect(await runForText("/keys", context)).toMatch(/ctrl\+o +expand or collapse folded content/);
    writeFileSync(join(context.home, "keymap.json"), '{ "fold": "f2", "flod": "f3" }');
    const output = await runForText("/keys", context);
    expect(output).toMatch(/f2 +expand or collapse folded content/);
    expect(output).toContain('unknown action "flod"; did you mean "fold"?');
    expect(await runForText("/keys undo", context)).toContain('"tui.editor.undo": ctrl+-');
    expect(await runForResult("/keys nothing like it", context)).toMatchObject({ type: "mistake" });
  });

  test("TYP20 pith -p /keys works without a terminal and without a model", async () => {
    const program = new TestProgram();
    onTestFinished(() => program.remove());
    const { code, out } = await program.run(["-p", "/keys fold"]);
    expect([code, out]).toEqual([0, '  "fold": ctrl+o\n      expand or collapse folded content\n']);
  });
});

describe("/mode", () => {
  test("MAN5 /mode shows the permission mode, and sets another until the program ends", async () => {
    let now: PermissionMode = "edit";
    const mode = {
      get: () => now,
      set: (wanted: PermissionMode) => {
        now = wanted;
        return null;
      },
    };
    const context = await createCommandContext(["user: hello", "says: hi"], { context: { permissionMode: mode } });
    expect(await runForResult("/mode", context)).toMatchObject({ type: "success", data: { mode: "edit" } });
    expect(await runForResult("/mode plan", context)).toEqual({
      type: "success",
      text: "Permission mode plan: reads files and runs commands that cannot write here; changes nothing. It applies until you quit.",
      data: { mode: "plan" },
    });
    expect(now).toBe("plan");
    expect(await runForResult("/mode yolo", context)).toEqual({
      type: "mistake",
      message: '/mode takes plan, ask, edit or all, not "yolo"',
    });
  });

  test("MAN5 /mode cannot set a mode where there is no permission mode", async () => {
    const context = await createCommandContext([]);
    expect(await runForResult("/mode plan", context)).toMatchObject({ type: "mistake" });
  });

  test("MAN5 pith -p /mode prints the mode, and settings of the interactive mode are accepted there", async () => {
    const program = new TestProgram();
    writeFileSync(join(program.home, "settings.json"), '{ "notify": "off", "permissionMode": "ask" }');
    const { code, out } = await program.run(["-p", "/mode"], { variables: { ANTHROPIC_API_KEY: "any" } });
    expect({ code, out }).toEqual({
      code: 0,
      out: "Permission mode ask: asks before it changes a file, runs a command or opens a page.\n",
    });
    await program.remove();
  });
});
