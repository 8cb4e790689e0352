/** The key that opens and closes what is folded. */

import { expect, test } from "vitest";
import { initialScreenState, toggleFolding } from "../../../../src/modes/interactive/state/screen-state.ts";

test("SCR12 where nothing is left to be opened, the key says what it changes, and where the rest is opened", () => {
  const opened = toggleFolding(initialScreenState);
  expect(opened).toMatchObject({
    isUnfolded: true,
    hint: "Nothing to expand. New output appears in full. Ctrl+T shows earlier output.",
  });
  expect(toggleFolding(opened)).toMatchObject({
    isUnfolded: false,
    hint: "Nothing to collapse. New output will be collapsed. Ctrl+T shows earlier output.",
  });
});

test("SCR12 what is opened or closed before one's eyes needs no words", () => {
  const thought = { kind: "thinking", id: "t", text: "so", isOpen: false } as const;
  expect(toggleFolding({ ...initialScreenState, blocks: [thought] })).toMatchObject({ isUnfolded: true, hint: null });
});
