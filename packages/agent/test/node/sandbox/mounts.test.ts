/** Tests node/sandbox/mounts.ts: the order of mounts, and mounts that move. */

import { execFile } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import {
  MOUNTS_MOVED,
  type Mount,
  mountArguments,
  orderMounts,
  verifyMountsFirst,
} from "../../../src/node/sandbox/mounts.ts";
import { createSandboxFolders } from "../../support/sandbox-folders.ts";

describe("mounts", () => {
  type MountList = readonly (readonly [string, Mount["access"]])[];

  const mountsOf = (list: MountList): readonly Mount[] => list.map(([path, as]) => ({ path, access: as }));

  /** Without the whole disk, which comes first. */
  function list(mounts: MountList, ...others: readonly MountList[]): string {
    const all = mountArguments(orderMounts(mountsOf(mounts), others.map(mountsOf))).join(" ");
    return all.replace("--ro-bind / / ", "").replace("--dev /dev --proc /proc --remount-ro /proc ", "");
  }

  test.each([
    [
      "the last entry for a path is used",
      [
        ["/w", "writable"],
        ["/w", "readable"],
      ],
      "--ro-bind /w /w",
    ],
    [
      "deeper paths are mounted later",
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
      "--ro-bind /w/a/b/c /dev/null --bind /w /w --bind /w/a /w/a --bind /w/a/b /w/a/b --ro-bind /dev/null /w/a/b/c",
    ],
    [
      "but not where nothing can be moved",
      [
        ["/w", "readable"],
        ["/w/a/b", "closed"],
      ],
      "--ro-bind /w/a/b /dev/null --ro-bind /w /w --ro-bind /dev/null /w/a/b",
    ],
    [
      "nor where the way is a mount already",
      [
        ["/w", "writable"],
        ["/w/a", "readable"],
        ["/w/a/b", "closed"],
      ],
      "--ro-bind /w/a/b /dev/null --bind /w /w --ro-bind /w/a /w/a --ro-bind /dev/null /w/a/b",
    ],
  ] as const)("BOX1 %s", (_, mounts, expected) => {
    expect(list(mounts)).toBe(expected);
  });

  test("BOX1 leaves out paths that a running command could replace", () => {
    const mounts: MountList = [
      ["/w", "writable"],
      ["/w/git/config", "readable"],
      ["/w/new/config", "readable"],
      ["/w/new/socket", "closed"],
    ];
    const older: MountList = [
      ["/w", "writable"],
      ["/w/git", "writable"],
      ["/w/git/config", "readable"],
    ];
    expect(list(mounts, older)).toBe(
      "--ro-bind /w/new/socket /dev/null --bind /w /w --bind /w/git /w/git --ro-bind /w/git/config /w/git/config --ro-bind /dev/null /w/new/socket",
    );
  });

  test("BOX1 keeps paths that a running command may not write", () => {
    const mounts: MountList = [
      ["/w", "writable"],
      ["/w/a/b", "empty"],
    ];
    expect(list(mounts, [["/w", "readable"]])).toBe("--bind /w /w --bind /w/a /w/a --tmpfs /w/a/b --remount-ro /w/a/b");
  });
});

describe("mounts that move", () => {
  const run = promisify(execFile);

  test("BOX1 a program starts only if its mounts are the checked ones", async () => {
    const { outside, temporary } = createSandboxFolders();
    const path = join(temporary, "it's here");
    mkdirSync(path);
    const [shell = "", ...words] =
      verifyMountsFirst(
        [
          { path, access: "writable" },
          { path: outside, access: "readable" },
          { path: "/no/such", access: "closed" },
        ],
        ["/bin/echo", "a  b"],
      ) ?? [];
    expect((await run(shell, words)).stdout).toBe("a  b\n");
    renameSync(path, `${path}-away`);
    symlinkSync(outside, path);
    await expect(run(shell, words)).rejects.toMatchObject({ code: 1, stdout: "", stderr: `${MOUNTS_MOVED}\n` });
    symlinkSync(temporary, join(outside, "link"));
    renameSync(path, `${path}-link`);
    await expect(run(shell, words)).rejects.toMatchObject({ code: 1, stdout: "" });
  });

  test("BOX1 a path that is reached through a link counts as moved", () => {
    const { outside, temporary } = createSandboxFolders();
    symlinkSync(outside, join(temporary, "link"));
    for (const path of [join(temporary, "link"), join(temporary, "link/file"), join(temporary, "gone")])
      expect(verifyMountsFirst([{ path, access: "writable" }], ["true"])).toBe(null);
  });
});
