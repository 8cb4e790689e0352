/** The program with a session of months ago: outdated tool results are removed before its first request, unless a setting says otherwise. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeOldSession } from "../../support/sample-sessions.ts";
import { TestProgram } from "../../support/test-program.ts";

let program: TestProgram;
beforeEach(() => {
  program = new TestProgram();
});
afterEach(() => program.remove());

const configure = (compaction: object): void =>
  writeFileSync(join(program.home, "settings.json"), JSON.stringify({ contextWindow: 10_000, compaction }));
const sentOnce = (): number => JSON.stringify(program.lastRequestBody()).split("line399").length - 1;

test("ELI4 ELI8 ELI9 print mode removes outdated results of an old session and reports it, and /undo restores them", async () => {
  configure({ removeOutdated: true });
  const session = writeOldSession(program);
  const { notes } = await program.runWithScript(["-p", "--session", session, "Go on."], ["Done."]);
  expect(notes).toMatch(/· removed 1 outdated tool result from the context: −\S+ tokens; \/undo brings it back/);
  expect(sentOnce()).toBe(1);
  expect(JSON.stringify(program.lastRequestBody())).toContain(
    "[Removed to save space: the text of a.txt that was shown here.",
  );

  const report = await program.runWithScript(["-p", "--session", session, "/context"], []);
  expect(report.out).toContain("Not counted: 1 outdated tool result, removed from the context.");
  const undo = await program.runWithScript(["-p", "--session", session, "/undo"], []);
  expect(undo.out).toContain("The removed tool results are back in the context.");
  const redo = await program.runWithScript(["-p", "--session", session, "/redo"], []);
  expect(redo.out).toContain("The outdated tool results have been removed again.");
  await program.runWithScript(["-p", "--session", session, "/undo"], []);
  await program.runWithScript(["-p", "--session", session, "Go on again."], ["Done."]);
  expect(sentOnce()).toBe(2);
});

test("ELI5 removeOutdated: false and --no-auto-compact keep outdated results", async () => {
  configure({ removeOutdated: false });
  const session = writeOldSession(program);
  await program.runWithScript(["-p", "--session", session, "Go on."], ["Done."]);
  expect(sentOnce()).toBe(2);
  configure({ removeOutdated: true });
  await program.runWithScript(["-p", "--no-auto-compact", "--session", writeOldSession(program), "Go on."], ["Done."]);
  expect(sentOnce()).toBe(2);
});
