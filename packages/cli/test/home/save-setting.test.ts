/** A setting that was chosen is kept, and what somebody wrote beside it stays. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { saveSetting } from "../../src/home/save-setting.ts";

let home: string;
const text = (): string => readFileSync(join(home, "settings.json"), "utf8");

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pith-save-setting-"));
});

afterEach(() => {
  rmSync(home, { recursive: true });
});

test("FST6 a setting is written where there was no file, and changed where there is one", async () => {
  expect(await saveSetting({ path: ["model"], value: "a/b", home })).toBeNull();
  expect(text()).toBe('{\n  "model": "a/b"\n}\n');
  await saveSetting({ path: ["model"], value: "c/d", home });
  await saveSetting({ path: ["compaction", "enabled"], value: false, home });
  expect(JSON.parse(text())).toEqual({ model: "c/d", compaction: { enabled: false } });
});

test("FST6 a file that is no settings stays as it is, and that is told", async () => {
  writeFileSync(join(home, "settings.json"), "{ oh dear");
  expect(await saveSetting({ path: ["model"], value: "a/b", home })).toMatchObject({ type: "mistake" });
  expect(text()).toBe("{ oh dear");
});
