/** Between the look and the mount nothing may have moved. */

import { execFile } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { MOVED, samePlaceFirst } from "../../../../src/node/sandbox/layout/same-place.ts";
import { world } from "../world.ts";

const run = promisify(execFile);

test("BOX1 a program starts where its mounts are those that were looked at, and nowhere else", async () => {
  const { outside, temporary } = world();
  const path = join(temporary, "it's here");
  mkdirSync(path);
  const [shell = "", ...words] =
    samePlaceFirst(
      [
        { path, as: "writable" },
        { path: outside, as: "readable" },
        { path: "/no/such", as: "closed" },
      ],
      ["/bin/echo", "a  b"],
    ) ?? [];
  expect((await run(shell, words)).stdout).toBe("a  b\n");
  renameSync(path, `${path}-away`);
  symlinkSync(outside, path);
  await expect(run(shell, words)).rejects.toMatchObject({ code: 1, stdout: "", stderr: `${MOVED}\n` });
  symlinkSync(temporary, join(outside, "link"));
  renameSync(path, `${path}-link`);
  await expect(run(shell, words)).rejects.toMatchObject({ code: 1, stdout: "" });
});

test("BOX1 what is reached by a link was moved before the look", () => {
  const { outside, temporary } = world();
  symlinkSync(outside, join(temporary, "link"));
  for (const path of [join(temporary, "link"), join(temporary, "link/file"), join(temporary, "gone")])
    expect(samePlaceFirst([{ path, as: "writable" }], ["true"])).toBe(null);
});
