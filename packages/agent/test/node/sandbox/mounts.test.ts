/** Mounts as arguments: the stronger word counts, the deeper place too, and nothing around a mount can be moved away. */

import { expect, test } from "vitest";
import { type Mount, mountArguments } from "../../../src/node/sandbox/mounts.ts";

function told(...mounts: readonly (readonly [string, Mount["as"]])[]): string {
  return mountArguments(mounts.map(([path, as]) => ({ path, as }))).join(" ");
}

test.each([
  [
    "the later word on a path counts",
    [
      ["/w", "writable"],
      ["/w", "readable"],
    ],
    "--ro-bind /w /w",
  ],
  [
    "what lies deeper comes later",
    [
      ["/w/a", "readable"],
      ["/w", "writable"],
    ],
    "--bind /w /w --ro-bind /w/a /w/a",
  ],
  [
    "what is empty is closed when all stands",
    [
      ["/r/a", "readable"],
      ["/r", "empty"],
    ],
    "--tmpfs /r --ro-bind /r/a /r/a --remount-ro /r",
  ],
  [
    "folders on the way are pinned",
    [
      ["/w", "writable"],
      ["/w/a/b/c", "closed"],
    ],
    "--bind /w /w --bind /w/a /w/a --bind /w/a/b /w/a/b --bind /w/a/b/c /w/a/b/c --ro-bind /dev/null /w/a/b/c",
  ],
  [
    "but not where nothing can be moved",
    [
      ["/w", "readable"],
      ["/w/a/b", "closed"],
    ],
    "--ro-bind /w /w --bind /w/a/b /w/a/b --ro-bind /dev/null /w/a/b",
  ],
  [
    "nor where the way is a mount already",
    [
      ["/w", "writable"],
      ["/w/a", "readable"],
      ["/w/a/b", "closed"],
    ],
    "--bind /w /w --ro-bind /w/a /w/a --bind /w/a/b /w/a/b --ro-bind /dev/null /w/a/b",
  ],
] as const)("BOX1 %s", (_, mounts, expected) => {
  expect(told(...mounts)).toBe(expected);
});
