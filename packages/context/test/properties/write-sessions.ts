/** Random lives as session files, for those who want to try their own code on trees of every shape: `node write-sessions.ts FOLDER COUNT SEED`. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { commandSequences } from "./commands.ts";
import { runInMemory } from "./play.ts";

const [folder = ".", count = "100", seed = "1"] = process.argv.slice(2);
const sequences = fc.sample(commandSequences, { numRuns: Number(count), seed: Number(seed) });
for (const [at, each] of sequences.entries())
  writeFileSync(join(folder, `${at}.jsonl`), (await runInMemory(each)).bytes());
