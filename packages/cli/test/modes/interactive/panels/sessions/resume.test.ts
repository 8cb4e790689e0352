/** The page of sessions, with sessions on a disk. */

import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSession, openStore } from "@pith/context/node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { InteractiveProgram } from "../../../../support/interactive-program.ts";

let program: InteractiveProgram;

beforeEach(async () => {
  program = new InteractiveProgram();
  await program.serve("an answer", "another answer", "a third answer");
});

afterEach(async () => {
  await program.remove();
});

interface Wanted {
  readonly cwd?: string;
  readonly name?: string;
  readonly answer?: string;
  readonly summary?: string;
}

/** A session as another start of the program left it. */
async function kept(words: string, { cwd = program.folder, name, answer, summary }: Wanted = {}): Promise<string> {
  const made = await createSession({ cwd, env: { PITH_HOME: program.home } });
  if (made.type !== "opened") throw new Error("no session could be made");
  const { store } = made;
  const timestamp = new Date().toISOString();
  const entries = [
    { type: "message", message: { role: "user", content: words, timestamp: 1 } },
    ...(answer === undefined ? [] : [{ type: "message", message: replying(answer) }]),
    ...(summary === undefined ? [] : [{ type: "compaction", summary, firstKeptEntryId: "e0", tokensBefore: 1_000 }]),
    ...(name === undefined ? [] : [{ type: "session_info", name }]),
  ];
  let parentId: string | null = null;
  for (const [at, entry] of entries.entries()) {
    const id = `e${at}`;
    const leaf = await store.leaf();
    await store.append([{ ...entry, id, parentId, timestamp } as never], { expectedLeaf: leaf });
    parentId = id;
  }
  await store.close();
  return store.path;
}

function replying(text: string): object {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost };
  const model = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" };
  return { role: "assistant", content: [{ type: "text", text }], ...model, usage, stopReason: "stop", timestamp: 1 };
}

test("RES8 pith -r lists the sessions of this folder, and Enter continues one", async () => {
  await kept("fix the parser", { answer: "it is fixed" });
  program.start("-r");
  await program.waitForText("❯ fix the parser");
  program.terminal.press("\r");
  const screenText = await program.waitForText("it is fixed");
  expect(screenText).toContain("── fix the parser ─");
  await program.quit();
});

test("RES8 pith -r and Esc create no files", async () => {
  program.start("-r");
  await program.waitForText("No sessions yet.");
  program.terminal.press("\x1b");
  expect(await program.ended).toEqual({ code: 0 });
  expect(readdirSync(program.home)).not.toContain("sessions");
});

test("RES9 typing finds session names at once, then messages with the matching line", async () => {
  await kept("hello", { name: "the zebra page", answer: "done" });
  await kept("another thing", { answer: "the stripes of a zebra are a disguise" });
  await kept("nothing of the kind", { answer: "no" });
  program.start("-r");
  await program.waitForText("nothing of the kind");
  program.terminal.type("zebr");
  await program.waitForText("the stripes of a zebra are a disguise");
  const screen = (await program.terminal.screen()).join("\n");
  expect(screen.indexOf("the zebra page")).toBeLessThan(screen.indexOf("another thing"));
  expect(screen).not.toContain("nothing of the kind");
  program.terminal.press("\x1b", "\x1b");
  await program.ended;
});

test("RES10 an unnamed session is described by two sentences of its newest summary", async () => {
  const summary = "## Goal\n- Ship the importer [#1]\n\n## Progress\n### In Progress\n- [ ] write its tests [#2]\n";
  await kept("first words", { answer: "yes", summary });
  program.start("-r");
  await program.waitForText("Ship the importer. Next: write its tests.");
  program.terminal.press("\x1b");
  await program.ended;
});

test("RES11 a session of another folder is continued there or here", async () => {
  const other = join(program.root, "elsewhere");
  mkdirSync(other);
  await kept("from elsewhere", { cwd: other, answer: "yes" });
  program.start("-r");
  await program.waitForText("from elsewhere");
  program.terminal.press("\r");
  await program.waitForText("This session belongs to ~/elsewhere.");
  program.terminal.press("t");
  await program.waitForText("── from elsewhere ─");
  expect(process.cwd()).toBe(other);
  await program.quit();
});

test("RES11 /resume with the id of a session of another folder asks where to continue, and Esc stays", async () => {
  const other = join(program.root, "elsewhere");
  mkdirSync(other);
  const path = await kept("from elsewhere", { cwd: other, answer: "yes" });
  program.start("my own words");
  await program.waitForText("an answer");
  await program.submit(`/resume ${path.split("_").at(-1)?.slice(0, 8)}`);
  await program.waitForText("This session belongs to ~/elsewhere.");
  program.terminal.press("\x1b");
  await program.waitUntilGone("This session belongs");
  await program.submit("I have stayed");
  await program.waitForText("another answer");
  expect(process.cwd()).toBe(program.folder);
  await program.quit();
});

test("RES11 a session whose folder no longer exists can be moved to this folder", async () => {
  const other = join(program.root, "moved-away");
  mkdirSync(other);
  await kept("of a folder that is gone", { cwd: other, answer: "yes" });
  rmSync(other, { recursive: true });
  program.start("-r");
  await program.waitForText("of a folder that is gone");
  program.terminal.press("\r");
  await program.waitForText("This session's folder no longer exists: ~/moved-away");
  program.terminal.press("b");
  await program.waitForText("── of a folder that is gone ─");
  await program.quit();
  program.start("-c");
  await program.waitForText("── of a folder that is gone ─");
  await program.quit();
});

test("RES12 Ctrl+D deletes a session after a question, and Ctrl+R renames one", async () => {
  await kept("to be thrown away");
  await kept("to be renamed");
  program.start("-r");
  await program.waitForText("❯ to be renamed");
  program.terminal.press("\x12");
  await program.waitForText("name:");
  program.terminal.type("the best of all");
  program.terminal.press("\r");
  await program.waitForText("❯ the best of all");
  program.terminal.press("\x1b[B", "\x04");
  await program.waitForText("Move this session to the trash?");
  program.terminal.press("n", "\x04");
  program.terminal.press("y");
  await program.waitForText("Moved to the trash. Restore it with: pith sessions restore");
  expect((await program.terminal.screen()).join("\n")).not.toContain("to be thrown away");
  expect(readdirSync(join(program.home, "trash")).filter((name) => name.includes("_"))).toHaveLength(1);
  program.terminal.press("\x1b");
  await program.ended;
});

test("RES13 a damaged session is marked, and the others are listed", async () => {
  const path = await kept("this one is lost");
  await kept("this one is fine");
  rmSync(path);
  writeFileSync(path, "no session at all\n");
  program.start("-r");
  await program.waitForText("damaged: this is not a session");
  await program.waitForText("this one is fine");
  program.terminal.press("\x1b");
  await program.ended;
});

test("RES24 with -r, a session that cannot be opened returns to the page with the reason", async () => {
  await kept("the one to go on with", { answer: "here it is" });
  const path = await kept("the one that is held");
  const held = await openStore(path);
  program.start("-r");
  await program.waitForText("❯ the one that is held");
  program.terminal.press("\r");
  await program.waitForText(/❯ the one that is held.*is writing to this session; stop it or start another/s);
  program.terminal.press("\x1b[B");
  await program.waitForText("❯ the one to go on with");
  program.terminal.press("\r");
  await program.waitForText("here it is");
  await program.quit();
  if (held.type === "opened") await held.store.close();
});

test("RES24 with -r, Esc at the question about the folder returns to the page", async () => {
  const other = join(program.root, "elsewhere");
  mkdirSync(other);
  await kept("from elsewhere", { cwd: other });
  program.start("-r");
  await program.waitForText("❯ from elsewhere");
  program.terminal.press("\r");
  await program.waitForText("This session belongs to ~/elsewhere.");
  program.terminal.press("\x1b");
  await program.waitUntilGone("This session belongs");
  await program.waitForText("❯ from elsewhere");
  program.terminal.press("\x1b");
  expect(await program.ended).toEqual({ code: 0 });
});

test("RES27 --trust for this folder does not trust the folder of a continued session", async () => {
  const other = join(program.root, "elsewhere");
  mkdirSync(join(other, ".pith"), { recursive: true });
  writeFileSync(join(other, ".pith", "settings.json"), JSON.stringify({ thinking: "high" }));
  await kept("from elsewhere", { cwd: other, answer: "yes" });
  program.start("-r", "--trust");
  await program.waitForText("❯ from elsewhere");
  program.terminal.press("\r");
  await program.waitForText("This session belongs to ~/elsewhere.");
  program.terminal.press("t");
  await program.waitForText(/[Tt]rust/);
  program.terminal.press("\x1b");
  await program.waitForText("── from elsewhere ─");
  await program.quit();
});

/** Put together here, so that no file of this repository holds one. */
const SECRET = ["tok", "9f8e7d6c5b4a39281706fedc"].join("-");

test("RES21 a secret in an older session is not shown on the page", async () => {
  process.env.DEPLOY_API_TOKEN = SECRET;
  await kept(`deploy with ${SECRET}`);
  program.start("-r");
  const screenText = await program.waitForText("❯ deploy with");
  expect(screenText).not.toContain(SECRET);
  program.terminal.press("\x1b");
  await program.ended;
});
