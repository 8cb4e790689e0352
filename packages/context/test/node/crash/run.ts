/** The long version of the kills: `pnpm crash --kills 2000 [--seed N]`. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runKills, type Tally } from "./kills.ts";

const usage = `pnpm crash [--kills N] [--seed N]

Kills writers of a session with -9 at random times, and looks each time whether all that was acknowledged is there.
Default: 2,000 kills, a random seed. Ends with 1 if anything was lost.

  --kills 200       what the tests do
  --seed 42         the same lives once more; the moments of the kills differ`;

const options = {
  kills: { type: "string", default: "2000" },
  seed: { type: "string" },
  help: { type: "boolean" },
} as const;

const { values } = readArguments();
if (values.help) console.log(usage);
else
  await killAll(
    whole("kills", values.kills, 1),
    whole("seed", values.seed ?? String(Math.floor(Math.random() * 2 ** 31)), 0),
  );

function readArguments() {
  try {
    return parseArgs({ options });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function whole(name: string, text: string, least: number): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isSafeInteger(number) || number < least)
    fail(`--${name} takes a whole number of at least ${least}, not "${text}"`);
  return number;
}

function fail(why: string): never {
  console.error(`crash: ${why}\n\n${usage}`);
  process.exit(2);
}

async function killAll(count: number, seed: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pith-kills-"));
  console.log(`${count} kills, seed ${seed}`);
  const tally = await runKills({ kills: count, seed, folder, progress: (so) => shown(so, count) });
  for (const fault of tally.faults) console.error(fault);
  if (tally.faults.length === 0) rmSync(folder, { recursive: true });
  console.log(`${tally.kills} kills, ${tally.acknowledged} acknowledged, ${tally.lost} lost`);
  process.exitCode = tally.faults.length === 0 ? 0 : 1;
}

function shown({ kills: done, acknowledged, torn, faults }: Tally, count: number): void {
  if (done % 50 !== 0 && done !== count) return;
  console.log(`${done} of ${count}: ${acknowledged} acknowledged, ${torn} torn ends, ${faults.length} faults`);
}
