/** Tests context-window/learn-window.ts: truncation message, learning, expiry. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  carryToNextSession,
  formatTruncation,
  type LearnedWindow,
  type LearnResult,
  learnWindow,
} from "../../src/context-window/learn-window.ts";

describe("truncation notice", () => {
  test("SEE6 names the counts and what to change", () => {
    const cut = { estimate: 60_000.4, reported: 4_096, window: 4_096, endpointLabel: "http://127.0.0.1:11434/v1" };
    expect(formatTruncation(cut)).toBe(
      "http://127.0.0.1:11434/v1 counted 4,096 of about 60,000 tokens: it seems to silently drop what does not fit. " +
        "Its context window is now assumed to be 4,096 tokens. To keep more, configure a larger context window on the server " +
        "(Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx; llama.cpp: -c; LM Studio: context length).",
    );
  });
});

describe("learn from errors", () => {
  const reply = (estimate: number, reported: number | null, served?: number) =>
    ({ type: "reply", estimate, reported, served }) as const;

  function after(...observations: readonly Parameters<typeof learnWindow>[1][]): LearnResult {
    return observations.reduce<LearnResult>(({ learned }, each) => learnWindow(learned, each), {
      learned: { ratio: 1 },
      verdict: "unknown",
    });
  }

  describe("a server that truncates requests", () => {
    test("SEE6 has a window of 4,096 if it counts 60,000 tokens as 4,096", () => {
      const { learned, verdict } = after(reply(60_000, 4_096));
      expect(verdict).toBe("truncated");
      expect(learned).toMatchObject({ window: 4_096, from: "truncation" });
    });

    test("SEE6 is detected at the first request truncated to less than 60%, at once or step by step", () => {
      const script = fc.record({
        window: fc.integer({ min: 4_096, max: 32_768 }),
        counts: fc.double({ min: 0.7, max: 1, noNaN: true }),
        growth: fc.double({ min: 1.01, max: 4, noNaN: true }),
      });
      fc.assert(
        fc.property(script, ({ window, counts, growth }) => {
          let learnt: LearnedWindow | undefined;
          for (let estimate = 1_000; ; estimate = Math.ceil(estimate * growth)) {
            const holds = Math.round(estimate * counts);
            const lesson = learnWindow(learnt, reply(estimate, Math.min(holds, window)));
            if (lesson.verdict === "truncated") {
              expect(lesson.learned.window).toBe(window);
              return;
            }
            expect(window).toBeGreaterThanOrEqual(0.6 * holds - 1);
            learnt = lesson.learned;
          }
        }),
      );
    });

    test("SEE6 keeps its learned window while smaller requests are counted completely", () => {
      const { learned, verdict } = after(
        reply(60_000, 4_096),
        reply(3_000, 2_900),
        reply(3_900, 3_950),
        reply(2_000, 1_900),
      );
      expect(verdict).toBe("complete");
      expect(learned.window).toBe(4_096);
    });

    test("SEE6 that drops whole messages has the largest count as its window", () => {
      expect(after(reply(60_000, 3_100), reply(50_000, 3_900), reply(50_000, 3_500)).learned.window).toBe(3_900);
    });

    test("SEE6 that counts more tokens than we do keeps its window after another truncation", () => {
      const counted = (estimate: number) => reply(estimate, Math.min(8_192, Math.round(estimate * 1.6)));
      const before = [2_600, 3_400, 4_200, 5_000, 9_000, 2_867].map(counted);
      const { learned, verdict } = after(...before, counted(7_667));
      expect(verdict).not.toBe("withdrawn");
      expect(learned.window).toBe(8_192);
      expect(learned.ratio).toBeGreaterThan(1.5);
      expect(learnWindow(learned, counted(10_000)).verdict).toBe("truncated");
      expect(learnWindow(learned, counted(12_467)).verdict).toBe("truncated");
    });

    test("SEE6 is never withdrawn because of a truncated request", () => {
      const script = fc.record({
        window: fc.integer({ min: 4_096, max: 32_768 }),
        counts: fc.double({ min: 1, max: 1.6, noNaN: true }),
        sizes: fc.array(fc.double({ min: 0.5, max: 1.5, noNaN: true }), { minLength: 3, maxLength: 20 }),
      });
      fc.assert(
        fc.property(script, ({ window, counts, sizes }) => {
          let learnt: LearnedWindow | undefined;
          const whole = [0.6, 0.7, 0.8, 0.9].map((share) => share / counts);
          for (const size of [...whole, ...sizes]) {
            const estimate = Math.round(window * size);
            const holds = Math.round(estimate * counts);
            const lesson = learnWindow(learnt, reply(estimate, Math.min(holds, window)));
            if (lesson.verdict === "withdrawn") expect(holds).toBeLessThanOrEqual(window);
            learnt = lesson.learned;
          }
        }),
        { numRuns: 1_000 },
      );
    });

    test("SEE6 is detected if more was sent than it serves, even if the count fits", () => {
      const { learned, verdict } = after(reply(6_000, 4_096, 4_096));
      expect(verdict).toBe("truncated");
      expect(learned.window).toBeUndefined();
      expect(after(reply(4_200, 4_000, 4_096)).verdict).toBe("complete");
    });
  });

  describe("a single truncation", () => {
    const once = after(reply(60_000, 8_192)).learned;

    test("SEE11 sets the window for its session, and not for the next", () => {
      expect(once.window).toBe(8_192);
      expect(carryToNextSession(once)).toEqual({ ratio: 1, cut: { estimate: 60_000, reported: 8_192 }, cuts: 1 });
    });

    test("SEE11 is carried over once it happens again in a later session", () => {
      const twice = learnWindow(carryToNextSession(once), reply(40_000, 8_100));
      expect(twice).toMatchObject({ verdict: "truncated", learned: { window: 8_100, cuts: 2 } });
      expect(carryToNextSession(twice.learned)).toEqual(twice.learned);
    });

    test("SEE11 is forgotten when the server reads more in a later session", () => {
      const { learned } = learnWindow(carryToNextSession(once), reply(60_000, 55_000));
      expect(learned).toEqual({ ratio: 1, most: 55_000 });
    });

    test("SEE11 is not carried over, but a limit named by the server is", () => {
      const { learned } = after({ type: "overflow", limit: 16_384 });
      expect(carryToNextSession(learned)).toEqual(learned);
    });
  });

  describe("a different tokenizer", () => {
    test("SEE7 that counts 0.4 tokens for one of ours withdraws the truncation at the next request", () => {
      const suspected = after(reply(10_000, 4_000));
      expect(suspected.verdict).toBe("truncated");
      const forgiven = learnWindow(suspected.learned, reply(3_000, 1_200));
      expect(forgiven).toEqual({ learned: { ratio: 0.4, most: 4_000 }, verdict: "withdrawn" });
      expect(learnWindow(forgiven.learned, reply(50_000, 20_000)).verdict).toBe("complete");
    });

    test("SEE7 that counts 0.4 to 1.6 times our tokens costs at most one round", () => {
      const noisy = fc.double({ min: 0.95, max: 1.05, noNaN: true });
      const request = fc.record({ size: fc.double({ min: 0.01, max: 0.9, noNaN: true }), noise: noisy });
      const script = fc.record({
        counts: fc.double({ min: 0.4, max: 1.6, noNaN: true }),
        requests: fc.array(request, { minLength: 2, maxLength: 60 }),
      });
      fc.assert(
        fc.property(script, ({ counts, requests }) => {
          let learnt: LearnedWindow | undefined;
          let rounds = 0;
          for (const { size, noise } of requests) {
            const estimate = Math.ceil(size * (learnt?.window ?? 128_000));
            const lesson = learnWindow(learnt, reply(estimate, Math.round(estimate * counts * noise)));
            if (lesson.verdict === "truncated") rounds++;
            learnt = lesson.learned;
          }
          expect(rounds).toBeLessThanOrEqual(1);
        }),
      );
    });

    test("SEE7 does not hide a real truncation", () => {
      const { learned, verdict } = after(reply(60_000, 4_096), reply(3_000, 1_200));
      expect(verdict).toBe("complete");
      expect(learned.window).toBe(4_096);
    });
  });

  describe("invalid counts", () => {
    test("SEE8 zero and missing usage teach nothing", () => {
      for (const reported of [0, null, Number.NaN, -5]) {
        expect(after(reply(60_000, reported))).toEqual({ learned: { ratio: 1 }, verdict: "unknown" });
      }
    });

    test("SEE8 a count of uncached tokens teaches nothing", () => {
      const { learned } = after(reply(20_000, 20_000));
      expect(learnWindow(learned, reply(21_000, 1_500))).toEqual({ learned, verdict: "unknown" });
      expect(after(reply(20_000, 300)).verdict).toBe("unknown");
    });

    test("SEE8 never give a window that was neither counted nor named", () => {
      const figure = fc.oneof(fc.integer({ min: -10, max: 300_000 }), fc.double());
      const observation = fc.oneof(
        fc.record({ type: fc.constant("reply" as const), estimate: figure, reported: fc.option(figure) }),
        fc.record({ type: fc.constant("overflow" as const), limit: fc.option(figure, { nil: undefined }) }),
      );
      fc.assert(
        fc.property(fc.array(observation, { maxLength: 30 }), (all) => {
          const { learned } = after(...all);
          expect(learned.ratio).toBeGreaterThan(0);
          expect(learned.window ?? 1_024).toBeGreaterThanOrEqual(1_024);
        }),
      );
    });
  });

  describe("a limit named in a refusal", () => {
    test("SEE9 sets the window, and a refusal without one does not", () => {
      expect(after({ type: "overflow", limit: 16_384 }).learned).toEqual({
        ratio: 1,
        window: 16_384,
        from: "overflow",
      });
      expect(after({ type: "overflow" }).learned).toEqual({ ratio: 1 });
      expect(after({ type: "overflow", limit: 12 }).learned).toEqual({ ratio: 1 });
    });

    test("SEE9 is forgotten when the server reads more than that", () => {
      expect(after({ type: "overflow", limit: 16_384 }, reply(20_000, 20_000)).learned.window).toBeUndefined();
    });

    test("SEE9 is forgotten when the served window changes, and so is a truncation", () => {
      const cut = after(reply(60_000, 4_096, 4_096));
      expect(cut.learned.window).toBe(4_096);
      const { learned } = learnWindow(cut.learned, reply(30_000, 30_000, 65_536));
      expect(learned.window).toBeUndefined();
      expect(learned.served).toBe(65_536);
    });
  });
});

describe("learned windows", () => {
  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;
  const start = 1_800_000_000_000;
  const known = 1_048_576;

  /** A refusal that names a limit, so many milliseconds after the start. */
  function refusal(limit: number, after: number) {
    return { type: "overflow", limit, catalogueWindow: known, now: start + after } as const;
  }

  function nextSession(learnt: LearnedWindow, after: number): LearnedWindow {
    return carryToNextSession(learnt, { catalogueWindow: known, now: start + after });
  }

  describe("a limit far below the catalogue's figure", () => {
    const once = learnWindow(undefined, refusal(4_000, 0)).learned;

    test("SEE9 is used in its session, and not in the next", () => {
      expect(once).toEqual({ ratio: 1, window: 4_000, from: "overflow", at: start });
      expect(nextSession(once, 1)).toEqual({ ratio: 1, doubted: 4_000, at: start });
    });

    test("SEE9 is used for an hour of a long session", () => {
      const reply = { type: "reply", estimate: 1_000, reported: 1_000, catalogueWindow: known } as const;
      expect(learnWindow(once, { ...reply, now: start + HOUR - 1 }).learned.window).toBe(4_000);
      expect(learnWindow(once, { ...reply, now: start + HOUR }).learned.window).toBeUndefined();
    });

    test("SEE9 is used in later sessions after a refusal at least an hour later names it again", () => {
      const echo = learnWindow(nextSession(once, 1), refusal(4_000, 60_000)).learned;
      expect(echo).toEqual(once);
      expect(nextSession(echo, 60_001).window).toBeUndefined();
      const witness = learnWindow(nextSession(once, 1), refusal(4_000, HOUR)).learned;
      expect(witness).toMatchObject({ window: 4_000, named: 2, at: start + HOUR });
      expect(nextSession(witness, DAY)).toEqual(witness);
    });

    test("SEE9 is not confirmed by refusals within the hour", () => {
      const { learned } = learnWindow(learnWindow(once, refusal(4_000, 1_000)).learned, refusal(4_000, 2_000));
      expect(learned).toEqual(once);
    });

    test("SEE9 is forgotten when the server reads more", () => {
      const more = {
        type: "reply",
        estimate: 30_000,
        reported: 30_000,
        catalogueWindow: known,
        now: start + DAY,
      } as const;
      expect(learnWindow(nextSession(once, DAY), more).learned).toEqual({ ratio: 1, most: 30_000 });
    });

    test("SEE9 does not confirm another limit", () => {
      expect(learnWindow(nextSession(once, DAY), refusal(200_000, DAY)).learned.named).toBeUndefined();
    });
  });

  describe("a learned window", () => {
    const limit = learnWindow(undefined, refusal(400_000, 0)).learned;

    test("SEE9 is used for a week, then tried again", () => {
      expect(nextSession(limit, 7 * DAY - 1)).toEqual(limit);
      expect(nextSession(limit, 7 * DAY).window).toBeUndefined();
      const again = learnWindow(nextSession(limit, 8 * DAY), refusal(400_000, 8 * DAY)).learned;
      expect(nextSession(again, 9 * DAY).window).toBe(400_000);
    });

    test("SEE9 with a learning time in the future is tried again at once", () => {
      expect(nextSession(limit, -8 * DAY).window).toBeUndefined();
    });

    test("SEE9 also expires within a long process", () => {
      const reply = {
        type: "reply",
        estimate: 1_000,
        reported: 1_000,
        catalogueWindow: known,
        now: start + 8 * DAY,
      } as const;
      expect(learnWindow(limit, reply).learned.window).toBeUndefined();
    });

    test("SEE11 from truncations is tried again after a week, and restored by one more truncation", () => {
      const cut = { type: "reply", estimate: 60_000, reported: 8_192, now: start } as const;
      const twice = learnWindow(learnWindow(undefined, cut).learned, cut).learned;
      expect(twice).toMatchObject({ window: 8_192, cuts: 2, at: start });
      const later = nextSession(twice, 8 * DAY);
      expect(later.window).toBeUndefined();
      const again = learnWindow(later, { ...cut, now: start + 8 * DAY }).learned;
      expect(nextSession(again, 9 * DAY).window).toBe(8_192);
    });

    test("SEE9 without a time and a catalogue figure does not expire", () => {
      expect(carryToNextSession(learnWindow(undefined, { type: "overflow", limit: 4_000 }).learned).window).toBe(4_000);
    });
  });
});
