/** The notice after an upgrade, through the real program: who gets it, when, and how often. */

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NOTICES } from "../../src/app/notices.ts";
import { Editor } from "../support/acp-editor.ts";
import { startInteractiveApp } from "../support/interactive-app.ts";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

const [{ text: notice, id } = { text: "", id: "" }] = NOTICES;
const record = (): string => join(program.home, "notices.json");

/** As a version before the notice left it. */
async function usedBefore(): Promise<void> {
  await program.runWithScript(["-p", "hi"], ["Hi."]);
  rmSync(record());
}

function timesIn(text: string): number {
  return text.split(notice).length - 1;
}

test("UPG1 the first start after an upgrade says what is blocked now and how to allow it, later starts do not", async () => {
  await usedBefore();
  const { out, notes } = await program.runWithScript(["-p", "hi"], ["Hi."]);
  expect(out).toBe("Hi.\n");
  expect(notes).toContain(`pith: ${notice}\n`);
  expect(statSync(record()).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(record(), "utf8"))).toEqual({ shown: [id] });
  expect(timesIn((await program.runWithScript(["-p", "hi"], ["Hi."])).notes)).toBe(0);
});

test("UPG1 the notice names every setting, flag and command that allows what is blocked, in at most 8 lines of 76 characters", () => {
  const lines = notice.split("\n");
  expect(lines.length).toBeLessThanOrEqual(8);
  expect(lines.filter((line) => line.length > 76)).toEqual([]);
  for (const way of ["sandboxRead", "sandboxEnvironment", "--network open", "network(", "fetch(", "pith mcp trust"])
    expect(notice).toContain(way);
  expect(existsSync(join(import.meta.dirname, "../../../../docs/security.md"))).toBe(true);
  expect(notice).toContain("docs/security.md");
});

test("UPG2 a new home shows no notice, also at its second start, and a run with --no-session leaves it new", async () => {
  const first = await program.runWithScript(["-p", "--no-session", "hi"], ["Hi."]);
  expect(existsSync(record())).toBe(false);
  const second = await program.runWithScript(["-p", "hi"], ["Hi."]);
  expect(existsSync(record())).toBe(true);
  const third = await program.runWithScript(["-p", "hi"], ["Hi."]);
  expect([first, second, third].map(({ notes }) => timesIn(notes))).toEqual([0, 0, 0]);
});

test("UPG2 programs that start at the same time in a new home show no notice", async () => {
  const ends = await Promise.all(Array.from({ length: 6 }, () => program.run(["-p", "/session"])));
  expect(ends.map(({ notes }) => timesIn(notes))).toEqual([0, 0, 0, 0, 0, 0]);
});

test("UPG3 plain mode prints the notice, and JSON mode, RPC mode and ACP print it to standard error", async () => {
  await usedBefore();
  expect((await program.runWithScript(["--plain"], ["Hi."], { input: "hi\n" })).out).toContain(
    "New hosts need approval:",
  );
  rmSync(record());
  const json = await program.runWithScript(["-p", "--mode", "json", "hi"], ["Hi."]);
  expect(timesIn(json.notes)).toBe(1);
  expect(timesIn(json.out)).toBe(0);
  rmSync(record());
  const rpc = await program.runWithScript(["--mode", "rpc"], [], { input: '{"type":"get_state"}\n' });
  expect(timesIn(rpc.notes)).toBe(1);
  rmSync(record());
  const editor = await Editor.start({ program });
  await editor.begin(program.folder);
  editor.child.kill("SIGTERM");
  await editor.ended;
  expect(timesIn(editor.notes)).toBe(1);
});

test("UPG3 the interactive mode shows the notice above the first message, line by line", async () => {
  const app = await startInteractiveApp([], { prepare: ({ home }) => mkdirSync(join(home, "sessions")) });
  const screenText = await app.waitForText("Shown once.");
  for (const line of notice.split("\n"))
    expect(screenText.split("\n").map((each) => each.trim())).toContain(line.trim());
});

test("UPG4 programs that start at the same time show the notice at most once each and leave a valid record", async () => {
  await usedBefore();
  await program.serve(() => "Hi.");
  const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: program.server.url };
  const ends = await Promise.all([1, 2].map(() => program.run(["-p", "hi"], { variables })));
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
  const times = ends.map(({ notes }) => timesIn(notes));
  expect(Math.max(...times)).toBe(1);
  expect(timesIn((await program.run(["-p", "hi"], { variables })).notes)).toBe(0);
});

test("UPG4 a damaged record or a link is replaced, and a notice that cannot be recorded is not shown", async () => {
  await usedBefore();
  const elsewhere = join(program.userHome, "precious");
  writeFileSync(elsewhere, "as it was");
  for (const damage of [() => writeFileSync(record(), "{"), () => symlinkSync(elsewhere, record())]) {
    rmSync(record(), { force: true });
    damage();
    expect(timesIn((await program.runWithScript(["-p", "hi"], ["Hi."])).notes)).toBe(1);
    expect(timesIn((await program.runWithScript(["-p", "hi"], ["Hi."])).notes)).toBe(0);
  }
  expect(readFileSync(elsewhere, "utf8")).toBe("as it was");
  rmSync(record());
  mkdirSync(join(record(), "in-the-way"), { recursive: true });
  expect(timesIn((await program.runWithScript(["-p", "hi"], ["Hi."])).notes)).toBe(0);
  // Rights of others are no reason to show it again and again.
  rmSync(record(), { recursive: true });
  chmodSync(program.home, 0o777);
  expect(timesIn((await program.runWithScript(["-p", "hi"], ["Hi."])).notes)).toBe(1);
  expect(timesIn((await program.runWithScript(["-p", "hi"], ["Hi."])).notes)).toBe(0);
});
