/** Real writers, killed with -9 while they write. `pnpm crash --kills 2000` kills more of them. */

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { isLong } from "../../support/test-length.ts";
import { runKills } from "./kills.ts";

const program = join(import.meta.dirname, "kills.ts");

const KILLS = isLong ? 200 : 40;

test(`DISK1 D1 ${KILLS} kills lose no acknowledged entry`, async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const folder = mkdtempSync(join(tmpdir(), "pith-kills-"));
  const { faults, lost, kills: killed, acknowledged } = await runKills({ kills: KILLS, seed, folder });
  expect({ seed, killed, lost, faults }).toEqual({ seed, killed: KILLS, lost: 0, faults: [] });
  expect(acknowledged).toBeGreaterThan(5 * KILLS);
  // Kept where something went wrong.
  rmSync(folder, { recursive: true });
});

test.each([
  [["--kills", "many"], '--kills takes a whole number of at least 1, not "many"'],
  [["--kills", "0"], '--kills takes a whole number of at least 1, not "0"'],
  [["--seed=-1"], '--seed takes a whole number of at least 0, not "-1"'],
  [["--size", "8"], "Unknown option '--size'"],
])("D1 the long version rejects %j with a message", async (args, sentence) => {
  await expect(promisify(execFile)(process.execPath, [program, ...args])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining(sentence),
  });
});

test("D1 the long version kills the given number of writers and prints the result", async () => {
  const args = ["--kills", "2", "--seed", "7"];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], { timeout: 300_000 });
  expect(stdout.replaceAll(/\d+ (acknowledged|torn)/g, "N $1")).toBe(
    "2 kills, seed 7\n2 of 2: N acknowledged, N torn ends, 0 faults\n2 kills, N acknowledged, 0 lost\n",
  );
});
