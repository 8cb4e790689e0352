/** A session file that came from elsewhere, with an id that wants to be a path. */

import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

test("PATH1 originals for a session whose id is a path are stored inside Pith's home", async () => {
  const id = `../..${program.folder}/stolen`;
  const folder = join(program.home, "sessions/from-elsewhere");
  mkdirSync(folder, { recursive: true });
  const header = { type: "session", version: 3, id, timestamp: "2026-01-01T00:00:00.000Z", cwd: program.folder };
  writeFileSync(join(folder, "2026-01-01T00-00-00-000Z_foreign.jsonl"), `${JSON.stringify(header)}\n`);
  writeFileSync(join(program.folder, "notes.txt"), "old");
  const calls = [
    { parts: [{ type: "call", name: "read", arguments: { path: "notes.txt" } }] },
    { parts: [{ type: "call", name: "write", arguments: { path: "notes.txt", content: "new" } }] },
    "done",
  ] as const;
  expect(await program.runWithScript(["-p", "--session", "foreign", "hi"], calls)).toMatchObject({
    code: 0,
    out: "done\n",
  });
  expect(readdirSync(join(program.home, "restore"))).toEqual([expect.stringMatching(/^id-[0-9a-f]{32}$/)]);
  expect(existsSync(join(program.folder, "stolen"))).toBe(false);
});
