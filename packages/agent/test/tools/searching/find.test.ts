/** The tool `find`. */

import { expect, test } from "vitest";
import { newGround } from "./ground.ts";

const files = { "src/new.ts": "", "src/in/old.ts": "", "c.md": "" };

test("SEEK14 files are shown the newest first, with paths that the next call can use", async () => {
  const { says } = newGround(files);
  expect(await says("find", { glob: "*.ts" })).toBe("src/new.ts\nsrc/in/old.ts");
  expect(await says("find", { glob: "*.ts", path: "src/in/" })).toBe("src/in/old.ts");
  expect(await says("find", { glob: "*.ts", limit: "1" })).toBe(
    "src/new.ts\n[the first 1 file, there are more; narrow glob or path, or raise limit]",
  );
});

test("SEEK10 what is wrong is said", async () => {
  const { says } = newGround(files);
  expect(await says("find", {})).toBe("glob is missing");
  expect(await says("find", { glob: "*.go" })).toBe(
    "[no such file; ignored ones are left out unless path names their folder, and those that may not be read]",
  );
  expect(await says("find", { glob: "*", path: "c.md" })).toBe("c.md is a file, not a folder");
});
