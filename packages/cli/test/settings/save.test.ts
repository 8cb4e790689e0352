/** Tests settings/save.ts: edit JSON text, save key, save setting. */

import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readKeyFile } from "../../../host/src/settings/provider-keys.ts";
import { parseJsonc } from "../../../host/src/text/jsonc.ts";
import { saveKey, saveSetting, setJsoncValue } from "../../src/settings/save.ts";

describe("edit JSON text", () => {
  test("FST6 comments, order and commas of the text stay", () => {
    const text = '{\n  // who speaks\n  "model": "a/b", /* for now */\n  "compaction": { "enabled": true },\n}\n';
    expect(setJsoncValue(text, ["model"], "c/d")).toBe(text.replace("a/b", "c/d"));
    expect(setJsoncValue(text, ["compaction", "enabled"], false)).toBe(text.replace("true", "false"));
    expect(setJsoncValue(text, ["thinking"], "high")).toBe(text.replace("{\n", '{\n  "thinking": "high",\n'));
    expect(setJsoncValue("{}", ["model"], "a/b")).toBe('{\n  "model": "a/b"\n}');
    expect(setJsoncValue('{ "a": 1 }', ["b"], 2)).toBe('{\n  "b": 2,\n  "a": 1 }');
  });

  test("FST6 broken JSON, and a path through a value that is not an object, return null", () => {
    expect(setJsoncValue("{", ["model"], "a/b")).toBeNull();
    expect(setJsoncValue('{ "compaction": 1 }', ["compaction", "enabled"], true)).toBeNull();
  });

  const flat = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.integer())));

  test("FST6 for any object, the value is set and everything else is unchanged", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.oneof(flat, fc.string())),
        fc.string(),
        fc.boolean(),
        (before, name, isWide) => {
          const after = setJsoncValue(JSON.stringify(before, null, isWide ? 2 : 0), [name], "new") ?? "";
          const read = parseJsonc(after);
          expect(read.type === "object" && read.value).toEqual(
            Object.fromEntries([...Object.entries(before), [name, "new"]]),
          );
        },
      ),
    );
  });
});

describe("save key", () => {
  let home: string;
  const file = (): string => join(home, "keys.json");

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "pith-save-key-"));
  });

  afterEach(() => {
    rmSync(home, { recursive: true });
  });

  test("FST5 a key is saved beside the others, in a file that only the user can read, without temporary files", async () => {
    expect(await saveKey({ provider: "openai", key: "sk-1", home })).toBeNull();
    expect(await saveKey({ provider: "anthropic", key: "sk-2", home })).toBeNull();
    expect(await readKeyFile(file())).toEqual({ type: "read", keys: { openai: "sk-1", anthropic: "sk-2" } });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(readdirSync(home)).toEqual(["keys.json"]);
  });

  test("FST5 a key file that others can read is not written", async () => {
    writeFileSync(file(), "{}");
    chmodSync(file(), 0o644);
    expect(await saveKey({ provider: "openai", key: "sk-1", home })).toMatchObject({
      type: "mistake",
      message: expect.stringContaining("chmod 600"),
    });
    expect(readFileSync(file(), "utf8")).toBe("{}");
  });

  test("FST5 a key that cannot be saved is reported without its value", async () => {
    const blocked = join(home, "blocked");
    writeFileSync(blocked, "");
    const failure = await saveKey({ provider: "openai", key: "sk-1", home: blocked });
    expect(failure?.message).toMatch(/keys.json cannot be (?:read|written)/);
    expect(failure?.message).not.toContain("sk-1");
  });
});

describe("save setting", () => {
  let home: string;
  const text = (): string => readFileSync(join(home, "settings.json"), "utf8");

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "pith-save-setting-"));
  });

  afterEach(() => {
    rmSync(home, { recursive: true });
  });

  test("FST6 a setting is written to a new file, and changed in an existing one", async () => {
    expect(await saveSetting({ path: ["model"], value: "a/b", home })).toBeNull();
    expect(text()).toBe('{\n  "model": "a/b"\n}\n');
    await saveSetting({ path: ["model"], value: "c/d", home });
    await saveSetting({ path: ["compaction", "enabled"], value: false, home });
    expect(JSON.parse(text())).toEqual({ model: "c/d", compaction: { enabled: false } });
  });

  test("FST6 a malformed settings file is reported and left unchanged", async () => {
    writeFileSync(join(home, "settings.json"), "{ oh dear");
    expect(await saveSetting({ path: ["model"], value: "a/b", home })).toMatchObject({ type: "mistake" });
    expect(text()).toBe("{ oh dear");
  });
});
