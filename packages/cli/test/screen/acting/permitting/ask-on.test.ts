/** Questions of the real program, answered on its screen. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "@pith/testkit";
import { expect, test } from "vitest";
import { Notifier } from "../../../../src/screen/notifying/notifier.ts";
import { talkOn } from "../stopping/talk-on.ts";

const call = (...commands: readonly string[]): Step => ({
  parts: commands.map((command) => ({ type: "call", name: "bash", arguments: { command } })),
});
const asking = { wish: { choices: { permissionMode: "ask", sandbox: "off" } } } as const;

test("MAN4 yes lets it happen, and several questions come one after the other", async () => {
  const talk = await talkOn([call("touch first", "touch second"), "both are there"], asking);
  talk.say("touch them");
  await talk.sees(/\$ touch first/);
  talk.terminal.press("y");
  await talk.sees(/\$ touch second/);
  expect(existsSync(join(talk.folder, "second"))).toBe(false);
  talk.terminal.press("y");
  await talk.sees("both are there");
  expect(["first", "second"].map((name) => existsSync(join(talk.folder, name)))).toEqual([true, true]);
});

test("MAN4 what is remembered for the session is not asked again", async () => {
  const talk = await talkOn([call("touch first"), call("touch first"), "done twice"], asking);
  talk.say("touch it");
  await talk.sees(/\$ touch first/);
  talk.terminal.press("s");
  await talk.sees("done twice");
});

test("MAN4 a no with a word is told to the model, which goes on", async () => {
  const talk = await talkOn([call("touch first"), "then not"], asking);
  talk.say("touch it");
  await talk.sees(/\$ touch first/);
  talk.terminal.press("w");
  talk.terminal.type("that name is taken");
  talk.terminal.press("\r");
  await talk.sees("then not");
  expect(JSON.stringify(talk.server.served.at(-1)?.body)).toContain("the user did not permit it: that name is taken");
  expect(existsSync(join(talk.folder, "first"))).toBe(false);
});

test("MAN4 Esc is a no that stops all of it: the model is not asked again", async () => {
  const talk = await talkOn([call("touch first"), "never said"], asking);
  talk.say("touch it");
  await talk.sees(/\$ touch first/);
  talk.terminal.press("\x1b");
  await talk.until(() => talk.screen.state.work.type === "idle");
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(talk.server.served.length).toBe(1);
  expect(existsSync(join(talk.folder, "first"))).toBe(false);
});

test("MAN2 all that a question is about is seen on a page, and the question stands again behind it", async () => {
  const content = Array.from({ length: 90 }, (_, at) => `line ${at + 1}`).join("\n");
  const step: Step = { parts: [{ type: "call", name: "write", arguments: { path: "new.txt", content } }] };
  const talk = await talkOn([step, "written"], asking);
  talk.say("write it");
  await talk.sees("Tab shows all");
  talk.terminal.press("\t");
  await talk.until(() => talk.terminal.emulator.buffer.active.type === "alternate");
  await talk.sees("+ line 15");
  talk.terminal.press("\x1b[F");
  await talk.sees("+ line 90");
  talk.terminal.press("\x1b");
  await talk.until(() => talk.terminal.emulator.buffer.active.type === "normal");
  talk.terminal.press("y");
  await talk.sees("written");
  expect(readFileSync(join(talk.folder, "new.txt"), "utf8")).toBe(content);
});

const watching = () =>
  new Notifier({ send: () => {}, gaze: () => ({ hasFocus: true, lastKeyAt: 0 }), now: Date.now, environment: {} });

test("MAN3 whoever types when a question comes up loses no word, and permits nothing", async () => {
  const talk = await talkOn([call("touch first"), "done"], { ...asking, notifier: watching() });
  talk.say("touch it");
  talk.terminal.type("and ");
  await talk.sees(/\$ touch first/);
  talk.terminal.type("say why");
  expect(talk.screen.words.text).toBe("and say why");
  await talk.sees("Enter answers");
  talk.terminal.press("y");
  await talk.sees("done");
  expect(talk.screen.words.text).toBe("and say why");
});

test("MAN3 keys in the very moment in which a question comes up answer nothing", async () => {
  const talk = await talkOn([call("touch first"), "done"], { ...asking, notifier: watching() });
  const pressing = setInterval(() => talk.terminal.press("y"), 50);
  talk.say("touch it");
  await talk.sees(/\$ touch first/);
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(existsSync(join(talk.folder, "first"))).toBe(false);
  clearInterval(pressing);
  await talk.sees("Enter answers");
  talk.terminal.press("y");
  await talk.sees("done");
});

test("MAN23 a question calls whoever looks elsewhere, as the settings say", async () => {
  const sent: string[] = [];
  const notifier = new Notifier({
    send: (sequence) => void sent.push(sequence),
    gaze: () => ({ hasFocus: false, lastKeyAt: 0 }),
    now: Date.now,
    environment: {},
  });
  const prepare = ({ home }: { readonly home: string }) =>
    writeFileSync(join(home, "settings.json"), '{ "notify": "desktop" }');
  const talk = await talkOn([call("touch first"), "done"], { ...asking, notifier, prepare });
  talk.say("touch it");
  await talk.sees(/\$ touch first/);
  expect(sent).toEqual(["\x1b]9;Pith: bash wants to run `touch first`, not in a sandbox.\x1b\\\x07"]);
  await new Promise((resolve) => setTimeout(resolve, 400));
  talk.terminal.press("y");
  await talk.sees("done");
});
