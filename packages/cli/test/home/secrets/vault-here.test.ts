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

test("MCP17 what servers of tools are started or reached with is secret by the rules for variables, also of a server that an editor brings", async () => {
  const home = mkdtempSync(join(tmpdir(), "pith-home-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const [one, two, three, four, five] = "7-of-nine 8-of-nine 9-of-nine 10-of-them 11-of-them"
    .split(" ")
    .map((each) => `our-proxy-${each}`);
  const mcpServers = {
    hub: { command: "hub", env: { HUB_TOKEN: `${one}`, REGION: "in-the-west-1", TOWN: `${four}` } },
    web: {
      url: `https://example.com/mcp?api_key=${five}`,
      headers: { Authorization: `Bearer ${two}`, "X-Team": "the-writers-7" },
    },
  };
  const environment = { HUB_TOKEN: "another-token-10-of-them" };
  const choices = { mcpServers, secrets: { also: ["TOWN"] } };
  const vault = await vaultHere({
    ...{ home, environment, choices },
    mcpServers: { brought: { url: "https://example.com", headers: { "x-api-key": `${three}` } } },
  });
  const text = [one, two, three, four, five, environment.HUB_TOKEN, "in-the-west-1", "the-writers-7"].join("\n");
  expect(vault?.redacted(text).replace(/PITH_SECRET_env_[0-9a-f]{12}/g, "*")).toBe(
    "*\n*\n*\n*\n*\n*\nin-the-west-1\nthe-writers-7",
  );
});
