/** Shell lines of the user's own. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type TalkOn, talkOn } from "../stopping/talk-on.ts";
import { all, atRest, atWork, heard } from "./at-work.ts";

async function said(talk: TalkOn, words: string, answer: string): Promise<string> {
  talk.say(words);
  await talk.sees(answer);
  await atRest(talk);
  return heard(talk).join("\n");
}

test("TYP5 a line behind ! is run and told to the model with its output, one behind !! is not (B3)", async () => {
  const talk = await talkOn(["I saw it"], all());
  writeFileSync(join(talk.folder, "here.txt"), "");
  talk.say("!ls; exit 3");
  await talk.sees("here.txt");
  await atRest(talk);
  talk.say("!! echo priv$((40+2))ate");
  await talk.sees("priv42ate");
  await atRest(talk);
  const told = await said(talk, "what do you see?", "I saw it");
  expect(told).toContain("ls; exit 3");
  expect(told).toContain("here.txt");
  expect(told).toContain("Exit code: 3");
  expect(told).not.toContain("system-update");
  expect(told).not.toContain("priv42ate");
});

test("TYP5 it runs with the rights and the surroundings of whoever typed it", async () => {
  const talk = await talkOn(["fine now"], all());
  talk.say("!! touch made && echo $PITH_HOME");
  await talk.sees(talk.home);
  await atRest(talk);
  expect(readFileSync(join(talk.folder, "made"), "utf8")).toBe("");
});

test("TYP6 what it says is seen as it comes, and Esc stops it", async () => {
  const talk = await talkOn(["fine now"], all());
  talk.say("!echo begun; sleep 60; echo never");
  await talk.sees(/^ *begun/m);
  talk.terminal.press("\x1b");
  await atRest(talk);
  const words = await said(talk, "and?", "fine now");
  expect(words).toContain("begun");
  expect(words).toMatch(/it was stopped/);
});

test("TYP6 words that are said behind a line are heard behind its output", async () => {
  const talk = await talkOn(["I see"], all());
  talk.say("!while [ ! -e go ]; do sleep 0.05; done; echo out$((1+1))put");
  talk.say("what did it say?");
  await talk.sees("↳ afterwards what did it say?");
  expect(talk.server.served).toHaveLength(0);
  writeFileSync(join(talk.folder, "go"), "");
  await talk.sees("I see");
  const words = heard(talk).join("\n");
  expect(words.indexOf("out2put")).toBeGreaterThan(-1);
  expect(words.indexOf("what did it say?")).toBeGreaterThan(words.indexOf("out2put"));
});

test("TYP6 while a run is under way it comes into the log between two requests, in order", async () => {
  const talk = await atWork(["seen"]);
  talk.say("!echo fir$((0))st");
  talk.say("!echo sec$((0))ond");
  await talk.sees("sec0ond");
  expect(talk.server.served).toHaveLength(1);
  talk.goOn();
  await talk.sees("seen");
  await atRest(talk);
  const words = heard(talk).join("\n");
  expect(words.indexOf("fir0st")).toBeGreaterThan(-1);
  expect(words.indexOf("sec0ond")).toBeGreaterThan(words.indexOf("fir0st"));
});

test("TYP6 who leaves while a line runs ends it", async () => {
  let pid = 0;
  // Looked at when the talk is closed.
  onTestFinished(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
  const talk = await talkOn([], all());
  talk.say("!echo $$ > pid; exec sleep 60");
  await talk.until(() => existsSync(join(talk.folder, "pid")) && readFileSync(join(talk.folder, "pid"), "utf8") !== "");
  pid = Number(readFileSync(join(talk.folder, "pid"), "utf8"));
  expect(process.kill(pid, 0)).toBe(true);
});

test("TYP7 a long output is bounded as that of the bash tool, and the whole of it can be read", async () => {
  const talk = await talkOn(["fine now"], all());
  talk.say("!seq 1 100000");
  await atRest(talk);
  await talk.sees("100000");
  const words = await said(talk, "and?", "fine now");
  expect(words.length).toBeLessThan(60_000);
  expect(words).toMatch(/left out/);
  expect(words).toMatch(/read blob:/);
});

test("TYP7 keys that a line prints are not told to the model", async () => {
  const secret = `sk-ant-api03-${"a1B2c3D4e5F6".repeat(7)}AA`;
  const talk = await talkOn(["fine now"], all());
  writeFileSync(join(talk.folder, "key"), `${secret}\n`);
  talk.say("!cat key; echo done$((1))");
  await talk.sees("done1");
  await atRest(talk);
  expect(await said(talk, "and?", "fine now")).not.toContain(secret);
});
