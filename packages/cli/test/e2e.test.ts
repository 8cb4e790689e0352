/** The program in a real terminal, as a person uses it; `pnpm e2e` plays the same scenarios and prints a table. */

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { play } from "../e2e/scenario.ts";
import { scenarios } from "../e2e/scenarios/all.ts";

const played = new Set<string>();

async function plays(name: string): Promise<void> {
  const scenario = scenarios.find((each) => each.name === name);
  if (!scenario) throw new Error(`there is no scenario ${name}`);
  played.add(name);
  const { isPassed, note, seconds } = await play(scenario);
  expect(isPassed, note).toBe(true);
  console.log(`${name}: ${note} (${seconds.toFixed(1)} s)`);
}

test("E2E1 there is a terminal to play in", () => {
  expect(execFileSync("tmux", ["-V"], { encoding: "utf8" })).toMatch(/^tmux /);
});

test("FST1 a first start with a key in the environment asks nothing and answers within a minute", () =>
  plays("first-start-key"));
test("E2E2 FST4 a first start with a key that is pasted, the second of two, answers within a minute", () =>
  plays("first-start-typed"));
test("E2E2 FST3 a first start with a local server asks for no key and answers within a minute", () =>
  plays("first-start-local"));
test("E2E15 the first hour: no key, a second provider, a wrong key, a local server and no network, at two sizes", () =>
  plays("first-hour"));
test("E2E3 a task: read, edit with its diff, bash", () => plays("task"));
test("E2E4 a permission is asked for with a diff; no and yes do what they say", () => plays("permission"));
test("E2E5 words while it works wait in sight and are heard before the next request", () => plays("steering"));
test("E2E6 after six resizes every line is there once, and the shell lines above stay", () => plays("resize"));
test("E2E7 a compaction in mid-turn, and the work goes on by itself", () => plays("compaction"));
test("E2E8 a compaction is previewed, done, undone and done again", () => plays("preview-undo-redo"));
test("E2E9 back in the tree, with a summary of the branch that is left", () => plays("tree-with-summary"));
test("E2E10 a move behind a change of files puts them back where one wants it", () => plays("file-restore"));
test("E2E11 a fork leaves the old session as it was", () => plays("fork"));
test("E2E12 a session is found by a word that was said in it", () => plays("resume-by-search"));
test("E2E13 Esc stops the work at ten points", () => plays("abort"));
test("E2E14 after kill -9 nothing that was seen is lost", () => plays("kill-and-resume"));
test("XUI15 an extension asks in three ways, shows a status and a widget, and keeps a list", () => plays("extension"));

test("E2E1 every scenario is played here", () => {
  expect([...played].sort()).toEqual(scenarios.map(({ name }) => name).sort());
});
