/** The key that opens and closes what is folded. */

import { expect, test } from "vitest";
import { initialScreenState, toggleFolding } from "../../../../src/modes/interactive/state/screen-state.ts";

test("SCR12 with nothing left to expand, Ctrl+O says what it changes and where earlier output is shown", () => {
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

test("SCR12 expanding a visible block shows no hint", () => {
  const thought = { kind: "thinking", id: "t", text: "so", isOpen: false } as const;
  expect(toggleFolding({ ...initialScreenState, blocks: [thought] })).toMatchObject({ isUnfolded: true, hint: null });
});
