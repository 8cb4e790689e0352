/** Tests where keys are looked up, which file is trusted, and that no message shows their content. */

import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Provider, providers } from "@pith/models";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findKey, findProviderWithKey, listKeyVariables, readKeyFile } from "../../src/settings/provider-keys.ts";

const SECRET = "sk-very-secret-4711";
let home: string;
let file: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pith-keys-"));
  file = join(home, "keys.json");
});

afterEach(() => {
  rmSync(home, { recursive: true });
});

test("KEY1 a key in the environment wins, and the key file is not opened", async () => {
  write({ anthropic: SECRET }, 0o644);
  const environment = { ANTHROPIC_API_KEY: "from-the-environment" };
  expect(await findKey(named("anthropic"), { environment, home })).toEqual({ type: "found" });
  expect(await findKey(named("ollama"), { environment: {}, home })).toEqual({ type: "found" });
});

test("KEY1 a key that the environment lacks is read from the key file, under either name of the provider", async () => {
  write({ openai: SECRET, google: "other" });
  const places = { environment: { OPENAI_API_KEY: " " }, home };
  expect(await findKey(named("openai"), places)).toEqual({ type: "found", apiKey: SECRET });
  expect(await findKey(named("openai-chat"), places)).toEqual({ type: "found", apiKey: SECRET });
  expect(await findKey(named("groq"), places)).toEqual({ type: "found" });
  expect(await findProviderWithKey([named("anthropic"), named("google")], places)).toMatchObject({
    provider: { id: "google" },
  });
});

test("KEY1 a missing key file is not a mistake", async () => {
  expect(await readKeyFile(file)).toEqual({ type: "read", keys: {} });
});

test.each([0o604, 0o640, 0o620, 0o601, 0o777])(
  "KEY2 a key file that others can access is not read: mode %o",
  async (mode) => {
    write({ anthropic: SECRET }, mode);
    const message = `${file} is accessible to other users, so it was not read; run: chmod 600 ${file}`;
    expect(await readKeyFile(file)).toEqual({ type: "mistake", message });
  },
);

test("KEY2 a symbolic link and a folder are not read as a key file", async () => {
  writeFileSync(join(home, "elsewhere.json"), "{}", { mode: 0o600 });
  symlinkSync("elsewhere.json", file);
  expect(await readKeyFile(file)).toMatchObject({
    type: "mistake",
    message: expect.stringContaining("is a symbolic link"),
  });
  rmSync(file);
  mkdirSync(file, { mode: 0o700 });
  expect(await readKeyFile(file)).toMatchObject({ message: expect.stringContaining("is not a regular file") });
});

test.runIf(process.geteuid?.() === 0)("KEY2 a key file that belongs to another user is not read", async () => {
  write({ anthropic: SECRET });
  chownSync(file, 4711, 4711);
  expect(await readKeyFile(file)).toMatchObject({ message: expect.stringContaining("belongs to another user") });
});

test.each([
  `{ "anthropic": "${SECRET}" `,
  `"${SECRET}"`,
  `{ "anthropic": ["${SECRET}"] }`,
  `{ "anthropic": "${SECRET}\\n" }`,
  `{ "anthropic": "${SECRET}", "openai": "" }`,
  `anthropic: ${SECRET}`,
  `{ "${SECRET}": null }`,
])("KEY3 no error message contains the content of the key file: %s", async (text) => {
  writeFileSync(file, text, { mode: 0o600 });
  const read = await readKeyFile(file);
  expect(read).toMatchObject({ type: "mistake", message: expect.stringContaining(file) });
  expect(JSON.stringify(read)).not.toContain(SECRET);
});

test("KEY3 a message names the invalid entry by its provider, and by its position if the provider is unknown", async () => {
  writeFileSync(file, `{ "anthropic": "a b", "${SECRET}": null }`, { mode: 0o600 });
  expect(await readKeyFile(file)).toMatchObject({
    message: expect.stringContaining('the value of "anthropic" is not'),
  });
  writeFileSync(file, `{ "anthropic": "ab", "${SECRET}": null }`, { mode: 0o600 });
  expect(await readKeyFile(file)).toMatchObject({ message: expect.stringContaining("the value in entry 2 is not") });
});

test("KEY4 every environment variable for a key is listed once", () => {
  const names = listKeyVariables();
  expect(names).toEqual(
    expect.arrayContaining(["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GROQ_API_KEY"]),
  );
  expect(new Set(names).size).toBe(names.length);
});

function write(keys: Readonly<Record<string, string>>, mode = 0o600): void {
  writeFileSync(file, JSON.stringify(keys));
  chmodSync(file, mode);
}

function named(id: string): Provider {
  const provider = providers.find((each) => each.id === id);
  if (!provider) throw new Error(`there is no provider ${id}`);
  return provider;
}

test("PLAT14 on systems without user ids, such as Windows, the mode of the key file is not checked", async () => {
  const path = join(home, "keys.json");
  writeFileSync(path, '{ "openai": "from-the-file" }');
  chmodSync(path, 0o666);
  expect(await readKeyFile(path, null)).toEqual({ type: "read", keys: { openai: "from-the-file" } });
  expect(await readKeyFile(path)).toMatchObject({ type: "mistake" });
});
