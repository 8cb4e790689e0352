/** How much a model thinks if nothing is set: medium in a new session, and what a session already has. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

test("SET16 a new session uses the thinking level medium, and a continued one keeps its level", async () => {
  await program.runWithScript(["-p", "hi"], ["done"]);
  expect(program.lastRequestBody()).toMatchObject({ output_config: { effort: "medium" } });
  await program.runWithScript(["-p", "-c", "--thinking", "low", "on"], ["done"]);
  expect(program.lastRequestBody()).toMatchObject({ output_config: { effort: "low" } });
  await program.runWithScript(["-p", "-c", "on"], ["done"]);
  expect(program.lastRequestBody()).toMatchObject({ output_config: { effort: "low" } });
});

test("SET16 a session with thinking off keeps it off", async () => {
  await program.runWithScript(["-p", "--thinking", "off", "hi"], ["done"]);
  await program.runWithScript(["-p", "-c", "on"], ["done"]);
  expect(program.lastRequestBody()).not.toHaveProperty("output_config");
});

test("SET16 for a model without thinking, no level is requested and none is reported", async () => {
  const { url } = await program.serve(["done"]);
  const variables = { OPENAI_API_KEY: "any", OPENAI_BASE_URL: url };
  const ended = await program.run(["-p", "--model", "openai/gpt-4.1", "hi"], { variables });
  expect(ended).toMatchObject({ code: 0, out: "done\n" });
  expect(program.lastRequestBody()).not.toHaveProperty("reasoning");
  expect(ended.notes).not.toMatch(/think/i);
  expect(program.readSession()).not.toContain("thinking_level_change");
});
