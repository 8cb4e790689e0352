/** The program as a process: what stands around a call, from files that are named to settings, keys and the texts of a project. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { noisyPng } from "../../../agent/test/support/pictures.ts";
import { findBuiltProgram } from "../support/built-program.ts";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

test("TXT2 attached files and piped input reach the model, an image as an image", async () => {
  writeFileSync(join(program.folder, "a.ts"), "const a = 1;\n");
  writeFileSync(join(program.folder, "shot.png"), PNG);
  const args = ["-p", "Explain", "@a.ts", "@shot.png", "please."];
  expect(await program.runWithScript(args, ["So."], { input: "a diff\n" })).toMatchObject({ code: 0, out: "So.\n" });
  const { messages } = program.lastRequestBody() as {
    messages: readonly { content: readonly Record<string, unknown>[] }[];
  };
  const blocks = messages.flatMap(({ content }) => content);
  expect(blocks.map(({ type }) => type)).toContain("image");
  const texts = blocks.map(({ text }) => text).filter((text) => text !== undefined);
  expect(texts.slice(-4)).toEqual([
    '<file path="a.ts">\nconst a = 1;\n</file>',
    "The picture shot.png:",
    "<stdin>\na diff\n</stdin>",
    "Explain please.",
  ]);
});

test("FILE32 a large image that the model reads is sent shrunk", async () => {
  writeFileSync(join(program.folder, "large.png"), noisyPng(2_400, 800));
  const reads = { parts: [{ type: "call", name: "read", arguments: { path: "large.png" } }] } as const;
  expect(await program.runWithScript(["-p", "Look."], [reads, "Seen."])).toMatchObject({ code: 0, out: "Seen.\n" });
  expect(JSON.stringify(program.lastRequestBody())).toMatch(/shrunk from 2400×800 to \d+×\d+ pixels.*"type":"image"/);
});

test("PRT16 pith in a deleted folder exits with 1 and says that the folder no longer exists", () => {
  const bin = findBuiltProgram();
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$1" settings';
  const { status, stderr } = spawnSync("sh", ["-c", script, process.execPath, bin], { cwd: program.folder });
  expect([status, stderr.toString()]).toEqual([
    1,
    "pith: the current folder no longer exists; change to another one\n",
  ]);
});

test("TXT3 a missing attachment is a mistake, and no session is created", async () => {
  expect(await program.run(["-p", "Explain", "@gone.ts"])).toMatchObject({
    code: 2,
    out: "",
    notes: "pith: @gone.ts: gone.ts does not exist. @ attaches a file; put text that starts with @ after --\n",
  });
  expect(existsSync(join(program.home, "sessions"))).toBe(false);
});

test("PRT3 pith exits with 1 if the session cannot be created", async () => {
  writeFileSync(join(program.home, "sessions"), "");
  expect(await program.runWithScript(["-p", "hi"], ["Never said."])).toMatchObject({
    code: 1,
    out: "",
    notes: expect.stringContaining("cannot be created"),
  });
});

test("SET4 KEY1 the model and its base URL come from the settings, its key from the key file, and the key is not shown", async () => {
  const { url } = await program.serve(["From here."]);
  const settings = { model: "anthropic/claude-sonnet-4-5", baseUrl: `${url}/v1`, wallpaper: "dark" };
  writeFileSync(join(program.home, "settings.json"), JSON.stringify(settings));
  writeFileSync(join(program.home, "keys.json"), '{ "anthropic": "sk-secret" }', { mode: 0o600 });
  const { code, out, notes } = await program.run(["-p", "Where?"]);
  expect({ code, out }).toEqual({ code: 0, out: "From here.\n" });
  expect(notes).toContain("settings.json:1: wallpaper is not a setting");
  expect(notes + program.readSession()).not.toContain("sk-secret");
});

test("SET2 KEY2 invalid settings and a key file that others can read exit with 2", async () => {
  writeFileSync(join(program.home, "keys.json"), '{ "anthropic": "sk-secret" }', { mode: 0o644 });
  const open = await program.run(["-p", "hi"]);
  expect(open).toMatchObject({
    code: 2,
    notes: expect.stringContaining(`chmod 600 ${join(program.home, "keys.json")}`),
  });
  rmSync(join(program.home, "keys.json"));
  writeFileSync(join(program.home, "keys.json"), '{ "anthropc": "sk-secret" }', { mode: 0o600 });
  const mistyped = await program.run(["-p", "hi"]);
  expect(mistyped).toMatchObject({
    code: 2,
    notes: expect.stringMatching(/keys\.json has no key for any of .*anthropic/),
  });
  expect(mistyped.notes).not.toContain("sk-secret");
  writeFileSync(join(program.home, "settings.json"), '{ "thinking": "hard" }');
  const wrong = await program.run(["-p", "hi"]);
  expect(wrong).toMatchObject({
    code: 2,
    notes: expect.stringContaining('settings.json:1: thinking is "hard"; expected "off"'),
  });
});

test("TXT4 AGENTS.md of the user and of the project are sent to the model, unless turned off", async () => {
  mkdirSync(join(program.folder, ".git"));
  writeFileSync(join(program.folder, "AGENTS.md"), "Tabs, never spaces.");
  writeFileSync(join(program.home, "AGENTS.md"), "Speak Latin.");
  await program.runWithScript(["-p", "hi"], ["Ave."]);
  expect(JSON.stringify(program.lastRequestBody())).toMatch(/Speak Latin\..*Tabs, never spaces\./);
  await program.runWithScript(["-p", "--no-context-files", "hi"], ["Hello."]);
  expect(JSON.stringify(program.lastRequestBody())).not.toMatch(/Latin|Tabs/);
});

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
