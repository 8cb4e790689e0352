/** Words with what they name, and pictures. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { historyFile, readHistory } from "../../../src/screen/typing/history-file.ts";
import { talkOn } from "./stopping/talk-on.ts";
import { all, atRest, heard } from "./typing/at-work.ts";

const paste = (text: string): string => `\x1b[200~${text}\x1b[201~`;
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

test("TYP10 a file named with an @ is said with the words, a folder by its names, and what is not there is a word", async () => {
  const talk = await talkOn(["fine now"], all());
  mkdirSync(join(talk.folder, "src"));
  writeFileSync(join(talk.folder, "src/a.ts"), "let a = 1;\n");
  talk.say("look at @src/a.ts, @src and @nobody");
  await talk.sees("fine now");
  expect(heard(talk)).toEqual(
    expect.arrayContaining([
      '<file path="src/a.ts">\nlet a = 1;\n</file>',
      '<folder path="src">\na.ts\n</folder>',
      "look at @src/a.ts, @src and @nobody",
    ]),
  );
  const seen = (await talk.terminal.all()).join("\n");
  expect(seen).toContain("look at @src/a.ts, @src and @nobody");
  expect(seen).not.toContain("let a = 1");
});

test("TYP10 files go with what a template says, too", async () => {
  const talk = await talkOn(["fine now"], {
    ...all(),
    prepare: ({ home, folder }) => {
      mkdirSync(join(home, "prompts"));
      writeFileSync(join(home, "prompts", "review.md"), "Review $1 with care");
      writeFileSync(join(folder, "a.ts"), "let a = 1;\n");
    },
  });
  talk.say("/review @a.ts");
  await talk.sees("fine now");
  expect(heard(talk)).toEqual(
    expect.arrayContaining(['<file path="a.ts">\nlet a = 1;\n</file>', "Review @a.ts with care"]),
  );
});

test("TYP10 what cannot be said with them is told, and the words are back in the editor", async () => {
  const talk = await talkOn(["fine now"], all());
  writeFileSync(join(talk.folder, "big.txt"), "x".repeat(300 * 1024));
  talk.say("see @big.txt");
  await talk.sees("too much to be said");
  await talk.until(() => talk.screen.words.text === "see @big.txt");
  expect(talk.server.served).toHaveLength(0);
});

test("TYP9 a long paste is one marker, is said whole, and names no file", async () => {
  const talk = await talkOn(["fine now"], all());
  writeFileSync(join(talk.folder, ".env"), "TOKEN=abc\n");
  const long = Array.from({ length: 30 }, (_, at) => `line ${at} @.env`).join("\n");
  talk.terminal.type("read: ");
  talk.terminal.press(paste(long));
  await talk.sees("read: [paste #1 +30 lines]");
  talk.terminal.press("\r");
  await talk.sees("fine now");
  expect(heard(talk).join("\n")).toContain(`read: ${long}`);
  expect(heard(talk).join("\n")).not.toContain("TOKEN=abc");
});

test("TYP13 the path of a picture that is pasted becomes the picture, and is sent as one", async () => {
  const talk = await talkOn(["fine now"], all());
  writeFileSync(join(talk.folder, "a picture.png"), PNG);
  talk.terminal.press(paste(`'${join(talk.folder, "a picture.png")}'`));
  await talk.until(() => talk.screen.words.text === "[picture 1: 16 bytes png] ");
  talk.say("what is it?");
  await talk.sees("fine now");
  expect(JSON.stringify(talk.server.served.at(-1)?.body)).toContain(PNG.toString("base64"));
  expect(heard(talk)).toContain("[picture 1: 16 bytes png] what is it?");
});

test("TYP13 a path without a picture stays words", async () => {
  const talk = await talkOn(["fine now"], all());
  talk.terminal.press(paste("/nowhere/a.png"));
  await talk.until(() => talk.screen.words.text === "/nowhere/a.png");
});

test("TYP15 what was said is there in the next session of the folder, without secrets", async () => {
  const secret = `sk-ant-api03-${"a1B2c3D4e5F6".repeat(7)}AA`;
  const talk = await talkOn(["fine now", "fine now"], all());
  talk.say(`use ${secret} please`);
  await talk.sees("fine now");
  await atRest(talk);
  const place = { home: talk.home, cwd: process.cwd() };
  await talk.until(() => existsSync(historyFile(place)));
  const said = await readHistory(place);
  expect(said).toHaveLength(1);
  expect(said[0]).not.toContain(secret);
  expect(said[0]).toMatch(/^use .* please$/);
});

test("TYP15 where nothing is kept, no history is either", async () => {
  const talk = await talkOn(
    ["fine now"],
    all({ wish: { choices: { permissionMode: "all" }, session: { type: "none" } } }),
  );
  talk.say("whisper");
  await talk.sees("fine now");
  await atRest(talk);
  expect(existsSync(historyFile({ home: talk.home, cwd: process.cwd() }))).toBe(false);
});

test("TYP13 several pictures that are dropped at once are all taken, what is none stays words, and Enter waits for them", async () => {
  const talk = await talkOn(["fine now"], all());
  for (const name of ["a.png", "b.png"]) writeFileSync(join(talk.folder, name), PNG);
  const dropped = ["a.png", "none.png", "b.png"].map((name) => join(talk.folder, name)).join(" ");
  talk.terminal.press(paste(dropped), ..." what are they?", "\r");
  await talk.sees("fine now");
  const body = JSON.stringify(talk.server.served.at(-1)?.body);
  expect(body.split(PNG.toString("base64"))).toHaveLength(3);
  expect(heard(talk).at(-1)).toMatch(
    /^\[picture 1: 16 bytes png\] \[picture 2: 16 bytes png\] \S+none\.png what are they\?$/,
  );
});

test("TYP10 quick words do not overtake those whose files are read", async () => {
  const talk = await talkOn([{ parts: [{ type: "text", text: "fine now" }] }, "fine now", "fine now"], all());
  writeFileSync(join(talk.folder, "a.ts"), "let a = 1;\n".repeat(20_000));
  for (const words of ["first @a.ts", "second"]) void talk.talk.submitted(words);
  const said = (): readonly string[] => heard(talk).filter((text) => ["first @a.ts", "second"].includes(text));
  await talk.until(() => said().length === 2);
  expect(said()).toEqual(["first @a.ts", "second"]);
});

test("TYP10 many words with an @ that name no files are words", async () => {
  const talk = await talkOn(["fine now"], all());
  const names = Array.from({ length: 30 }, (_, at) => `@person${at}`).join(" ");
  talk.say(`thank ${names}`);
  await talk.sees("fine now");
  expect(heard(talk)).toContain(`thank ${names}`);
});
