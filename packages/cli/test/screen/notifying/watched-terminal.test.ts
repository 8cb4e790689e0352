/** A terminal that is watched. */

import { expect, test } from "vitest";
import { WatchedTerminal } from "../../../src/screen/notifying/watched-terminal.ts";
import { Headless } from "../headless.ts";

test("MAN20 focus is asked for at the start and no longer at the end, and word of it is no key", () => {
  const inner = new Headless();
  const written: string[] = [];
  inner.write = (data) => void written.push(data);
  const terminal = new WatchedTerminal(inner, () => 7);
  const keys: string[] = [];
  terminal.start(
    (data) => void keys.push(data),
    () => {},
  );
  inner.press("\x1b[O");
  expect(terminal.gaze).toEqual({ hasFocus: false, lastKeyAt: Number.NEGATIVE_INFINITY });
  inner.press("a");
  expect(terminal.gaze).toEqual({ hasFocus: true, lastKeyAt: 7 });
  expect(keys).toEqual(["a"]);
  terminal.stop();
  expect(written).toEqual(["\x1b[?1004h", "\x1b[?1004l"]);
});
