/** Tests jobs: background commands that outlive the call, but not the agent. */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { alive, call, folder, pidsIn, toolIn, tree } from "../../support/bash-tool.ts";

/** Waits in bash for a file, so that the test says when it goes on. */
const until = (name: string): string => `until [ -e ${name} ]; do sleep 0.02; done`;

test("BASH11 a background command returns its job name at once, and later checks return its new output", async () => {
  const root = folder();
  const tool = toolIn(root);
  const command = `echo one; touch said; ${until("go")}; echo two; exit 4`;
  expect(await call(tool, { command, background: true })).toMatchObject({ text: "job-1 has started", isError: false });
  while (!existsSync(join(root, "said"))) await sleep(20);
  await sleep(200);
  expect((await call(tool, { job: "job-1" })).text).toBe("one\n\njob-1 is still running");
  expect((await call(tool, { job: "job-1" })).text).toBe("(no new output)\n\njob-1 is still running");
  writeFileSync(join(root, "go"), "");
  const last = await call(tool, { job: "job-1", wait: 60 });
  expect(last).toMatchObject({ text: "two\n\njob-1 has ended: exit code 4", isError: true });
  expect(last.details).toEqual({ exitCode: 4, bytes: 8, truncated: false, sandboxed: false, job: "job-1" });
  expect((await call(tool, { job: "job-1" })).text).toBe("(no new output)\n\njob-1 has ended: exit code 4");
});

test("BASH11 a wait ends after its time or on abort, and the job continues", async () => {
  const tool = toolIn();
  await call(tool, { command: "sleep 60", background: true });
  expect((await call(tool, { job: "job-1", wait: 0.05 })).text).toContain("job-1 is still running");
  const act = new AbortController();
  const waiting = call(tool, { job: "job-1", wait: 600 }, act);
  act.abort();
  expect((await waiting).text).toContain("job-1 is still running");
  expect(tool.ongoing()).toBe("job-1: sleep 60");
  await tool.dispose();
});

test("BASH11 killing a job ends all its processes and is not an error", async () => {
  const root = folder();
  const tool = toolIn(root);
  await call(tool, { command: tree(), background: true });
  const pids = await pidsIn(root, 4);
  const ended = await call(tool, { job: "job-1", kill: true });
  expect(ended).toMatchObject({ text: "(no new output)\n\njob-1 has ended: command stopped", isError: false });
  expect(await alive(pids)).toEqual([]);
  expect(tool.ongoing()).toBe(null);
});

test("BASH11 a job is ended at its timeout", async () => {
  const tool = toolIn();
  await call(tool, { command: "sleep 60", background: true, timeout: 0.2 });
  const { text, isError } = await call(tool, { job: "job-1", wait: 60 });
  expect({ text, isError }).toEqual({
    text: "(no new output)\n\njob-1 has ended: command timed out after 0.2 s",
    isError: true,
  });
});

test("BASH12 closing the agent ends all processes of its jobs", async () => {
  const root = folder();
  const tool = toolIn(root);
  await call(tool, { command: tree(), background: true });
  await call(tool, { command: tree({ isDeaf: true }), background: true });
  const pids = await pidsIn(root, 8);
  await tool.dispose();
  expect(await alive(pids)).toEqual([]);
  await expect(call(tool, { command: "true", background: true })).rejects.toThrow(
    "jobs cannot be started after dispose()",
  );
});

test("BASH12 a seventeenth job is refused with the names of the sixteen that are running", async () => {
  const tool = toolIn();
  for (let count = 0; count < 16; count += 1) await call(tool, { command: "sleep 60", background: true });
  const { text, isError } = await call(tool, { command: "sleep 60", background: true });
  expect(isError).toBe(true);
  expect(text).toMatch(/^the job was not started: 16 jobs are running; stop one of job-1, job-2, .*job-16 first$/);
  await tool.dispose();
});

test("BASH11 an unknown job name is refused", async () => {
  const { text, isError } = await call(toolIn(), { job: "job-9" });
  expect({ text, isError }).toEqual({
    text: "no job named job-9; jobs do not survive a restart of the agent",
    isError: true,
  });
});

test("BASH19 the prompt describes each running job in one line, however long its command", async () => {
  const tool = toolIn();
  expect(tool.ongoing()).toBe(null);
  await call(tool, { command: "sleep 60;\n  sleep 61", background: true });
  await call(tool, { command: `sleep 60 # ${"x".repeat(1_000)}`, background: true });
  const [first, second, ...more] = tool.ongoing()?.split("\n") ?? [];
  expect(first).toBe("job-1: sleep 60; sleep 61");
  expect(second).toMatch(/^job-2: sleep 60 # x{189}…$/);
  expect(more).toEqual([]);
  await tool.dispose();
});
