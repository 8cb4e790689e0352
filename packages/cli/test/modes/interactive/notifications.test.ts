/** Tests modes/interactive/notifications.ts: notification sequences, terminal focus, notifier, watched terminal. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type FocusState,
  FocusTrackingTerminal,
  formatNotification,
  initialFocus,
  isFocusReport,
  msUntilAway,
  Notifier,
  reduceFocus,
} from "../../../src/modes/interactive/notifications.ts";
import { HeadlessTerminal } from "../../support/headless-terminal.ts";

describe("notification sequences", () => {
  test("MAN21 off sends nothing, bell sends a bell, and desktop sends the sequence that the terminal supports", () => {
    expect(formatNotification("done", "off", {})).toBe("");
    expect(formatNotification("done", "bell", { KITTY_WINDOW_ID: "1" })).toBe("\x07");
    expect(formatNotification("done", "desktop", { TERM: "xterm-256color" })).toBe("\x1b]9;Pith: done\x1b\\\x07");
    expect(formatNotification("a; b", "desktop", { VTE_VERSION: "7600" })).toBe("\x1b]777;notify;Pith;a, b\x1b\\\x07");
    expect(formatNotification("done", "desktop", { TERM: "xterm-kitty" })).toBe(
      "\x1b]99;i=pith:d=0;Pith\x1b\\\x1b]99;i=pith:p=body;done\x1b\\\x07",
    );
  });

  test("MAN21 within tmux the sequence is wrapped for the outer terminal", () => {
    expect(formatNotification("done", "desktop", { TMUX: "/tmp/x,1,0" })).toBe(
      "\x1bPtmux;\x1b\x1b]9;Pith: done\x1b\x1b\\\x1b\\\x07",
    );
  });

  /** In the order in which they are taken away, each once. */
  const OURS = ["\x1b\\\x1b]99;", "\x1b]99;", "\x1b]777;", "\x1b]9;", "\x1b\\\x07"];

  test("MAN21 control characters in the text cannot end the sequence or begin another", () => {
    const hostile = "a\x1b\\\x07b\x9c\nc\u202e\x1b]0;title\x07";
    for (const environment of [{}, { VTE_VERSION: "1" }, { TERM: "xterm-kitty" }]) {
      const sequence = formatNotification(hostile, "desktop", environment);
      const inner = OURS.reduce((rest, own) => rest.replace(own, ""), sequence);
      expect(inner).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
    expect(formatNotification("x".repeat(5_000), "desktop", {}).length).toBeLessThan(250);
  });
});

describe("terminal focus", () => {
  const GAINED = "\x1b[I";
  const LOST = "\x1b[O";

  test("MAN20 a terminal that does not report focus counts as watched for ten seconds after a key, and not before the first key", () => {
    expect(msUntilAway(initialFocus, 5_000)).toBe(0);
    const typed = reduceFocus(initialFocus, "a", 5_000);
    expect(msUntilAway(typed, 5_000)).toBe(10_000);
    expect(msUntilAway(typed, 14_000)).toBe(1_000);
    expect(msUntilAway(typed, 15_000)).toBe(0);
  });

  test("MAN20 a reported loss of focus counts until the next key", () => {
    const lost = reduceFocus(reduceFocus(initialFocus, "a", 1_000), LOST, 1_001);
    expect(msUntilAway(lost, 1_002)).toBe(0);
    expect(msUntilAway(reduceFocus(lost, GAINED, 2_000), 99_000)).toBe(null);
    expect(msUntilAway(reduceFocus(lost, "b", 2_000), 99_000)).toBe(null);
    expect([GAINED, LOST, "\x1b", "I"].map(isFocusReport)).toEqual([true, true, false, false]);
  });
});

describe("notifier", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
  afterEach(() => void vi.useRealTimers());

  function calling(gaze: Partial<FocusState>) {
    const sent: string[] = [];
    const focus: { gaze: FocusState } = { gaze: { ...initialFocus, ...gaze } };
    const notifier = new Notifier({
      write: (sequence) => void sent.push(sequence),
      getFocus: () => focus.gaze,
      now: Date.now,
      environment: {},
    });
    return { notifier, sent, focus };
  }

  const start = { type: "agent_start" } as const;
  const settled = { type: "agent_settled", aborted: false } as const;

  test("MAN22 a run of more than ten seconds notifies an unfocused terminal; a shorter or stopped run does not", () => {
    const { notifier, sent } = calling({ hasFocus: false });
    notifier.handleEvent(start);
    vi.advanceTimersByTime(9_000);
    notifier.handleEvent(settled);
    expect(sent).toEqual([]);
    notifier.handleEvent(start);
    vi.advanceTimersByTime(11_000);
    notifier.handleEvent({ ...settled, aborted: true });
    expect(sent).toEqual([]);
    notifier.handleEvent(start);
    vi.advanceTimersByTime(11_000);
    notifier.handleEvent(settled);
    expect(sent).toEqual(["\x07"]);
  });

  test("MAN22 a long run does not notify a focused terminal", () => {
    const { notifier, sent } = calling({ hasFocus: true });
    notifier.handleEvent(start);
    vi.advanceTimersByTime(60_000);
    notifier.handleEvent(settled);
    expect(sent).toEqual([]);
  });

  test("MAN23 an open question notifies once: at once if the terminal is not watched, else as soon as it is not", () => {
    const away = calling({ hasFocus: false });
    away.notifier.notifyWhenAway("may it?");
    expect(away.sent).toEqual(["\x07"]);
    const near = calling({ hasFocus: null, lastKeyAt: 1_000_000 });
    near.notifier.notifyWhenAway("may it?");
    vi.advanceTimersByTime(9_900);
    expect(near.sent).toEqual([]);
    vi.advanceTimersByTime(200);
    expect(near.sent).toEqual(["\x07"]);
    vi.advanceTimersByTime(60_000);
    expect(near.sent).toEqual(["\x07"]);
  });

  test("MAN23 an answered question does not notify, and neither does anything with notify off", () => {
    const { notifier, sent, focus } = calling({ hasFocus: true });
    const answered = notifier.notifyWhenAway("may it?");
    vi.advanceTimersByTime(5_000);
    answered();
    focus.gaze = { ...focus.gaze, hasFocus: false };
    vi.advanceTimersByTime(60_000);
    expect(sent).toEqual([]);
    notifier.setMethodSource(() => "off");
    notifier.notifyWhenAway("may it?");
    expect(sent).toEqual([]);
  });
});

describe("watched terminal", () => {
  test("MAN20 focus reporting is turned on at the start and off at the end, and its reports are not passed on as keys", () => {
    const inner = new HeadlessTerminal();
    const written: string[] = [];
    inner.write = (data) => void written.push(data);
    const terminal = new FocusTrackingTerminal(inner, () => 7);
    const keys: string[] = [];
    terminal.start(
      (data) => void keys.push(data),
      () => {},
    );
    inner.press("\x1b[O");
    expect(terminal.focus).toEqual({ hasFocus: false, lastKeyAt: Number.NEGATIVE_INFINITY });
    inner.press("a");
    expect(terminal.focus).toEqual({ hasFocus: true, lastKeyAt: 7 });
    expect(keys).toEqual(["a"]);
    terminal.stop();
    expect(written).toEqual(["\x1b[?1004h", "\x1b[?1004l"]);
  });
});
