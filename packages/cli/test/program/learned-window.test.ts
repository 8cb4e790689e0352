/** A learned context window as the program uses it: from one process to the next, for a week. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

test("SEE9 a context limit that a refusal named is used in later processes, and tested again after a week", async () => {
  const refuse = { status: 400, message: "prompt is too long: 70000 tokens > 60000 maximum" };
  await program.runWithScript(["-p", "--model", "haiku", "hi"], [{ refuse }, { refuse }, { refuse }, { refuse }]);
  expect(await readWindow()).toBe(60_000);
  ageWindows(6);
  expect(await readWindow()).toBe(60_000);
  ageWindows(2);
  expect(await readWindow()).toBe(200_000);
});

test("SEE9 pith context uses a learned window and a configured one as the session does", async () => {
  const refuse = { status: 400, message: "prompt is too long: 70000 tokens > 60000 maximum" };
  await program.runWithScript(["-p", "--model", "haiku", "hi"], [{ refuse }, { refuse }, { refuse }, { refuse }]);
  const readReport = async (): Promise<{ readonly contextWindow: number }> => {
    const variables = { ANTHROPIC_BASE_URL: program.server.url };
    return JSON.parse((await program.run(["context", "last", "--json"], { variables })).out);
  };
  expect((await readReport()).contextWindow).toBe(60_000);
  ageWindows(8);
  expect((await readReport()).contextWindow).toBe(200_000);
  writeFileSync(join(program.home, "settings.json"), JSON.stringify({ contextWindow: 300_000 }));
  expect((await readReport()).contextWindow).toBe(300_000);
});

/** The window that a new process uses. */
async function readWindow(): Promise<unknown> {
  const { out } = await program.run(["--mode", "rpc", "--no-session", "--model", "haiku"], {
    variables: { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: program.server.url },
    input: `${JSON.stringify({ type: "get_state" })}\n`,
  });
  const states = out.split("\n").flatMap((line) => (line.includes('"get_state"') ? [JSON.parse(line)] : []));
  return states[0].data.model.contextWindow;
}

/** Moves the time of every learned window back by some days. */
function ageWindows(days: number): void {
  const path = join(program.home, "windows.json");
  const windows = JSON.parse(readFileSync(path, "utf8")) as Record<string, { at: number }>;
  for (const learned of Object.values(windows)) learned.at -= days * 24 * 3_600_000;
  writeFileSync(path, JSON.stringify(windows));
}
