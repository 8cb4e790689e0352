/** Compactions on a screen: shown first, stopped, undone and brought back. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ALT_U, atRest, ENTER, ESC, exchanged, longTalk, picture, shows } from "../long-talk.ts";
import type { TalkOn } from "../talk-on.ts";

/** The lines of the session's file. */
function log({ home }: TalkOn): readonly string[] {
  const files = readdirSync(home, { recursive: true, encoding: "utf8" }).filter(
    (name) => /^sessions.*\.jsonl$/.test(name) && !name.includes(".pith"),
  );
  return files.flatMap((name) => readFileSync(join(home, name), "utf8").split("\n"));
}

/** Entries of a kind. */
function logged(talk: TalkOn, type: string): number {
  return log(talk).filter((line) => line.includes(`"type":"${type}"`)).length;
}

test("MET8 /compact alone shows what would become of it, and Esc leaves everything as it is", async () => {
  const talk = await longTalk();
  await exchanged(talk, 5);
  const asked = talk.server.requests.length;
  talk.say("/compact");
  const seen = await shows(talk, "Compact now?");
  for (const words of ["summarized", "kept", "your messages", "pinned", "searchable", "summary by", "focus"])
    expect(seen).toContain(words);
  expect(seen).toMatch(/[\d,]+ → about [\d,]+ tokens/);
  talk.terminal.press(ESC);
  await talk.gone("Compact now?");
  expect(talk.server.requests).toHaveLength(asked);
  expect(logged(talk, "compaction")).toBe(0);
});

test("MET8 /compact --preview only shows it, also with other words", async () => {
  const talk = await longTalk();
  await exchanged(talk, 5);
  const asked = talk.server.requests.length;
  for (const command of ["/compact --preview", "/compact the numbers --preview"]) {
    talk.say(command);
    await talk.sees("Would summarize");
    expect(await picture(talk)).not.toContain("Compact now?");
    await atRest(talk);
  }
  expect(talk.server.requests).toHaveLength(asked);
  expect(logged(talk, "compaction")).toBe(0);
});

test("MET8 MET10 what is typed there is what the summary looks at; alt+u takes the compaction back, and brings it again", async () => {
  const talk = await longTalk();
  await exchanged(talk, 5);
  talk.say("/compact");
  await shows(talk, "Compact now?");
  talk.terminal.type("the numbers");
  talk.terminal.press(ENTER);
  await shows(talk, "compacted:");
  await atRest(talk);
  expect(JSON.stringify(talk.server.requests.map(({ body }) => body))).toContain("Additional focus: the numbers");
  await talk.until(() => (talk.screen.state.footer.meter?.parts.checkpoint ?? 0) > 0);
  const after = talk.screen.state.footer.meter?.tokens ?? 0;
  talk.terminal.press(ALT_U);
  await talk.until(() => (talk.screen.state.footer.meter?.tokens ?? 0) > after);
  await shows(talk, "Automatic compaction is paused");
  talk.terminal.press(ALT_U);
  await talk.until(() => talk.screen.state.footer.meter?.tokens === after);
  expect(logged(talk, "compaction")).toBe(1);
});

test("MET21 a pin is shown once, by its entry", async () => {
  const talk = await longTalk({ words: 100 });
  talk.say("/pin Never push to main.");
  const seen = await talk.sees("pinned: Never push to main.");
  talk.say("/pin");
  await talk.sees(/ 1 {2}\w+ {2}Never push to main\./);
  expect(seen.match(/pinned: Never push/gi)).toHaveLength(1);
});

test("MET8 with words behind it /compact goes at once", async () => {
  const talk = await longTalk();
  await exchanged(talk, 5);
  talk.say("/compact keep the names");
  await shows(talk, "compacted:");
  expect(JSON.stringify(talk.server.requests.map(({ body }) => body))).toContain("Additional focus: keep the names");
});

test("MET10 who undoes it after the talk went on is told what stays behind", async () => {
  const talk = await longTalk();
  await exchanged(talk, 5);
  talk.say("/compact the numbers");
  await shows(talk, "compacted:");
  await atRest(talk);
  await exchanged(talk, 1, 6);
  talk.terminal.press(ALT_U);
  await shows(talk, "2 newer messages stay");
});

test("MET10 where there is nothing to undo, the key says so", async () => {
  const talk = await longTalk();
  await exchanged(talk, 1);
  talk.terminal.press(ALT_U);
  await talk.sees("There is no compaction to undo on this branch.");
});

test("MET9 Esc stops a compaction that was asked for, and the session is as it was", async () => {
  const talk = await longTalk({ isSlow: true });
  await exchanged(talk, 5);
  const before = log(talk);
  talk.say("/compact all of it");
  await shows(talk, "● compacting");
  talk.terminal.press(ESC);
  await atRest(talk);
  expect(log(talk)).toEqual(before);
  await shows(talk, "Compaction cancelled; nothing was changed.");
});

test("MET9 Esc stops one that came by itself in the middle of a run, and the run with it", async () => {
  const talk = await longTalk({ isSlow: true, words: 4_000 });
  await exchanged(talk, 4);
  talk.say("one more");
  await shows(talk, "● compacting: the context is full");
  talk.terminal.press(ESC);
  await atRest(talk);
  expect(logged(talk, "compaction")).toBe(0);
  expect(await picture(talk)).not.toContain("Answer 5");
});

test("MET12 /context opens a page, and alt+s shows what the model sees", async () => {
  const talk = await longTalk({ words: 100 });
  await exchanged(talk, 1);
  talk.say("/context");
  expect(await shows(talk, "What fills the context")).toContain("[by kind]");
  talk.terminal.press(ESC);
  await talk.gone("What fills the context");
  talk.terminal.press("\x1bs");
  expect(await shows(talk, "What the model sees now")).toContain("System");
});
