/** Going from one session to another with extensions: each has its own, and they are loaded anew where they changed. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { InteractiveProgram } from "./talk-ground.ts";

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

async function extended(...script: readonly string[]): Promise<{ ground: InteractiveProgram; path: string }> {
  const ground = new InteractiveProgram();
  onTestFinished(() => ground.remove());
  await ground.serve(...script);
  mkdirSync(join(ground.home, "extensions"));
  const path = join(ground.home, "extensions", "word.js");
  writeFileSync(path, extension("first"));
  return { ground, path };
}

function heard({ folder }: InteractiveProgram): readonly string[] {
  return readFileSync(join(folder, "heard"), "utf8").trim().split("\n");
}

test("LOAD21 /reload loads a changed extension again, and the session continues", async () => {
  const { ground, path } = await extended("an answer", "one more");
  ground.start("a question");
  await ground.waitForText("an answer");
  await ground.submit("/word");
  await ground.waitForText("the word is first");
  writeFileSync(path, extension("second, and longer"));
  await ground.submit("/reload");
  await ground.waitForText("── a question ─");
  await ground.submit("/word");
  await ground.waitForText("the word is second, and longer");
  // A session that could not be opened again is not left.
  writeFileSync(join(ground.home, "settings.json"), "{ broken");
  await ground.submit("/reload");
  await ground.waitForText("Nothing was changed:");
  await ground.submit("still there?");
  await ground.waitForText("one more");
  expect(await ground.quit()).toMatchObject({ code: 0 });
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
  await ground.waitForText("an answer");
  await ground.submit("/new");
  await ground.waitForText("── new session ─");
  await ground.submit("/word");
  await ground.waitForText("the word is first");
  await ground.quit();
  expect(heard(ground)).toEqual([
    "first session_start startup",
    "first session_shutdown new",
    "first session_start new",
    "first session_shutdown quit",
  ]);
});
