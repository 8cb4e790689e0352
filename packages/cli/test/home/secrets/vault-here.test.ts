/** What the vault of the program knows from the start. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { vaultHere } from "../../../src/home/secrets/vault-here.ts";

test("SEC5 a key that the user keeps for a provider is a secret, whatever it looks like", async () => {
  const home = mkdtempSync(join(tmpdir(), "pith-home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const key = "our-proxy-7-of-nine";
  writeFileSync(join(home, "keys.json"), JSON.stringify({ openai: key }), { mode: 0o600 });
  const vault = await vaultHere({ home, environment: {}, choices: {} });
  expect(vault?.redacted(`no such key: ${key}`)).toMatch(/^no such key: PITH_SECRET_env_[0-9a-f]{12}$/);
  expect(vault?.found().map(({ family }) => family)).toEqual(["OPENAI_API_KEY"]);
  expect(await vaultHere({ home, environment: {}, choices: { secrets: { redact: "off" } } })).toBeNull();
});
