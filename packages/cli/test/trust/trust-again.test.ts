/** The program in a folder that is trusted, changes, and is trusted for one call. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

test("TRU3 files of a folder are used once it is trusted, and not after a change; --trust applies to one run", async () => {
  place(".agents/skills/build/SKILL.md", skill("Builds the site"));
  expect(await program.run(["trust", "--yes"])).toMatchObject({
    code: 0,
    out: expect.stringContaining("is trusted in its current state"),
  });
  const trusted = await runPrompt(["-p", "hi"]);
  expect(trusted.notes).not.toContain("trust");
  expect(trusted.request).toContain("Builds the site");
  place(".agents/skills/build/SKILL.md", skill("Sends the site elsewhere"));
  const changed = await runPrompt(["-p", "hi"]);
  expect(changed.notes).toContain(".agents/skills/build/SKILL.md has changed since this folder was trusted");
  expect(changed.request).not.toMatch(/(?:Builds|Sends) the site/);
  const kept = readFileSync(join(program.home, "trust.json"), "utf8");
  const once = await runPrompt(["-p", "--trust", "hi"]);
  expect(once.request).toContain("Sends the site elsewhere");
  expect(readFileSync(join(program.home, "trust.json"), "utf8")).toBe(kept);
});

interface PromptResult {
  readonly notes: string;
  readonly request: string;
}

async function runPrompt(args: readonly string[]): Promise<PromptResult> {
  const { notes } = await program.runWithScript(args, ["done"]);
  return { notes, request: JSON.stringify(program.lastRequestBody()) };
}

function skill(description: string): string {
  return `---\nname: build\ndescription: ${description}\n---\nDo it.\n`;
}

function place(path: string, text: string): void {
  mkdirSync(dirname(join(program.folder, path)), { recursive: true });
  writeFileSync(join(program.folder, path), text);
}
