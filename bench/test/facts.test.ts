/** Tests `pnpm eval facts`: the recorded facts of both recorded sessions are those of the list that was checked by hand. */

import { describe, expect, test } from "vitest";
import { replayFacts, type ShownFacts } from "../../evals/src/facts/replay.ts";
import { compareFacts, readExpectedFacts } from "../../evals/src/facts/suite.ts";
import type { RecordingName } from "../../evals/src/played/recording.ts";

/** The maximum tokens after the last compaction. */
const MAX_TOKENS: Readonly<Record<RecordingName, number>> = { played: 120, "played-rules": 350 };

describe.each(["played", "played-rules"] as const)("the recorded session %s", (name) => {
  let compactions: readonly ShownFacts[] = [];

  test("LED11 after every compaction the shown facts are exactly those of the expected list", async () => {
    compactions = await replayFacts(name);
    const expected = readExpectedFacts()[name];
    expect(compactions).toHaveLength(expected.length);
    const differences = compactions.map((shown, index) => compareFacts(shown, expected[index] ?? {}));
    expect(differences).toEqual(expected.map(() => ({ falseFacts: [], missingFacts: [] })));
  });

  test("LED3 the facts after the last compaction stay within their token limit", () => {
    expect(compactions.at(-1)?.tokens).toBeLessThanOrEqual(MAX_TOKENS[name]);
  });
});

test("a fact that is not in the list is false, and one that is not shown is missing", () => {
  const shown = { facts: ["Open errors: git init → fatal", "read-files: a"] };
  expect(compareFacts(shown, { "read-files: a": "#1 read", "read-files: b": "#2 read" })).toEqual({
    falseFacts: ["Open errors: git init → fatal"],
    missingFacts: ["read-files: b"],
  });
});
