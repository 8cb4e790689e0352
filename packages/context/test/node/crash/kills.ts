/** Kills writers with -9 at random times, one after the other on the same file, and checks each time whether everything acknowledged is there: `pnpm crash --kills 2000 [--seed N]`. */

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { startedChild } from "./child.ts";
import {
  type EntryPlace,
  emptyContents,
  type FileContents,
  findFaults,
  findLost,
  readContents,
} from "./file-contents.ts";
import { parseReport } from "./report.ts";

export interface KillPlan {
  readonly kills: number;
  readonly seed: number;
  /** An empty folder; what goes wrong can be looked at there. */
  readonly folder: string;
  readonly progress?: (tally: Tally) => void;
}

export interface Tally {
  readonly kills: number;
  readonly acknowledged: number;
  readonly lost: number;
  /** How often a kill left half a line or half a batch. */
  readonly torn: number;
  readonly faults: readonly string[];
}

/** Two files at a time. */
export async function runKills({ kills: count, seed, folder, progress }: KillPlan): Promise<Tally> {
  const files = filesFor(count);
  let tally: Tally = { kills: 0, acknowledged: 0, lost: 0, torn: 0, faults: [] };
  const lane = async (): Promise<void> => {
    for (let next = files.pop(); next; next = files.pop()) {
      const number = files.length;
      const file = { ...next, path: join(folder, `${number}.jsonl`), chance: createSeededRandom(seed + number) };
      for await (const result of runWriters(file)) {
        tally = sum(tally, result);
        progress?.(tally);
      }
    }
  };
  await Promise.all([lane(), lane()]);
  return tally;
}

interface KilledFile {
  readonly bytes: number;
  readonly writers: number;
}

interface KillTarget extends KilledFile {
  readonly path: string;
  readonly chance: () => number;
}

/** Of 40 writers one writes entries of 8 MB, five of 200 KB, the others of 200 bytes; the long ones come first. */
function filesFor(count: number): KilledFile[] {
  const [huge, large] = [Math.round(count / 40), Math.round(count / 8)];
  return [...filesOf(count - huge - large, 200, 5), ...filesOf(large, 200_000, 4), ...filesOf(huge, 8_000_000, 2)];
}

function filesOf(count: number, bytes: number, most: number): readonly KilledFile[] {
  return Array.from({ length: Math.ceil(count / most) }, (_, at) => ({
    bytes,
    writers: Math.min(most, count - at * most),
  }));
}

async function* runWriters(file: KillTarget): AsyncGenerator<Tally> {
  let before: FileContents = emptyContents;
  let torn: Buffer = Buffer.alloc(0);
  for (let index = 0; index < file.writers; index++) {
    const { acknowledged, wrong } = await runWriter(file);
    const { found, faults } = await checkFile(file, [...before.entries, ...acknowledged]);
    if (found.entries.length > before.entries.length) faults.push(...wrongAside(file.path, torn));
    torn = found.damage.length > 0 ? tornOff(file.path, found.end) : Buffer.alloc(0);
    yield {
      kills: 1,
      acknowledged: acknowledged.length,
      lost: findLost(found, [...before.entries, ...acknowledged]).length,
      torn: found.damage.length > 0 ? 1 : 0,
      faults: [...wrong, ...faults].map((fault) => `${file.path}, writer ${index + 1}: ${fault}`),
    };
    before = found;
  }
}

async function runWriter({
  path,
  bytes,
  chance,
}: KillTarget): Promise<{ acknowledged: readonly EntryPlace[]; wrong: readonly string[] }> {
  const durability = chance() < 0.5 ? "durable" : "fast";
  const seed = String(Math.floor(chance() * 2 ** 31));
  const child = startedChild("write", [path, String(bytes), durability, seed]);
  // One in ten dies while it opens, creates or mends the file; the others while they append.
  const atBirth = chance() < 0.1;
  const delay = atBirth ? chance() * 250 : 1 + chance() * (bytes > 1_000_000 ? 250 : 50);
  if (!atBirth) await child.firstWord;
  await child.killed(delay);
  const { output: text, signal, errors } = await child.end;
  return {
    acknowledged: parseReport(text),
    wrong: signal === "SIGKILL" ? [] : [`the writer ended by itself: ${errors}`],
  };
}

/** One in ten by a process of its own. */
async function checkFile({ path, chance }: KillTarget, known: readonly EntryPlace[]) {
  if (!existsSync(path)) return { found: emptyContents, faults: known.length > 0 ? ["the file is gone"] : [] };
  try {
    const found = chance() < 0.1 ? await readElsewhere(path) : await readContents(path);
    return { found, faults: [...findFaults(found, known, [0, 1, 2, 3, 4])] };
  } catch (error) {
    return { found: { ...emptyContents, entries: known }, faults: [`it cannot be read: ${String(error)}`] };
  }
}

async function readElsewhere(path: string): Promise<FileContents> {
  const { output: text, errors, code } = await startedChild("read", [path]).end;
  if (code !== 0) throw new Error(errors);
  return JSON.parse(text);
}

function tornOff(path: string, end: number): Buffer {
  const rest = readFileSync(path).subarray(end);
  // The line end before it belongs to the last whole line.
  return rest[0] === 0x0a ? rest.subarray(1) : rest;
}

// D3: what was torn is set aside before anything is appended behind it.
function wrongAside(path: string, torn: Buffer): readonly string[] {
  const aside = `${path}.damaged`;
  if (torn.length === 0) return [];
  if (existsSync(aside) && statSync(aside).size >= torn.length && readFileSync(aside).includes(torn)) return [];
  return [`${torn.length} torn bytes are not in ${aside}`];
}

function sum(one: Tally, other: Tally): Tally {
  return {
    kills: one.kills + other.kills,
    acknowledged: one.acknowledged + other.acknowledged,
    lost: one.lost + other.lost,
    torn: one.torn + other.torn,
    faults: [...one.faults, ...other.faults],
  };
}

const usage = `pnpm crash [--kills N] [--seed N]

Kills writers of a session with -9 at random times, and looks each time whether all that was acknowledged is there.
Default: 2,000 kills, a random seed. Ends with 1 if anything was lost.

  --kills 200       what the tests do
  --seed 42         the same writers once more; the moments of the kills differ`;

const options = {
  kills: { type: "string", default: "2000" },
  seed: { type: "string" },
  help: { type: "boolean" },
} as const;

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

if (import.meta.main) {
  const { values } = readArguments();
  if (values.help) console.log(usage);
  else
    await killAll(
      whole("kills", values.kills, 1),
      whole("seed", values.seed ?? String(Math.floor(Math.random() * 2 ** 31)), 0),
    );
}
