/** What `pnpm compare` plays is the same each time, so that a difference is one of the programs. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { playConversation } from "../compare/play.ts";
import { writeTree } from "./plant.ts";

test("the same program prints the same bytes twice, through tools, a compaction, undo and redo", async () => {
  const program = join(import.meta.dirname, "../../packages/cli/src/bin.ts");
  const stage = { folder: join(writeTree({}), "stage"), sessions: [] };
  const first = await playConversation(program, stage);
  expect(await playConversation(program, stage)).toBe(first);
  const types = new Set(first.split("\n").map((line) => JSON.parse(line).type));
  for (const type of ["tool_execution_end", "compaction_end", "compaction_undone", "compaction_redone"])
    expect(types).toContain(type);
});

test("a commit that does not exist ends in one sentence", () => {
  const script = join(import.meta.dirname, "../compare.ts");
  const { status, stderr } = spawnSync(process.execPath, [script, "no-such-commit"], { encoding: "utf8" });
  expect(stderr).toBe('compare: there is no commit "no-such-commit" here; git log lists them\n');
  expect(status).toBe(2);
});
