/** Shell lines of the user's own in a real talk, with extensions that hear of them first. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { all, atRest, heard } from "../modes/interactive/editor/at-work.ts";
import { type TalkOn, talkOn } from "../modes/interactive/talk-on.ts";

/** With an extension of these lines. */
function extended(body: string) {
  const prepare = ({ home }: { readonly home: string }): void => {
    mkdirSync(join(home, "extensions"));
    writeFileSync(join(home, "extensions/ears.js"), `export default (pith) => {\n${body}\n};\n`);
  };
  return all({ prepare });
}

async function said(talk: TalkOn, words: string, answer: string): Promise<string> {
  talk.say(words);
  await talk.sees(answer);
  await atRest(talk);
  return heard(talk).join("\n");
}

test("XUI11 user_bash handlers run before a shell line, and a returned result replaces its output", async () => {
  const answers = `pith.on("user_bash", ({ command, excludeFromContext }) =>
    command.startsWith("deploy") ? { result: { output: "deployed " + excludeFromContext, exitCode: 4 } } : undefined);`;
  const talk = await talkOn(["I saw it"], extended(answers));
  talk.say("!deploy > made");
  await talk.sees("deployed false");
  await atRest(talk);
  expect(existsSync(join(talk.folder, "made"))).toBe(false);
  talk.say("!echo or$((1))dinary");
  await talk.sees("or1dinary");
  await atRest(talk);
  const told = await said(talk, "what do you see?", "I saw it");
  expect(told).toContain("deployed false");
  expect(told).toContain("Exit code: 4");
  expect(told).toContain("or1dinary");
});

test("XUI11 the output returned by a user_bash handler is limited like any output, and a handler that throws does not stop the line", async () => {
  const answers = `pith.on("user_bash", ({ command }) => {
    if (command === "flood") return { result: { output: "much of it\\n".repeat(100000), exitCode: 0 } };
    throw new Error("no");
  });`;
  const talk = await talkOn(["I saw it"], extended(answers));
  talk.say("!flood");
  await talk.sees("much of it");
  await atRest(talk);
  talk.say("!touch made");
  await talk.until(() => existsSync(join(talk.folder, "made")));
  await atRest(talk);
  expect((await said(talk, "and?", "I saw it")).length).toBeLessThan(60_000);
});

test("XUI12 Escape stops a shell line that waits for an extension or for its turn, and it never runs", async () => {
  const hangs = `pith.on("user_bash", ({ command }) => (command === "hang" ? new Promise(() => {}) : undefined));`;
  const talk = await talkOn(["fine now"], extended(hangs));
  talk.say("!hang");
  talk.say("!touch never");
  await talk.sees("touch never");
  talk.terminal.press("\x1b");
  await atRest(talk);
  expect(existsSync(join(talk.folder, "never"))).toBe(false);
  const words = await said(talk, "and?", "fine now");
  expect(words).not.toMatch(/hang|never/);
});
