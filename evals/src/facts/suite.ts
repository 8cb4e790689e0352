/** Runs `pnpm eval facts`: whether the facts that code records in a summary message are true after every compaction of a recorded session. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Figures, Suite, SuiteOptions } from "@pith/bench/suite";
import type { RecordingName } from "../played/recording.ts";
import { replayFacts, type ShownFacts } from "./replay.ts";

export const factsSuite: Suite = {
  name: "facts",
  description:
    "facts that code records in a summary message: how many are not in a list that was checked by hand, and their tokens",
  run: runFacts,
};

const RECORDINGS: readonly RecordingName[] = ["played", "played-rules"];

async function runFacts({ log }: SuiteOptions): Promise<Figures> {
  const expected = readExpectedFacts();
  const counts = { facts: 0, false_facts: 0, missing_facts: 0 };
  const tokens: Record<string, number> = {};
  for (const name of RECORDINGS) {
    const compactions = await replayFacts(name);
    for (const [index, shown] of compactions.entries()) {
      const { falseFacts, missingFacts } = compareFacts(shown, expected[name][index] ?? {});
      counts.facts += shown.facts.length;
      counts.false_facts += falseFacts.length;
      counts.missing_facts += missingFacts.length;
      log(`${name}, compaction ${index + 1}: ${shown.facts.length} facts, ${shown.tokens} tokens`);
      for (const fact of falseFacts) log(`  false: ${fact}`);
      for (const fact of missingFacts) log(`  missing: ${fact}`);
    }
    tokens[`tokens_${name.replace("-", "_")}`] = compactions.at(-1)?.tokens ?? 0;
  }
  return { ...counts, ...tokens };
}

/** The true facts after a compaction, each with the entries of the recording that prove it. */
export type ExpectedFacts = Readonly<Record<string, string>>;

/** Reads the facts that were checked by hand, for each compaction of each recording. */
export function readExpectedFacts(): Readonly<Record<RecordingName, readonly ExpectedFacts[]>> {
  return JSON.parse(readFileSync(join(import.meta.dirname, "expected.json"), "utf8"));
}

/** A fact that is shown but not in the list is false: it was never true, or is true no longer. */
export function compareFacts({ facts }: Pick<ShownFacts, "facts">, expected: ExpectedFacts) {
  const shown = new Set(facts);
  return {
    falseFacts: facts.filter((fact) => !Object.hasOwn(expected, fact)),
    missingFacts: Object.keys(expected).filter((fact) => !shown.has(fact)),
  };
}
