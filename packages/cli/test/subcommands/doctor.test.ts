/** What `pith doctor` finds, says and mends. */

import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Shelf } from "./shelf.ts";

let shelf: Shelf;

beforeEach(() => {
  shelf = new Shelf();
});

afterEach(() => shelf.clear());

interface Checks {
  readonly checks: readonly {
    readonly name: string;
    readonly state: string;
    readonly says: string;
    readonly advice?: string;
  }[];
}

test("DRS1 each thing that was looked at is a line, with what to do where there is something; keys are never shown", async () => {
  shelf.environment = { ...shelf.environment, OPENAI_API_KEY: "sk-secret-in-the-environment" };
  writeFileSync(join(shelf.home, "keys.json"), '{ "anthropic": "sk-secret-in-a-file" }', { mode: 0o600 });
  await shelf.add();
  const { code, out } = await shelf.run("doctor");
  expect(code).toBe(0);
  for (const name of [
    "Node",
    "sandbox",
    "ripgrep",
    "rights",
    "settings",
    "keys",
    "trust",
    "sessions",
    "blobs",
    "disk",
    "SQLite",
    "completions",
  ])
    expect(out).toMatch(new RegExp(`^(ok|warning) +${name}: `, "m"));
  expect(out).toMatch(/keys: for anthropic, openai/);
  expect(out).not.toContain("secret");
  const { checks } = (await shelf.json("doctor")) as Checks;
  for (const { state, advice } of checks) expect(state === "ok").toBe(advice === undefined);
});

test("DRS1 a home that is no folder is a fault among the others, and no crash", async () => {
  const file = join(shelf.folder, "home.txt");
  writeFileSync(file, "");
  shelf.environment = { ...shelf.environment, PITH_HOME: file };
  const { code, out } = await shelf.run("doctor");
  expect(code).toBe(1);
  expect(out).toMatch(/^FAULT +rights: .*home\.txt.* cannot be looked at: the disk gave ENOTDIR\n +→ is it yours/m);
  expect(out).toMatch(/^ok +SQLite: /m);
});

test("DRS2 what is broken ends with 1; --fix takes rights from others, follows no link, and mends nothing else", async () => {
  const path = await shelf.add();
  const outside = join(shelf.folder, "mine.txt");
  writeFileSync(outside, "mine", { mode: 0o644 });
  symlinkSync(outside, join(shelf.home, "link"));
  writeFileSync(join(shelf.home, "settings.json"), '{ "thinking": 7 }', { mode: 0o600 });
  chmodSync(path, 0o644);
  chmodSync(shelf.home, 0o755);
  const open = await shelf.run("doctor");
  expect(open).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^FAULT +rights: others have rights to .* and 1 other path\n +→ pith doctor --fix/m),
  });
  expect(open.out).toMatch(/^FAULT +settings: .*thinking/m);
  const fixed = await shelf.run("doctor", "--fix");
  expect(fixed).toMatchObject({ code: 1, out: expect.stringMatching(/^ok +rights: taken from others for 2 paths/m) });
  expect([path, shelf.home, outside].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o700, 0o644]);
  expect(readFileSync(join(shelf.home, "settings.json"), "utf8")).toBe('{ "thinking": 7 }');
});

test("DRS2 a home that others can only list is worth a warning, and no fault", async () => {
  chmodSync(shelf.home, 0o755);
  const { code, out } = await shelf.run("doctor");
  expect(code).toBe(0);
  expect(out).toMatch(/^warning +rights: others can list what lies in .*\n +→ pith doctor --fix/m);
  chmodSync(shelf.home, 0o775);
  expect((await shelf.run("doctor")).code).toBe(1);
});

test("DRS1 a key under a name that is no provider's is told, without the name", async () => {
  writeFileSync(join(shelf.home, "keys.json"), '{ "anthropc": "abc" }', { mode: 0o600 });
  const { out } = await shelf.run("doctor");
  expect(out).toMatch(
    /^warning +keys: 1 key of .*keys\.json stands under a name that is no provider's\n +→ .*anthropic/m,
  );
  expect(out).not.toContain("anthropc");
});

test("DRS3 damaged sessions and blobs without a session are told, and nothing is done about them", async () => {
  const path = await shelf.add();
  writeFileSync(path, `${readFileSync(path, "utf8").replace("login", "LOGIN")}`);
  const orphan = join(path, "..", ".pith", "gone.jsonl", "blobs");
  mkdirSync(orphan, { recursive: true, mode: 0o700 });
  writeFileSync(join(orphan, "a".repeat(64)), "blob", { mode: 0o600 });
  const { code, out } = await shelf.run("doctor", "--deep");
  expect(code).toBe(0);
  expect(out).toMatch(/^warning +sessions: 1 session of 1 not whole, .*checksum/m);
  expect(out).toMatch(/^warning +blobs: 1 folder of blobs without a session/m);
});
