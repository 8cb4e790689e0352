/** Going from one session to another with extensions: each has its own, and they are loaded anew where they changed. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { InteractiveProgram } from "../../support/interactive-program.ts";

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

async function extended(...script: readonly string[]): Promise<{ program: InteractiveProgram; path: string }> {
  const program = new InteractiveProgram();
  onTestFinished(() => program.remove());
  await program.serve(...script);
  mkdirSync(join(program.home, "extensions"));
  const path = join(program.home, "extensions", "word.js");
  writeFileSync(path, extension("first"));
  return { program, path };
}

function readEvents({ folder }: InteractiveProgram): readonly string[] {
  return readFileSync(join(folder, "heard"), "utf8").trim().split("\n");
}

test("LOAD21 /reload loads a changed extension again, and the session continues", async () => {
  const { program, path } = await extended("an answer", "one more");
  program.start("a question");
  await program.waitForText("an answer");
  await program.submit("/word");
  await program.waitForText("the word is first");
  writeFileSync(path, extension("second, and longer"));
  await program.submit("/reload");
  await program.waitForText("── a question ─");
  await program.submit("/word");
  await program.waitForText("the word is second, and longer");
  // A session that could not be opened again is not left.
  writeFileSync(join(program.home, "settings.json"), "{ broken");
  await program.submit("/reload");
  await program.waitForText("Nothing was changed:");
  await program.submit("still there?");
  await program.waitForText("one more");
  expect(await program.quit()).toMatchObject({ code: 0 });
  expect(readEvents(program)).toEqual([
    "first session_start startup",
    "first session_shutdown reload",
    "second, and longer session_start reload",
    "second, and longer session_shutdown quit",
  ]);
});

test("LOAD10 on /new, extensions receive session_shutdown of the old session before session_start of the new one", async () => {
  const { program } = await extended("an answer");
  program.start("a question");
  await program.waitForText("an answer");
  await program.submit("/new");
  await program.waitForText("── new session ─");
  await program.submit("/word");
  await program.waitForText("the word is first");
  await program.quit();
  expect(readEvents(program)).toEqual([
    "first session_start startup",
    "first session_shutdown new",
    "first session_start new",
    "first session_shutdown quit",
  ]);
});
