/** Who looks elsewhere is called. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Gaze, neverSeen } from "../../../src/screen/notifying/gaze.ts";
import { Notifier } from "../../../src/screen/notifying/notifier.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

function calling(gaze: Partial<Gaze>) {
  const sent: string[] = [];
  const seen: { gaze: Gaze } = { gaze: { ...neverSeen, ...gaze } };
  const notifier = new Notifier({
    send: (sequence) => void sent.push(sequence),
    gaze: () => seen.gaze,
    now: Date.now,
    environment: {},
  });
  return { notifier, sent, seen };
}

const start = { type: "agent_start" } as const;
const settled = { type: "agent_settled", aborted: false } as const;

test("MAN22 work of more than ten seconds is told to who looks elsewhere, shorter work and stopped work to nobody", () => {
  const { notifier, sent } = calling({ hasFocus: false });
  notifier.hear(start);
  vi.advanceTimersByTime(9_000);
  notifier.hear(settled);
  expect(sent).toEqual([]);
  notifier.hear(start);
  vi.advanceTimersByTime(11_000);
  notifier.hear({ ...settled, aborted: true });
  expect(sent).toEqual([]);
  notifier.hear(start);
  vi.advanceTimersByTime(11_000);
  notifier.hear(settled);
  expect(sent).toEqual(["\x07"]);
});

test("MAN22 who looks is not called", () => {
  const { notifier, sent } = calling({ hasFocus: true });
  notifier.hear(start);
  vi.advanceTimersByTime(60_000);
  notifier.hear(settled);
  expect(sent).toEqual([]);
});

test("MAN23 a question that waits calls at once where nobody looks, else as soon as nobody does, once", () => {
  const away = calling({ hasFocus: false });
  away.notifier.waits("may it?");
  expect(away.sent).toEqual(["\x07"]);
  const near = calling({ hasFocus: null, lastKeyAt: 1_000_000 });
  near.notifier.waits("may it?");
  vi.advanceTimersByTime(9_900);
  expect(near.sent).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(near.sent).toEqual(["\x07"]);
  vi.advanceTimersByTime(60_000);
  expect(near.sent).toEqual(["\x07"]);
});

test("MAN23 who answers in time is not called, and who turned it off never", () => {
  const { notifier, sent, seen } = calling({ hasFocus: true });
  const answered = notifier.waits("may it?");
  vi.advanceTimersByTime(5_000);
  answered();
  seen.gaze = { ...seen.gaze, hasFocus: false };
  vi.advanceTimersByTime(60_000);
  expect(sent).toEqual([]);
  notifier.follow(() => "off");
  notifier.waits("may it?");
  expect(sent).toEqual([]);
});
