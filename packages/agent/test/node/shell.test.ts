/** Tests node/shell.ts and node/kill-process-group.ts with real processes: order of output, results, aborts, process trees, open pipes. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createCommandTimer, nodeShell } from "../../src/node/shell.ts";
import { alive, endIfThere, folder, pidsIn, ran, tree } from "../support/bash-tool.ts";

const patient = { signal: new AbortController().signal };

test("BASH1 output of both streams arrives in the order in which it was written", async () => {
  const { text } = await ran('for i in $(seq 300); do echo "out $i"; echo "err $i" >&2; done');
  const expected = Array.from({ length: 300 }, (_, at) => `out ${at + 1}\nerr ${at + 1}\n`).join("");
  expect(text).toBe(expected);
});

test.each([
  ["true", { type: "ended", exitCode: 0 }],
  ["exit 3", { type: "ended", exitCode: 3 }],
  ["no-such-command-here", { type: "ended", exitCode: 127 }],
  ["(kill -9 $BASHPID)", { type: "ended", exitCode: 137 }],
  ["kill -9 $$", { type: "killed", cause: "signal", message: "command killed by SIGKILL" }],
  ["kill -TERM $$", { type: "killed", cause: "signal", message: "command killed by SIGTERM" }],
] as const)("BASH2 `%s` ends as in bash", async (command, end) => {
  expect((await ran(command)).end).toEqual(end);
});

test("BASH2 a syntax error of bash is part of the output", async () => {
  const { end, text } = await ran("echo (");
  expect(end).toMatchObject({ exitCode: expect.toSatisfy((code: number) => code > 0) });
  expect(text).toContain("syntax error");
});

test("BASH2 a command runs in its folder, with only the given environment", async () => {
  const root = folder();
  const { text } = await ran('pwd; env | cut -d= -f1 | sort | tr "\\n" " "', {}, root);
  expect(text).toBe(`${root}\nHOME PATH PWD SHLVL _ `);
});

test("BASH20 no command sees withheld variables, with or without a sandbox", async () => {
  const environment = { PATH: process.env.PATH, SOME_API_KEY: "sk-secret", OTHER: "seen" };
  const shell = nodeShell({ root: folder(), environment, withheld: ["SOME_API_KEY"] });
  const lines: string[] = [];
  const output = (chunk: Uint8Array): void => void lines.push(new TextDecoder().decode(chunk));
  await shell.run("env", { ...patient, onOutput: output });
  expect(lines.join("")).toContain("OTHER=seen");
  expect(lines.join("")).not.toContain("sk-secret");
});

test.each(["cat", "read line; echo over", "read line </dev/tty; echo over"])(
  "BASH3 a command has no input and no terminal: `%s` ends",
  async (command) => {
    expect((await ran(command)).end.type).toBe("ended");
  },
);

test("BASH4 a missing folder and a command that is too long are returned as results, not thrown", async () => {
  const missing = join(folder(), "missing");
  expect((await ran("true", {}, missing)).end).toMatchObject({
    type: "not-started",
    message: expect.stringContaining(missing),
  });
  expect((await ran(`: ${"x".repeat(3_000_000)}`)).end).toMatchObject({ type: "not-started" });
  expect((await ran("echo \0")).end).toMatchObject({ type: "not-started" });
});

test.each([{ isDeaf: false }, { isDeaf: true }])(
  "BASH5 an abort ends all processes of a command and keeps its output ($isDeaf)",
  async ({ isDeaf }) => {
    const root = folder();
    const act = new AbortController();
    const running = ran(`echo before; ${tree({ isDeaf })}`, { signal: act.signal }, root);
    const pids = await pidsIn(root, 4);
    act.abort();
    expect(await running).toEqual({
      end: { type: "killed", cause: "abort", message: "command stopped" },
      text: "before\n",
    });
    expect(await alive(pids)).toEqual([]);
  },
);

test.each([{ isDeaf: false }, { isDeaf: true }])("BASH5 a timeout ends all processes ($isDeaf)", async ({ isDeaf }) => {
  const root = folder();
  const running = ran(`echo before; ${tree({ isDeaf })}`, { timeoutMs: 3_000 }, root);
  const pids = await pidsIn(root, 4);
  const { end, text } = await running;
  expect({ end, text }).toEqual({
    end: { type: "killed", cause: "timeout", message: "command timed out after 3 s" },
    text: "before\n",
  });
  expect(await alive(pids)).toEqual([]);
});

test("BASH5 a command that is aborted before it starts does not start", async () => {
  const root = folder();
  const { end } = await ran("touch pids", { signal: AbortSignal.abort() }, root);
  expect(end).toMatchObject({ type: "killed", cause: "abort" });
  expect((await ran("ls", patient, root)).text).toBe("");
});

test("BASH6 a command ends even if a background process keeps its pipe open and writes", async () => {
  const root = folder();
  const { end, text } = await ran("(while sleep 0.05; do echo tick; done) & echo $! >>pids; echo done", patient, root);
  expect(end).toEqual({ type: "ended", exitCode: 0 });
  expect(text).toMatch(/^done\n(tick\n)*$/);
  for (const pid of await pidsIn(root, 1)) endIfThere(pid);
});

test("BASH6 no output before the end is lost, even if this process was busy", async () => {
  const root = folder();
  writeFileSync(join(root, "long"), "x".repeat(150_000));
  let isFirst = true;
  const output = (): void => {
    const until = isFirst ? performance.now() + 600 : 0;
    while (performance.now() < until);
    isFirst = false;
  };
  const { text } = await ran(
    "echo first; sleep 0.05; cat long; sleep 100 & echo $! >>pids",
    { onOutput: output },
    root,
  );
  expect(text.length).toBe(150_006);
  for (const pid of await pidsIn(root, 1)) endIfThere(pid);
});

test("RUN17 the timeout of a command is paused while the user answers a question", async () => {
  const timer = createCommandTimer({ timeoutMs: 300 });
  const ended = Promise.withResolvers<number>();
  const before = performance.now();
  timer.start(() => ended.resolve(performance.now() - before));
  await timer.waitForUser(() => sleep(500));
  expect(await ended.promise).toBeGreaterThanOrEqual(790);
});
