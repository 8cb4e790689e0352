/** The user's own settings file: not there, there, a link, or not to be read. */

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSettings } from "../../src/home/read-settings.ts";

test("SET1 no file is no mistake, one that cannot be read is, and a link is followed", async () => {
  const home = mkdtempSync(join(tmpdir(), "pith-settings-"));
  try {
    expect(await readSettings(home)).toMatchObject({ type: "read", fields: [], notes: [] });
    writeFileSync(join(home, "mine.json"), '{ "thinking": "high" }');
    symlinkSync("mine.json", join(home, "settings.json"));
    expect(await readSettings(home)).toMatchObject({ fields: [{ path: ["thinking"], value: "high" }] });
    expect(await readSettings(join(home, "mine.json"))).toMatchObject({
      type: "mistake",
      message: expect.stringContaining("cannot be read"),
    });
  } finally {
    rmSync(home, { recursive: true });
  }
});
