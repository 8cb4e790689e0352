/** Tests the program in a real terminal, as a user does; `pnpm e2e` runs the same scenarios and prints a table. */

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { runScenario } from "../e2e/scenario.ts";
import { scenarios } from "../e2e/scenarios/all.ts";

const finished = new Set<string>();

async function runByName(name: string): Promise<void> {
  const scenario = scenarios.find((each) => each.name === name);
  if (!scenario) throw new Error(`there is no scenario ${name}`);
  finished.add(name);
  const { isPassed, note, seconds } = await runScenario(scenario);
  expect(isPassed, note).toBe(true);
  console.log(`${name}: ${note} (${seconds.toFixed(1)} s)`);
}

test("E2E1 tmux is installed", () => {
  expect(execFileSync("tmux", ["-V"], { encoding: "utf8" })).toMatch(/^tmux /);
});

test("FST1 a first start with a key in the environment asks nothing and answers within a minute", () =>
  runByName("first-start-key"));
test("E2E2 FST4 a first start with a pasted key answers within a minute, even if the first key is wrong", () =>
  runByName("first-start-typed"));
test("E2E2 FST3 a first start with a local server asks for no key and answers within a minute", () =>
  runByName("first-start-local"));
test("E2E15 the first hour: no key, a second provider, a wrong key, a local server and no network, at two sizes", () =>
  runByName("first-hour"));
test("E2E3 a task reads a file, edits it with a diff and runs bash", () => runByName("task"));
test("E2E4 a permission question shows the diff; No blocks the edit and Yes allows it", () => runByName("permission"));
test("E2E5 a message typed during a run is shown as queued and reaches the model with the next request", () =>
  runByName("steering"));
test("E2E6 after six resizes every line is on the screen once, and earlier shell output stays", () =>
  runByName("resize"));
test("E2E7 after a compaction in the middle of a turn, the run continues without input", () => runByName("compaction"));
test("E2E8 a compaction is previewed, done, undone and redone", () => runByName("preview-undo-redo"));
test("E2E9 a move in the tree summarizes the branch that is left", () => runByName("tree-with-summary"));
test("E2E10 a move in the tree to before a file change restores the file if the user agrees", () =>
  runByName("file-restore"));
test("E2E11 a fork leaves the original session unchanged", () => runByName("fork"));
test("E2E12 the session list finds a session by a word from its messages", () => runByName("resume-by-search"));
test("E2E13 Esc stops a run at each of ten points", () => runByName("abort"));
test("E2E14 after kill -9, everything that was shown is still in the session", () => runByName("kill-and-resume"));
test("XUI15 an extension asks three kinds of questions, shows a status and a widget, and keeps a list", () =>
  runByName("extension"));

test("E2E1 every scenario has a test in this file", () => {
  expect([...finished].sort()).toEqual(scenarios.map(({ name }) => name).sort());
});
