/** `pith mcp` where nobody can be asked: what it shows, and what it trusts. */

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { testServerCommand } from "../../../host/test/mcp/mcp-host.ts";
import { startSseMcpServer } from "../../../host/test/mcp/servers/web-server.ts";
import type { SubcommandCall, SubcommandResult } from "../../src/args/subcommand.ts";
import { listServers, testServer, trustServer } from "../../src/mcp/subcommands.ts";

test("MCP2 MCP4 pith mcp list contacts no server; pith mcp trust trusts only with --yes, and exactly what it shows", async () => {
  const home = mkdtempSync(join(tmpdir(), "pith-home-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const old = await startSseMcpServer();
  const mcpServers = { old: { url: old.url }, unused: { command: "x", enabled: false } };
  writeFileSync(join(home, "settings.json"), JSON.stringify({ mcpServers }));
  const called = async (
    act: (call: SubcommandCall) => Promise<SubcommandResult>,
    flags: SubcommandCall["flags"] = {},
    name = "old",
  ): Promise<string> => {
    const call = { cwd: home, home, environment: {}, arguments: [name], flags, notify: () => {} };
    const outcome = await act(call as unknown as SubcommandCall);
    return outcome.type === "success" ? `${outcome.code ?? 0} ${outcome.text}` : outcome.message;
  };
  assert.match(
    await called(listServers),
    /^0 old {2}not started, not trusted yet\n {2}http:.*\nunused {2}off \("enabled": false\).*\n {2}x$/,
  );
  assert.match(await called(testServer, {}, "unused"), /the MCP server unused is disabled; /);
  assert.deepEqual(old.requestHeaders, []);
  assert.match(await called(trustServer), /^1 at: .*\n1 tool:\n\+ tell: Tells\.\nNothing was trusted\. .*--yes/);
  assert.match(await called(testServer), /is not trusted in its current state\. To trust it, run: pith mcp trust old$/);
  assert.match(await called(trustServer, { yes: true }), /^0 [\s\S]*The tools from old are now trusted\.$/);
  assert.match(await called(testServer), /The server is trusted in its current state\.$/);
  assert.match(await called(listServers), /1 tools? trusted/);
  const file = join(home, "mcp-pins.json");
  const pins = JSON.parse(readFileSync(file, "utf8"));
  const [key = ""] = Object.keys(pins.servers);
  pins.servers[key] = { ...pins.servers[key], hash: "other", tools: { ...pins.servers[key].tools, gone: "other" } };
  writeFileSync(file, JSON.stringify(pins), { mode: 0o600 });
  assert.match(await called(testServer), /1 tool, changes:\nremoved: gone\nThe server is not trusted/);
  await old.close();
});

test("MCP12 without a configured server, the list says whether this folder has untrusted ones", async () => {
  const home = mkdtempSync(join(tmpdir(), "pith-home-"));
  const cwd = mkdtempSync(join(tmpdir(), "pith-work-"));
  onTestFinished(() => {
    for (const folder of [home, cwd]) rmSync(folder, { recursive: true });
  });
  const list = async (): Promise<string> => {
    const call = { cwd, home, environment: {}, arguments: [], flags: {}, notify: () => {} };
    const outcome = await listServers(call as unknown as SubcommandCall);
    return outcome.type === "success" ? outcome.text : outcome.message;
  };
  assert.match(await list(), /^No MCP servers are configured\. To add one, .*\n {2}"mcpServers": \{/);
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { here: { command: "x" } } }));
  assert.equal(await list(), "No MCP servers in use; this folder's servers are ignored until you trust it.");
});

test("MCP23 without a terminal, pith mcp trust shows what would run and starts it only with --yes", async () => {
  const home = mkdtempSync(join(tmpdir(), "pith-home-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const log = join(home, "calc.log");
  writeFileSync(join(home, "settings.json"), JSON.stringify({ mcpServers: { calc: testServerCommand(log, []) } }));
  const called = async (
    act: (call: SubcommandCall) => Promise<SubcommandResult>,
    flags: SubcommandCall["flags"] = {},
  ): Promise<string> => {
    const call = { cwd: home, home, environment: process.env, arguments: ["calc"], flags, notify: () => {} };
    const outcome = await act(call as unknown as SubcommandCall);
    return outcome.type === "success" ? `${outcome.code ?? 0} ${outcome.text}` : outcome.message;
  };
  assert.match(
    await called(trustServer),
    /^1 runs: .*stdio-server\.ts.*\nin: [\s\S]*\nThe server was not started\. .*--yes/,
  );
  assert.match(await called(testServer), /^1 runs: [\s\S]*The server was not started\. .*pith mcp trust calc$/);
  assert.equal(existsSync(log), false);
  assert.match(await called(trustServer, { yes: true }), /^0 runs: [\s\S]*\+ add: [\s\S]*are now trusted\.$/);
  assert.match(await called(testServer), /^0 runs: [\s\S]*The server is trusted in its current state\.$/);
});
