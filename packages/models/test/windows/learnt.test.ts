/** How long a learnt window is believed: a mistake has a way back, a limit that holds is found again. */

import { describe, expect, test } from "vitest";
import { learn } from "../../src/windows/learn.ts";
import { carriedOver, type Learnt } from "../../src/windows/learnt.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const start = 1_800_000_000_000;
const known = 1_048_576;

/** A refusal that names a limit, so many milliseconds after the start. */
function refusal(limit: number, after: number) {
  return { type: "overflow", limit, known, now: start + after } as const;
}

function nextSession(learnt: Learnt, after: number): Learnt {
  return carriedOver(learnt, { known, now: start + after });
}

describe("a limit far below what the model is known for", () => {
  const once = learn(undefined, refusal(4_000, 0)).learnt;

  test("SEE9 counts in the session that met it, and not in the next", () => {
    expect(once).toEqual({ ratio: 1, window: 4_000, from: "overflow", at: start });
    expect(nextSession(once, 1)).toEqual({ ratio: 1, doubted: 4_000, at: start });
  });

  test("SEE9 counts for an hour of a long session", () => {
    const reply = { type: "reply", estimate: 1_000, reported: 1_000, known } as const;
    expect(learn(once, { ...reply, now: start + HOUR - 1 }).learnt.window).toBe(4_000);
    expect(learn(once, { ...reply, now: start + HOUR }).learnt.window).toBeUndefined();
  });

  test("SEE9 outlives its session when a refusal at least an hour later names it again", () => {
    const echo = learn(nextSession(once, 1), refusal(4_000, 60_000)).learnt;
    expect(echo).toEqual(once);
    expect(nextSession(echo, 60_001).window).toBeUndefined();
    const witness = learn(nextSession(once, 1), refusal(4_000, HOUR)).learnt;
    expect(witness).toMatchObject({ window: 4_000, named: 2, at: start + HOUR });
    expect(nextSession(witness, DAY)).toEqual(witness);
  });

  test("SEE9 that is refused again and again within the hour has one witness", () => {
    const { learnt } = learn(learn(once, refusal(4_000, 1_000)).learnt, refusal(4_000, 2_000));
    expect(learnt).toEqual(once);
  });

  test("SEE9 is forgotten when the server reads more", () => {
    const more = { type: "reply", estimate: 30_000, reported: 30_000, known, now: start + DAY } as const;
    expect(learn(nextSession(once, DAY), more).learnt).toEqual({ ratio: 1, most: 30_000 });
  });

  test("SEE9 has another one named beside it start from nothing", () => {
    expect(learn(nextSession(once, DAY), refusal(200_000, DAY)).learnt.named).toBeUndefined();
  });
});

describe("a window that was learnt", () => {
  const limit = learn(undefined, refusal(400_000, 0)).learnt;

  test("SEE9 is believed for a week of sessions, then tried again", () => {
    expect(nextSession(limit, 7 * DAY - 1)).toEqual(limit);
    expect(nextSession(limit, 7 * DAY).window).toBeUndefined();
    const again = learn(nextSession(limit, 8 * DAY), refusal(400_000, 8 * DAY)).learnt;
    expect(nextSession(again, 9 * DAY).window).toBe(400_000);
  });

  test("SEE9 from a future that a wrong clock made is tried again, too", () => {
    expect(nextSession(limit, -8 * DAY).window).toBeUndefined();
  });

  test("SEE9 in a process that never ends grows old as well", () => {
    const reply = { type: "reply", estimate: 1_000, reported: 1_000, known, now: start + 8 * DAY } as const;
    expect(learn(limit, reply).learnt.window).toBeUndefined();
  });

  test("SEE11 by cuts is tried again after a week, and one cut more brings it back", () => {
    const cut = { type: "reply", estimate: 60_000, reported: 8_192, now: start } as const;
    const twice = learn(learn(undefined, cut).learnt, cut).learnt;
    expect(twice).toMatchObject({ window: 8_192, cuts: 2, at: start });
    const later = nextSession(twice, 8 * DAY);
    expect(later.window).toBeUndefined();
    const again = learn(later, { ...cut, now: start + 8 * DAY }).learnt;
    expect(nextSession(again, 9 * DAY).window).toBe(8_192);
  });

  test("SEE9 where nobody tells the time or what is known, stays", () => {
    expect(carriedOver(learn(undefined, { type: "overflow", limit: 4_000 }).learnt).window).toBe(4_000);
  });
});
