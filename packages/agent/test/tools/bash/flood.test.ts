/** Output without end: memory stays where it was. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const program = join(import.meta.dirname, "flood.ts");
const run = promisify(execFile);

interface Flood {
  readonly grownMb: number;
  readonly length: number;
  readonly details: unknown;
}

async function flood(command: string): Promise<Flood> {
  const { stdout } = await run(process.execPath, [program, command]);
  return JSON.parse(stdout);
}

test.each([
  ["one line of 300 MB", "head -c 300000000 /dev/zero | tr '\\0' x", 300_000_000],
  ["100 million lines", "yes | head -c 200000000", 200_000_000],
  ["a storm of progress", "yes $'50 %\\r' | tr -d '\\n' | head -c 50000000", 50_000_000],
  ["colours without end", "yes $'\\e[31mred\\e[0m' | head -c 50000000", 50_000_000],
  ["nothing readable", "head -c 200000000 /dev/zero", 200_000_000],
])("BASH14 %s makes memory grow by 64 MB at most", async (_, command, bytes) => {
  const { grownMb, length, details } = await flood(command);
  expect(details).toMatchObject({ exitCode: 0, bytes });
  expect(length).toBeLessThan(54_000);
  expect(grownMb).toBeLessThan(64);
});
