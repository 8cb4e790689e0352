/** Tests `pnpm eval played` without pi: the model's context after each compaction of the recorded session. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findLongestSentence, measureFront } from "../../evals/src/played/measure-front.ts";
import { readRecordedSummaries, readRecording, requestText } from "../../evals/src/played/recording.ts";
import { findHandles, removeCitations, translateDraft } from "../../evals/src/played/translate-draft.ts";

const ROWS = readRecording().segments.flat();

test("pnpm eval played keeps the front below its limits in all three compactions and loses no fact", () => {
  const out = mkdtempSync(join(tmpdir(), "pith-played-test-"));
  const run = join(import.meta.dirname, "../../evals/src/run.ts");
  const args = [run, "played", "--json", "--no-peers", "--out", out];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stderr).toContain("recorded drafts, compaction 3: ");
  expect(status).toBe(0);
  const figures = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  // The recorded drafts were written for an earlier prompt and repeat the user's messages; the others are for the current one.
  for (const { drafts, bounds } of [
    { drafts: "_recorded", bounds: { tokens: 2_100, ids: 0.09, repeats: 2, unique: 0.3 } },
    { drafts: "", bounds: { tokens: 1_650, ids: 0.07, repeats: 1, unique: 0.8 } },
    { drafts: "_same_prefix", bounds: { tokens: 1_650, ids: 0.07, repeats: 1, unique: 0.8 } },
  ]) {
    for (const place of ["_1", "_2", ""].map((each) => `${drafts}${each}`)) {
      expect(figures[`front_tokens${place}`]).toBeLessThanOrEqual(bounds.tokens);
      expect(figures[`ids_share${place}`]).toBeLessThanOrEqual(bounds.ids);
      expect(figures[`request_repeats${place}`]).toBeLessThanOrEqual(bounds.repeats);
      expect(figures[`unique_share${place}`]).toBeGreaterThanOrEqual(bounds.unique);
      expect(figures[`calls_per_compaction${place}`]).toBe(1);
    }
    expect(figures[`facts_kept${drafts}`]).toBe(1);
  }
  // The first draft cites the note on the working folder, which is not among the recorded entries.
  const untranslated = ["_1", "_2", ""].map((place) => figures[`citations_untranslated_recorded${place}`]);
  expect(untranslated).toEqual([1, 0, 0]);
  expect(figures).not.toHaveProperty("front_tokens_pi_recorded");
  const requests = JSON.parse(readFileSync(join(out, "recorded/requests.json"), "utf8"));
  expect(requests.map(({ kind }: { kind: string }) => kind)).toEqual(["compaction 1", "compaction 2", "compaction 3"]);
  expect(existsSync(join(out, "recorded/front-3.txt"))).toBe(true);
  rmSync(out, { recursive: true });
});

test("findHandles finds every block of a recorded request in the recorded entries, except the notes on the working folder", () => {
  const found = readRecordedSummaries().map(({ request }) => {
    const handles = [...findHandles(requestText(request), ROWS)];
    return [handles.length, handles[0], handles.at(-1)];
  });
  expect(found).toEqual([
    [36, ["e2", "4a63d88d3370144e837a"], ["e37", "20489f2987a5ddba0f4a-2-0-1"]],
    [38, ["e1", "20489f2987a5ddba0f4a-3-0"], ["e39", "588846debfe4de2bc4cf-1-0-1"]],
    [27, ["e1", "588846debfe4de2bc4cf-2-0"], ["e28", "40c2c45e8cc536ed0a08-3-0-2"]],
  ]);
});

test("translates citations to the handles of the live request, in either format", () => {
  const draft = "- tilda [e2]\n- both [e1, e3]\n- earlier (entry:a1, entry:a2)\n- [x] done [e4]";
  const written = new Map([
    ["e2", "b2"],
    ["e3", "b3"],
    ["e4", "b4"],
  ]);
  const parts = { written, shownBefore: new Set(["a1", "a2", "b4"]) };
  const position = { ...parts, live: new Map([["e1", "b2"]]) };
  expect(translateDraft(draft, position)).toEqual({
    text: "- tilda [e1]\n- both\n- earlier (entry:a1, entry:a2)\n- [x] done (entry:b4)",
    untranslated: ["e1", "e3"],
  });
  const live = new Map([
    ["#2", "a1"],
    ["#3", "a2"],
    ["#9", "b2"],
    ["#10", "b3"],
    ["#11", "b4"],
  ]);
  expect(translateDraft(draft, { ...parts, live })).toEqual({
    text: "- tilda [#9]\n- both [#10]\n- earlier [#2, #3]\n- [x] done [#11]",
    untranslated: ["e1"],
  });
  expect(removeCitations(draft)).toBe("- tilda\n- both\n- earlier\n- [x] done");
});

test("measures the ids, repetitions and facts of a front", () => {
  const request = "Never use npm dependencies. Sort the open todos by their due date, please.";
  const summary = "- Sort the open todos by due date [#2]\n- Measured: an insert takes about 2.5 ms (entry:a1-2)\n";
  const front = { text: `${request}\n${summary}`, summary, tail: "" };
  const measures = measureFront(front, { userTexts: [request], request });
  expect(findLongestSentence(request)).toBe("Sort the open todos by their due date, please");
  expect(measures).toMatchObject({ requestRepeats: 1 });
  expect(measures.idsShare).toBeGreaterThan(0.1);
  expect(measures.idsShare).toBeLessThan(0.3);
  expect(measures.uniqueShare).toBeGreaterThan(0.4);
  expect(measures.uniqueShare).toBeLessThan(0.8);
  expect(measures.factsKept).toBeCloseTo(2 / 30);
  expect(measures.factsLost).not.toContain("npm dependencies are never used");
});
