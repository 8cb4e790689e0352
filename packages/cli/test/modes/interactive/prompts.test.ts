/** Tests modes/interactive/prompts.ts: permission question, trust question. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Step } from "@pith/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CliArgs } from "../../../src/args/args.ts";
import { Notifier } from "../../../src/modes/interactive/notifications.ts";
import { askForTrust, type TrustPaths } from "../../../src/modes/interactive/prompts.ts";
import { checkTrust } from "../../../src/trust/trust.ts";
import { startInteractiveApp } from "../../support/interactive-app.ts";
import { createTestScreen } from "../../support/test-screen.ts";

describe("permission question", () => {
  const call = (...commands: readonly string[]): Step => ({
    parts: commands.map((command) => ({ type: "call", name: "bash", arguments: { command } })),
  });
  const asking = { args: { overrides: { permissionMode: "ask", sandbox: "off" } } } as const;

  test("MAN4 Yes runs the command, and several questions come one after the other", async () => {
    const app = await startInteractiveApp([call("touch first", "touch second"), "both are there"], asking);
    app.submit("touch them");
    await app.waitForText(/\$ touch first/);
    app.terminal.press("y");
    await app.waitForText(/\$ touch second/);
    expect(existsSync(join(app.folder, "second"))).toBe(false);
    app.terminal.press("y");
    await app.waitForText("both are there");
    expect(["first", "second"].map((name) => existsSync(join(app.folder, name)))).toEqual([true, true]);
  });

  test("MAN4 a rule remembered for the session prevents the same question", async () => {
    const app = await startInteractiveApp([call("touch first"), call("touch first"), "done twice"], asking);
    app.submit("touch it");
    await app.waitForText(/\$ touch first/);
    app.terminal.press("2", "\r");
    await app.waitForText("done twice");
  });

  test("MAN4 No with a reason sends the reason to the model, which continues", async () => {
    const app = await startInteractiveApp([call("touch first"), "then not"], asking);
    app.submit("touch it");
    await app.waitForText(/\$ touch first/);
    app.terminal.press("5");
    app.terminal.type("that name is taken");
    app.terminal.press("\r");
    await app.waitForText("then not");
    expect(JSON.stringify(app.server.requests.at(-1)?.body)).toContain(
      "the user did not permit it: that name is taken",
    );
    expect(existsSync(join(app.folder, "first"))).toBe(false);
  });

  test("MAN4 Esc refuses the call and stops the run without another request", async () => {
    const app = await startInteractiveApp([call("touch first"), "never said"], asking);
    app.submit("touch it");
    await app.waitForText(/\$ touch first/);
    app.terminal.press("\x1b");
    await app.waitUntil(() => app.screen.state.activity.type === "idle");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(app.server.requests.length).toBe(1);
    expect(existsSync(join(app.folder, "first"))).toBe(false);
  });

  test("MAN2 Tab shows the whole subject of a question on a page, and closing it returns to the question", async () => {
    const content = Array.from({ length: 90 }, (_, at) => `line ${at + 1}`).join("\n");
    const step: Step = { parts: [{ type: "call", name: "write", arguments: { path: "new.txt", content } }] };
    const app = await startInteractiveApp([step, "written"], asking);
    app.submit("write it");
    await app.waitForText("Tab to show all");
    app.terminal.press("\t");
    await app.waitUntil(() => app.terminal.emulator.buffer.active.type === "alternate");
    await app.waitForText("+ line 15");
    app.terminal.press("\x1b[F");
    await app.waitForText("+ line 90");
    app.terminal.press("\x1b");
    await app.waitUntil(() => app.terminal.emulator.buffer.active.type === "normal");
    app.terminal.press("y");
    await app.waitForText("written");
    expect(readFileSync(join(app.folder, "new.txt"), "utf8")).toBe(content);
  });

  test("MAN9 the page of a long command, the running call and the footer say that it runs outside the sandbox", async () => {
    const command = `${Array.from({ length: 60 }, (_, at) => `: line ${at + 1}`).join("\n")}\ntouch first; sleep 1`;
    const step: Step = { parts: [{ type: "call", name: "bash", arguments: { command, outside: true } }] };
    const app = await startInteractiveApp([step, "done"], { args: { overrides: { permissionMode: "ask" } } });
    app.submit("touch it");
    await app.waitForText(/Allow bash to run this command outside the sandbox\?[\s\S]*Tab to show all/);
    app.terminal.press("\t");
    await app.waitUntil(() => app.terminal.emulator.buffer.active.type === "alternate");
    await app.waitForText(/Allow bash to run this command outside the sandbox\?[\s\S]*: line 15/);
    app.terminal.press("\x1b");
    await app.waitUntil(() => app.terminal.emulator.buffer.active.type === "normal");
    app.terminal.press("y");
    await app.waitForText(/● bash outside the sandbox: : line 1[\s\S]* mode · outside the sandbox/);
    await app.waitForText(/✓ bash outside the sandbox: : line 1[\s\S]* mode · sandbox/);
    expect(existsSync(join(app.folder, "first"))).toBe(true);
  });

  const watching = () =>
    new Notifier({
      write: () => {},
      getFocus: () => ({ hasFocus: true, lastKeyAt: 0 }),
      now: Date.now,
      environment: {},
    });

  test("MAN3 text typed while a question appears stays in the editor and permits nothing", async () => {
    const app = await startInteractiveApp([call("touch first"), "done"], { ...asking, notifier: watching() });
    app.submit("touch it");
    app.terminal.type("and ");
    await app.waitForText(/\$ touch first/);
    app.terminal.type("say why");
    expect(app.screen.editorText.text).toBe("and say why");
    await app.waitForText("Esc back to the question");
    expect(existsSync(join(app.folder, "first"))).toBe(false);
    app.terminal.press("\x1b");
    await app.waitForText("Enter confirm");
    app.terminal.press("y");
    await app.waitForText("done");
    expect(app.screen.editorText.text).toBe("and say why");
  });

  test("MAN3 keys pressed at the moment a question appears do not answer it", async () => {
    const app = await startInteractiveApp([call("touch first"), "done"], {
      ...asking,
      notifier: watching(),
      quietMs: 300,
    });
    const pressing = setInterval(() => app.terminal.press("y"), 50);
    app.submit("touch it");
    await app.waitForText(/\$ touch first/);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(existsSync(join(app.folder, "first"))).toBe(false);
    clearInterval(pressing);
    await app.waitForText("Esc back to the question");
    app.terminal.press("\x1b");
    await app.waitForText("Enter confirm");
    app.terminal.press("y");
    await app.waitForText("done");
  });

  test("ASK1 a command typed while a question is open appears in the editor and does not answer it", async () => {
    const app = await startInteractiveApp([call("touch first"), "done"], asking);
    app.submit("touch it");
    await app.waitForText(/\$ touch first/);
    app.terminal.type("/comp");
    expect(app.screen.editorText.text).toBe("/comp");
    await app.waitForText(/\$ touch first[\s\S]*back to the question[\s\S]*\/comp/);
    await app.waitUntil(() => app.screen.editor.isShowingAutocomplete());
    expect(existsSync(join(app.home, "permissions.json"))).toBe(false);
    // The first closes the completion, the second goes back, and the letters stay where they are.
    app.terminal.press("\x1b");
    await app.waitForText("back to the question");
    app.terminal.press("\x1b");
    await app.waitForText("Enter confirm");
    app.terminal.press("n");
    await app.waitForText("done");
    expect(app.screen.editorText.text).toBe("/comp");
    expect(existsSync(join(app.folder, "first"))).toBe(false);
  });

  test("ASK2 a paste does not answer a question, and a message sent while it is open is queued", async () => {
    const app = await startInteractiveApp([call("touch first"), "done"], asking);
    app.submit("touch it");
    await app.waitForText(/\$ touch first/);
    app.terminal.press("\x1b[200~y\n2\ny\x1b[201~");
    app.terminal.press("\r");
    await app.waitForText(/↳ next/);
    expect(existsSync(join(app.folder, "first"))).toBe(false);
    app.terminal.press("\x1b");
    await app.waitForText("Enter confirm");
    app.terminal.press("y");
    await app.waitForText("done");
    expect(JSON.stringify(app.server.requests.at(-1)?.body)).toContain("y\\n2\\ny");
  });

  test("ASK5 Shift+Tab changes the mode during a question, and the new mode may answer it", async () => {
    const step: Step = { parts: [{ type: "call", name: "write", arguments: { path: "a.txt", content: "a" } }] };
    for (const [presses, isThere] of [
      [1, true],
      [2, false],
    ] as const) {
      const start = { args: { overrides: { permissionMode: "ask", sandbox: "off" } } } as const;
      const shell: Step = presses === 1 ? step : call("touch a.txt");
      const app = await startInteractiveApp([shell, "settled"], start);
      app.submit("go");
      await app.waitForText("Enter confirm");
      for (let left = presses; left > 0; left -= 1) app.terminal.press("\x1b[Z");
      await app.waitForText("settled");
      expect(app.screen.state.footer.permissionMode).toBe(presses === 1 ? "edit" : "plan");
      expect(existsSync(join(app.folder, "a.txt"))).toBe(isThere);
    }
  });

  test("MAN23 a question notifies an unfocused terminal as the setting notify says", async () => {
    const sent: string[] = [];
    const notifier = new Notifier({
      write: (sequence) => void sent.push(sequence),
      getFocus: () => ({ hasFocus: false, lastKeyAt: 0 }),
      now: Date.now,
      environment: {},
    });
    const prepare = ({ home }: { readonly home: string }) =>
      writeFileSync(join(home, "settings.json"), '{ "notify": "desktop" }');
    const app = await startInteractiveApp([call("touch first"), "done"], { ...asking, notifier, prepare });
    app.submit("touch it");
    await app.waitForText(/\$ touch first/);
    expect(sent).toEqual(["\x1b]9;Pith: Allow bash to run `touch first` without a sandbox?\x1b\\\x07"]);
    await new Promise((resolve) => setTimeout(resolve, 400));
    app.terminal.press("y");
    await app.waitForText("done");
  });
});

describe("trust question", () => {
  const args: CliArgs = {
    ...{ prompt: "", files: [], session: { type: "new" }, overrides: {}, allow: [], deny: [] },
    ...{ systemPrompt: undefined, appendSystemPrompt: undefined, trustsProject: false, mode: "screen" },
  };

  function places(): TrustPaths {
    const [cwd, home] = ["pith-trust-", "pith-home-"].map((name) => mkdtempSync(join(tmpdir(), name))) as [
      string,
      string,
    ];
    onTestFinished(() => [cwd, home].forEach((each) => void rmSync(each, { recursive: true })));
    return { cwd, home };
  }

  function withSettings(text: string): TrustPaths {
    const place = places();
    mkdirSync(join(place.cwd, ".pith"));
    writeFileSync(join(place.cwd, ".pith", "settings.json"), text);
    return place;
  }

  const RIGHT = "\x1b[C";

  async function answered(keys: string | readonly string[], place: TrustPaths) {
    const { screen, terminal, screenText } = createTestScreen({ columns: 80, rows: 24 });
    const answer = askForTrust(args, screen, place);
    while (!(await screenText()).includes("Do you trust this folder?"))
      await new Promise((resolve) => setTimeout(resolve, 5));
    const page = await screenText();
    terminal.press(...[keys].flat());
    const after = await answer;
    screen.stop();
    return { page, after, folder: await checkTrust({ ...place, userHome: place.home }) };
  }

  test("MAN8 settings in a folder are shown before they apply, and Yes trusts exactly what was shown", async () => {
    const place = withSettings('{ "thinking": "high" }');
    const { page, after, folder } = await answered([RIGHT, RIGHT, "\r"], place);
    expect(page).toMatch(/\.pith\/settings\.json[\s\S]*"thinking": "high"/);
    expect(after.trustsProject).toBe(false);
    expect(folder.type).toBe("trusted");
    writeFileSync(join(place.cwd, ".pith", "settings.json"), '{ "thinking": "low" }');
    const again = await answered("\r", place);
    expect(again.page).toContain("has changed since it was trusted");
  });

  test('MAN8 "only this time" trusts without saving; No and Esc do not trust, and No is the default of Enter', async () => {
    for (const [key, trusts] of [
      [[RIGHT, "\r"], true],
      ["\x1b", false],
      ["\r", false],
    ] as const) {
      const { after, folder } = await answered(key, withSettings('{ "thinking": "high" }'));
      expect(after.trustsProject).toBe(trusts);
      expect(folder.type).toBe("untrusted");
    }
  });

  test("MAN8 No is remembered until the files change, and Esc is not remembered", async () => {
    const place = withSettings('{ "thinking": "high" }');
    await answered("\x1b", place);
    await answered("\r", place);
    const { screen } = createTestScreen({ columns: 80, rows: 24 });
    expect(await askForTrust(args, screen, place)).toBe(args);
    screen.stop();
    writeFileSync(join(place.cwd, ".pith", "settings.json"), '{ "thinking": "low" }');
    expect((await answered([RIGHT, RIGHT, "\r"], place)).folder.type).toBe("trusted");
  });

  test("MAN8 if the list of declined folders is unreadable, the question appears again and the folder stays untrusted", async () => {
    const place = withSettings('{ "thinking": "high" }');
    mkdirSync(join(place.home, "declined.json"));
    for (const _ of ["first", "again"]) {
      const { page, folder } = await answered("\r", place);
      expect(page).toContain(".pith/settings.json");
      expect(folder.type).toBe("untrusted");
    }
  });

  test("MAN8 a folder without settings and a run with --trust cause no question", async () => {
    const { screen } = createTestScreen({ columns: 80, rows: 24 });
    expect(await askForTrust(args, screen, places())).toBe(args);
    const trustingArgs = { ...args, trustsProject: true };
    expect(await askForTrust(trustingArgs, screen, withSettings("{}"))).toBe(trustingArgs);
    screen.stop();
  });

  test("MAN8 control characters in the folder's settings are shown as escapes", async () => {
    const { page } = await answered("\r", withSettings('{ "thinking": "\\u001b[2J\u202ehigh\x9b31m" }'));
    expect(page).not.toMatch(/[\u202e\x9b]/);
    expect(page).toContain("\\u{202e}");
  });

  test("LOAD14 a user's extension can trust the folder without a question, unless extensions are turned off", async () => {
    const place = withSettings('{ "thinking": "high" }');
    mkdirSync(join(place.home, "extensions"));
    const answer = "export default (pith) => pith.on('project_trust', () => ({ trusted: true }));";
    writeFileSync(join(place.home, "extensions", "trust.js"), answer);
    const { screen, screenText } = createTestScreen({ columns: 80, rows: 24 });
    const after = await askForTrust(args, screen, place);
    expect(after.trustsProject).toBe(true);
    expect(await screenText()).not.toContain("Do you trust this folder?");
    screen.stop();
    writeFileSync(join(place.home, "settings.json"), '{ "extensions": false }');
    expect((await answered("\r", place)).after.trustsProject).toBe(false);
  });
});
