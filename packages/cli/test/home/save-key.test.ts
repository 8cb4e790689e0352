/** A key that was given is kept: beside others, for the user alone, and never in a file that is not believed. */

import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readKeyFile } from "../../src/home/key-file.ts";
import { saveKey } from "../../src/home/save-key.ts";

let home: string;
const file = (): string => join(home, "keys.json");

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pith-save-key-"));
});

afterEach(() => {
  rmSync(home, { recursive: true });
});

test("FST5 a key is kept beside others, in a file that only the user can read, and nothing else is left", async () => {
  expect(await saveKey({ provider: "openai", key: "sk-1", home })).toBeNull();
  expect(await saveKey({ provider: "anthropic", key: "sk-2", home })).toBeNull();
  expect(await readKeyFile(file())).toEqual({ type: "read", keys: { openai: "sk-1", anthropic: "sk-2" } });
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(readdirSync(home)).toEqual(["keys.json"]);
});

test("FST5 a file of keys that others can read is not written", async () => {
  writeFileSync(file(), "{}");
  chmodSync(file(), 0o644);
  expect(await saveKey({ provider: "openai", key: "sk-1", home })).toMatchObject({
    type: "mistake",
    message: expect.stringContaining("chmod 600"),
  });
  expect(readFileSync(file(), "utf8")).toBe("{}");
});

test("FST5 where nothing can be written, that is told", async () => {
  const blocked = join(home, "blocked");
  writeFileSync(blocked, "");
  const told = await saveKey({ provider: "openai", key: "sk-1", home: blocked });
  expect(told?.message).toMatch(/keys.json cannot be (?:read|written)/);
  expect(told?.message).not.toContain("sk-1");
});
