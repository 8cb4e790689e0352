/** Keys that act, and what becomes of a talk when one of them fails. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { talkOn } from "./stopping/talk-on.ts";

const CTRL_T = "\x14";
const ALT_S = "\x1bs";

test("MAN18 whatever fails behind a key is told, and the talk goes on", async () => {
  const talk = await talkOn(["hello"]);
  talk.screen.ask = () => Promise.reject(new Error("no page today"));
  for (const key of [CTRL_T, "\x1bc", "\x0c"]) talk.terminal.press(key);
  await talk.sees(/no page today[\s\S]*no page today[\s\S]*no page today/);
  talk.say("hi");
  await talk.sees("hello");
});

test("MAN18 a session that is gone from the disk is told as well", async () => {
  const talk = await talkOn(["hello", "hello again"]);
  talk.say("hi");
  await talk.sees("hello");
  rmSync(join(talk.home, "sessions"), { recursive: true, force: true });
  talk.terminal.press(CTRL_T);
  await new Promise((resolve) => setTimeout(resolve, 200));
  talk.terminal.press("\x1b");
  await talk.sees("hello");
});

test("MAN18 a key that opens nothing now says so, as its command does", async () => {
  const talk = await talkOn([]);
  talk.terminal.press(ALT_S);
  await talk.sees("The model sees nothing yet.");
});
