/** The meter's figures, and that nobody else has others. */

import { budgetFor, compactionLimits, extended, windowOf } from "@pith/context";
import { story } from "@pith/context/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { contextReport } from "../../../src/commands/fitting/context-report.ts";
import { meterOf } from "../../../src/screen/state/meter-of.ts";
import { deskOf } from "../../commands/desks.ts";

const line = fc.oneof(
  ...["user: do this", "says: done", "note: by the way", "bash: ls -> a.ts"].map((each) => fc.constant(each)),
  fc.constant("thinks: hm"),
  fc.nat(60).map((count) => `user: ${"more words ".repeat(count + 1)}`),
  fc.nat(60).map((count) => `says: ${"an answer, and ".repeat(count + 1)}`),
);

test("MET2 its parts add up to its tokens, and are those of /context, on any branch", () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 30 }), fc.nat(), fc.nat(4_000), (lines, cut, fixed) => {
      const told = [
        "system: You work.",
        "user: go",
        ...lines.filter((each, at) => !each.startsWith("thinks") || lines[at + 1]?.startsWith("says")),
      ];
      const entries = story(...told);
      const kept = entries[1 + (cut % (entries.length - 1))]?.id;
      const branch =
        cut % 2 === 0 ? told : [...told, `compacts: what was done, keeps ${kept}`, "user: on", "says: yes"];
      const window = windowOf(story(...branch));
      const budget = budgetFor(compactionLimits, { contextWindow: 50_000, fixed });
      const meter = meterOf(window, budget);
      const report = contextReport(window, budget);
      const of = (place: string): number =>
        report.parts.filter((part) => part.place === place).reduce((sum, { tokens }) => sum + tokens, 0);
      const { system, pins, words, checkpoint, tail, fresh } = meter.parts;
      expect(system + pins + words + checkpoint + tail + fresh).toBe(meter.tokens);
      expect([meter.tokens, meter.limit, meter.soft, meter.held]).toEqual([
        report.tokens,
        report.limit,
        report.soft,
        report.held,
      ]);
      expect([system, pins + words + checkpoint, tail + fresh]).toEqual([of("system"), of("front"), of("tail")]);
    }),
  );
});

test("MET2 they are the agent's own figures", async () => {
  const { agent } = await deskOf(["user: go", "says: gone", "user: again"]);
  const { tokens, contextWindow } = agent.contextUsage();
  expect(meterOf(agent.session.window, agent.budget)).toMatchObject({ tokens, contextWindow });
});

test("MET2 kept on from look to look they are what they are when counted anew", () => {
  const budget = budgetFor(compactionLimits, { contextWindow: 50_000 });
  const entries = story(
    "user: go",
    "says: one",
    "user: two",
    "says: three",
    "compacts: told, keeps e3",
    "user: four",
    "says: five",
  );
  let window = windowOf(entries.slice(0, 1));
  for (const entry of entries.slice(1)) {
    window = extended(window, [entry]);
    const anew = windowOf(structuredClone(entries.slice(0, entries.indexOf(entry) + 1)));
    expect(meterOf(window, budget)).toEqual(meterOf(anew, budget));
  }
});

test("MET5 a look at ten thousand messages costs a fraction of the first when little has come", () => {
  const lines = Array.from({ length: 5_000 }, (_, at) => [`user: number ${at}`, `says: it is ${at}`]).flat();
  let window = windowOf(story(...lines));
  const budget = budgetFor(compactionLimits, { contextWindow: 400_000 });
  const took = (act: () => unknown): number => {
    const begun = performance.now();
    act();
    return performance.now() - begun;
  };
  const whole = took(() => meterOf(window, budget));
  const later = story(...Array.from({ length: 50 }, () => "user: more")).map((entry, at) => {
    window = extended(window, [{ ...entry, id: `m${at}`, parentId: at === 0 ? "e10000" : `m${at - 1}` }]);
    return took(() => meterOf(window, budget));
  });
  // Of many the middle, since others use this machine as well.
  expect(later.toSorted((one, other) => one - other)[25] ?? whole).toBeLessThan(whole / 3);
});
