/** Tests the bash tool on a real shell: the result that the model reads. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { alive, call, folder, pidsIn, toolIn, tree } from "../../support/bash-tool.ts";

test("BASH7 a successful command returns its output", async () => {
  const { text, isError, details } = await call(toolIn(), { command: "echo one; echo two >&2" });
  expect({ text, isError }).toEqual({ text: "one\ntwo", isError: false });
  expect(details).toEqual({ exitCode: 0, bytes: 8, truncated: false, sandboxed: false });
});

test("BASH7 empty or unreadable output is reported", async () => {
  expect((await call(toolIn(), { command: "true" })).text).toBe("(no output)");
  const zeros = await call(toolIn(), { command: "head -c 1000 /dev/zero" });
  expect(zeros.text).toBe("(1000 bytes, none readable)");
});

test.each([
  ["echo no; exit 3", "no\n\nexit code 3", 3],
  ["kill -9 $$", "(no output)\n\ncommand killed by SIGKILL", null],
])("BASH7 `%s` is an error whose text gives the exit code or the signal", async (command, text, exitCode) => {
  expect(await call(toolIn(), { command })).toMatchObject({ text, isError: true, details: { exitCode } });
});

test("BASH7 an unknown command is an error that names it", async () => {
  const { text, isError } = await call(toolIn(), { command: "no-such-command-here" });
  expect(isError).toBe(true);
  expect(text).toMatch(/no-such-command-here: command not found\n\nexit code 127$/);
});

test("BASH5 a timeout is reported with the output so far", async () => {
  const { text, isError, details } = await call(toolIn(), { command: "echo before; sleep 60", timeout: 1 });
  expect({ text, isError }).toEqual({ text: "before\n\ncommand timed out after 1 s", isError: true });
  expect(details.exitCode).toBe(null);
});

test("BASH5 an abort is reported with the output so far and leaves no process running", async () => {
  const root = folder();
  const act = new AbortController();
  const running = call(toolIn(root), { command: `echo before; ${tree()}` }, act);
  const pids = await pidsIn(root, 4);
  act.abort();
  expect(await running).toMatchObject({ text: "before\n\ncommand stopped by the user", isError: true });
  expect(await alive(pids)).toEqual([]);
});

test("BASH8 a long output is shown with its beginning, its end and the size of the gap", async () => {
  const { text, details } = await call(toolIn(), { command: "seq 100000" });
  const lines = text.split("\n");
  expect(lines.slice(0, 2)).toEqual(["1", "2"]);
  expect(lines.at(-1)).toBe("100000");
  expect(lines).toHaveLength(40 + 1 + 2_000);
  // 588,895 bytes in all, 111 in the first forty lines, 12,001 in the last two thousand.
  expect(lines[40]).toBe("[… 576783 bytes, 97960 lines omitted …]");
  expect(details).toEqual({ exitCode: 0, bytes: 588_895, truncated: true, sandboxed: false });
});

test("BASH8 a lower output limit is applied", async () => {
  const tool = toolIn(folder(), { outputLimit: { lines: 5, bytes: 1_000 } });
  const { text } = await call(tool, { command: "seq 100" });
  expect(text).toBe("1\n[… 274 bytes, 94 lines omitted …]\n96\n97\n98\n99\n100");
});

test("BASH9 updates show the newest output at most ten times a second while the command runs", async () => {
  const { updates } = await call(toolIn(), {
    command: "echo first; for i in $(seq 20000); do echo line $i; done; sleep 1",
  });
  expect(updates[0]).toMatch(/^first\n/);
  expect(updates.at(-1)).toMatch(/\nline 20000\n$/);
  for (const update of updates) expect(update.length).toBeLessThanOrEqual(4_096);
});

test("BASH9 many small pieces of output cause few updates", async () => {
  const started = performance.now();
  const { updates } = await call(toolIn(), { command: "for i in $(seq 200); do echo $i; sleep 0.005; done" });
  const seconds = (performance.now() - started) / 1_000;
  expect(updates.length).toBeLessThanOrEqual(Math.ceil(seconds * 10) + 1);
  await sleep(150);
});

test.each([
  [{}, "`command` is missing: give a bash command"],
  [{ command: 7 }, "`command` is missing: give a bash command"],
  [{ command: "true", timeout: "soon" }, "`timeout` must be a number of seconds, 0 or more"],
  [{ command: "true", timeout: -1 }, "`timeout` must be a number of seconds, 0 or more"],
  [{ command: "true", outside: "perhaps" }, 'outside must be true or false, not "perhaps"'],
  [{ job: "job-1", command: "true" }, "give either `command` or `job`, not both"],
  [{ job: 1 }, '`job` must be the name of a job, such as "job-1"'],
])("BASH10 the call %j is refused with a message about its wrong argument", async (given, text) => {
  expect(await call(toolIn(), given)).toMatchObject({ text, isError: true });
});

test("BASH10 numbers and flags as strings, and empty unused arguments, are accepted", async () => {
  const given = { command: "echo fine", timeout: "30", background: "false", job: "", wait: null };
  expect(await call(toolIn(), given)).toMatchObject({ text: "fine", isError: false });
});
