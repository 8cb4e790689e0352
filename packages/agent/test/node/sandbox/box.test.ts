/** Temporary folders and caches: named ones, found out once. */

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writableOf } from "../../../src/node/sandbox/box.ts";
import { boxOf, ranIn, untouchable, world } from "./world.ts";

test("BOX1 a temporary folder that is not there, or leads into the home, is none", () => {
  const { base, home, temporary } = world();
  const [link, gone] = [join(temporary, "link"), join(temporary, "gone")];
  mkdirSync(join(home, "tmp"));
  symlinkSync(join(home, "tmp"), link);
  const named = [link, gone, home, base, "/", "relative", join(home, "tmp"), temporary];
  expect(writableOf({ home, environment: {}, temporary: named }).temporary).toEqual([join(home, "tmp"), temporary]);
});

test("BOX1 a temporary folder is not what a command makes of its name", async () => {
  const place = world();
  const before = untouchable(place);
  const gone = join(place.temporary, "gone");
  const box = boxOf(place, { environment: { TMPDIR: gone }, temporary: [place.temporary, gone] });
  await ranIn(box, "ln -s $HOME $TMPDIR");
  await ranIn(box, "echo x >>~/.bashrc; touch ~/new");
  expect(untouchable(place)).toEqual(before);
});

test("BOX1 of the folder for caches only those of packages can be written", async () => {
  const place = world();
  for (const name of [".cache/pip", ".cache/pre-commit"]) mkdirSync(join(place.home, name), { recursive: true });
  const { text } = await ranIn(
    boxOf(place),
    "for f in pip/a pre-commit/a prompt.zsh; do touch ~/.cache/$f 2>/dev/null && echo $f; done; true",
  );
  expect(text).toBe("pip/a\n");
});
