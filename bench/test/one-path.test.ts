/** Tests the short benchmark of opening a session whose entries are all in the context. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installBuiltContext } from "../src/built-package.ts";
import { openOnePath } from "../src/session/one-path.ts";

test("FILE30 a session of 30,000 small entries on one path opens within three times a bare read and parse", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pith-one-path-"));
  try {
    const { folder: home } = await installBuiltContext(folder);
    const { ratio } = await openOnePath({
      folder,
      packageFolder: home,
      entries: 30_000,
      rounds: 5,
      log: () => undefined,
    });
    expect(ratio).toBeLessThan(3);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
