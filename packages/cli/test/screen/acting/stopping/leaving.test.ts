/** The ways out of a talk. */

import { expect, test } from "vitest";
import { choice } from "../../../../src/screen/panels/choice.ts";
import { talkOn } from "./talk-on.ts";

const CTRL_C = "\x03";
const CTRL_D = "\x04";
const UP = "\x1b[A";

test("MAN12 Ctrl+C empties the editor, the arrow up brings it back, and a second one soon after leaves", async () => {
  const talk = await talkOn([]);
  talk.terminal.type("a long thought");
  talk.terminal.press(CTRL_C);
  expect(talk.screen.words.text).toBe("");
  await talk.sees("Ctrl+C again leaves; everything is saved");
  talk.terminal.press(UP);
  expect(talk.screen.words.text).toBe("a long thought");
  expect(talk.left()).toBe(undefined);
  talk.terminal.press(CTRL_C);
  await talk.until(() => talk.left() === null);
});

test("MAN12 a second Ctrl+C later only empties again", async () => {
  const talk = await talkOn([]);
  talk.terminal.press(CTRL_C);
  await talk.until(() => talk.screen.state.hint === null || !talk.screen.state.hint.includes("again leaves"));
  talk.terminal.press(CTRL_C);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(talk.left()).toBe(undefined);
});

test("MAN12 while something is under way Ctrl+C stops it, and what was typed stays", async () => {
  const talk = await talkOn([{ parts: [{ type: "text", text: "one" }], breaks: { how: "stall" } }]);
  talk.say("hello");
  await talk.until(() => talk.server.served.length === 1);
  talk.terminal.type("and then");
  talk.terminal.press(CTRL_C);
  await talk.until(() => talk.screen.state.work.type === "idle");
  expect(talk.screen.words.text).toBe("and then");
  expect(talk.left()).toBe(undefined);
});

test("MAN13 Ctrl+D leaves an empty editor, and no other", async () => {
  const talk = await talkOn([]);
  talk.terminal.type("x");
  talk.terminal.press(CTRL_D);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(talk.left()).toBe(undefined);
  talk.terminal.press("\x7f", CTRL_D);
  await talk.until(() => talk.left() === null);
});

test("MAN16 a terminal that was lent is drawn anew when it comes back, also where a picture was due", async () => {
  const talk = await talkOn([]);
  talk.terminal.type("half a thought");
  await talk.sees("half a thought");
  talk.terminal.type("!");
  await talk.screen.lend(async () => {
    await talk.gone("half a thought");
    talk.terminal.write("somebody else was here\r\n");
  });
  await talk.sees(/somebody else was here[\s\S]*half a thought!/);
});

test("MAN16 a page that stood there gives way to whoever has the terminal, and stands there again", async () => {
  const talk = await talkOn([]);
  talk.say("/settings");
  await talk.sees("typing searches");
  await talk.screen.lend(async () => {
    await talk.until(() => talk.terminal.emulator.buffer.active.type === "normal");
  });
  await talk.until(() => talk.terminal.emulator.buffer.active.type === "alternate");
  await talk.sees("typing searches");
  talk.terminal.press("\x1b");
  await talk.sees("edit mode");
});

test("MAN16 what is asked while somebody else has the terminal waits, and lending it on takes nothing from them", async () => {
  const talk = await talkOn([]);
  const { promise, resolve } = Promise.withResolvers<void>();
  const lent = talk.screen.lend(async () => {
    const before = talk.terminal.written;
    void talk.screen.ask(choice({ title: "Really?", options: [{ label: "yes", value: 1 }] }), { where: "page" });
    await talk.screen.lend(async () => {});
    expect(talk.terminal.written).toBe(before);
    await promise;
  });
  resolve();
  await lent;
  await talk.sees("Really?");
});
