/** The program prepares a summary in the background unless `compaction.prepare` is off, and ends without waiting for it. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestProgram } from "../../support/test-program.ts";

let program: TestProgram;
beforeEach(() => {
  program = new TestProgram();
});
afterEach(() => program.remove());

const STONES = "Build the observatory, stone by stone. ".repeat(320);

const SLOW = { parts: [{ type: "text" as const, text: "Good." }], pace: { waitMs: 300 } };
const LIST = { parts: [{ type: "call" as const, name: "read", arguments: { path: "missing" } }] };

test.each([
  ["yes, by default", {}, [], ["started"]],
  ["no, with compaction.prepare off", { prepare: false }, [], []],
  ["no, with compaction.enabled off", { enabled: false }, [], []],
  ["no, with --no-auto-compact", {}, ["--no-auto-compact"], []],
  ["no, with compaction.ask on", { ask: true }, [], []],
])("PREP1 whether a print run prepares a summary in the background: %s", async (_, compaction, flags, expected) => {
  await fillSession(compaction);
  const states = await runAndListStates([...flags, "Go on."], [LIST, SLOW, SLOW, SLOW]);
  expect(states.slice(0, 1)).toEqual(expected);
});

test("PREP1 no summary is prepared before the first reply", async () => {
  await fillSession({});
  expect(await runAndListStates(["Go on."], [SLOW, SLOW])).toEqual([]);
});

/** Fills a session to more than 80% of the limit. */
async function fillSession(compaction: object): Promise<void> {
  writeFileSync(join(program.home, "settings.json"), JSON.stringify({ contextWindow: 10_600, compaction }));
  for (const more of [[], ["-c"]]) await program.runWithScript(["-p", ...more, STONES], [SLOW]);
}

async function runAndListStates(args: readonly string[], steps: readonly Step[]): Promise<readonly string[]> {
  const { out } = await program.runWithScript(["-p", "--mode", "json", "-c", ...args], steps);
  return out
    .split("\n")
    .filter((line) => line.includes('"compaction_preparation"'))
    .map((line) => (JSON.parse(line) as { readonly state: string }).state);
}
