/** Going from one session to another with extensions: each has its own, and they are loaded anew where they changed. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { TalkGround } from "./talk-ground.ts";

function extension(word: string): string {
  return `import { appendFileSync } from "node:fs";
const hear = ({ type, reason }) => appendFileSync("heard", "${word} " + type + " " + reason + "\\n");
export default (pith) => {
  pith.on("session_start", hear);
  pith.on("session_shutdown", hear);
  pith.registerCommand("word", { description: "d", run: async () => "the word is ${word}" });
};
`;
}

async function extended(...script: readonly string[]): Promise<{ ground: TalkGround; path: string }> {
  const ground = new TalkGround();
  onTestFinished(() => ground.clear());
  await ground.serve(...script);
  mkdirSync(join(ground.home, "extensions"));
  const path = join(ground.home, "extensions", "word.js");
  writeFileSync(path, extension("first"));
  return { ground, path };
}

function heard({ folder }: TalkGround): readonly string[] {
  return readFileSync(join(folder, "heard"), "utf8").trim().split("\n");
}

test("LOAD21 /reload loads a changed extension again, and the session continues", async () => {
  const { ground, path } = await extended("an answer", "one more");
  ground.start("a question");
  await ground.until("an answer");
  await ground.say("/word");
  await ground.until("the word is first");
  writeFileSync(path, extension("second, and longer"));
  await ground.say("/reload");
  await ground.until("── a question ─");
  await ground.say("/word");
  await ground.until("the word is second, and longer");
  // A session that could not be opened again is not left.
  writeFileSync(join(ground.home, "settings.json"), "{ broken");
  await ground.say("/reload");
  await ground.until("Nothing was changed:");
  await ground.say("still there?");
  await ground.until("one more");
  expect(await ground.leave()).toMatchObject({ code: 0 });
  expect(heard(ground)).toEqual([
    "first session_start startup",
    "first session_shutdown reload",
    "second, and longer session_start reload",
    "second, and longer session_shutdown quit",
  ]);
});

test("LOAD10 on /new, extensions receive session_shutdown of the old session before session_start of the new one", async () => {
  const { ground } = await extended("an answer");
  ground.start("a question");
  await ground.until("an answer");
  await ground.say("/new");
  await ground.until("── new session ─");
  await ground.say("/word");
  await ground.until("the word is first");
  await ground.leave();
  expect(heard(ground)).toEqual([
    "first session_start startup",
    "first session_shutdown new",
    "first session_start new",
    "first session_shutdown quit",
  ]);
});
