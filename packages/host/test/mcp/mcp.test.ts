/** Servers of tools through the extension: trusted as they are, found and called. */

import assert from "node:assert/strict";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, test } from "vitest";
import { McpHost } from "./mcp-host.ts";
import { startHttpMcpServer, startSseMcpServer } from "./servers/web-server.ts";

let host: McpHost;

beforeEach(() => {
  host = new McpHost();
});

afterEach(() => host.remove());

test("MCP2 MCP3 no server starts before its first use, and tools of local programs and of URLs are found and called alike", async () => {
  const web = await startHttpMcpServer();
  await host.open(
    { calc: host.serverCommand(), web: { url: web.url, headers: { "x-team": "docs" } } },
    { answer: true },
  );
  assert.match(await host.status(), /calc {2}not started, not trusted yet/);
  assert.deepEqual([host.listStartedPids(), web.requestHeaders], [[], []]);
  assert.deepEqual(await host.use("mcp_call", { tool: "web/greet", arguments: { name: "Ann" } }), {
    text: "Hello, Ann",
    isError: false,
  });
  assert.deepEqual(host.listStartedPids(), []);
  assert.ok(web.requestHeaders.every((headers) => headers["x-team"] === "docs" && headers.cookie === undefined));
  const call = { tool: "calc/add", arguments: { one: 1, other: 2 } };
  assert.deepEqual(await host.use("mcp_call", call), { text: "3", isError: false });
  const { text } = await host.use("mcp_find", { query: "greets" });
  assert.match(text, /web\/greet: Greets somebody\.\n {2}arguments: \{.*"name":\{"type":"string"\}/);
  const { text: all } = await host.use("mcp_find", {});
  assert.match(all, /calc\/add: Adds two numbers\.\n[\s\S]*web\/greet: Greets somebody\./);
  assert.equal(host.listStartedPids().length, 1);
  assert.match(await host.status(), /calc {2}running, 5 tools trusted/);
  await host.close();
  await web.close();
});

test("MCP3 a server that supports only the older HTTP transport is called with it", async () => {
  const old = await startSseMcpServer();
  await host.open({ old: { url: old.url, headers: { "x-team": "docs" } } }, { answer: true });
  assert.equal((await host.use("mcp_call", { tool: "old/tell" })).text, "as of old");
  assert.ok(old.requestHeaders.every((headers) => headers["x-team"] === "docs"));
  await host.close();
  await old.close();
});

test("RUN13 tools with readOnlyHint run concurrently once the server has listed its tools, all others in order", async () => {
  await host.open({ calc: host.serverCommand("reading") }, { answer: true });
  const isConcurrent = host.tool("mcp_call")?.isConcurrent;
  assert.ok(typeof isConcurrent === "function");
  const list = () =>
    ["calc/peek", "calc/add", "calc/none", "none/peek", undefined].map((tool) => isConcurrent({ tool }));
  assert.deepEqual(list(), [false, false, false, false, false]);
  assert.equal((await host.use("mcp_call", { tool: "calc/peek" })).text, "seen");
  assert.deepEqual(list(), [true, false, false, false, false]);
  assert.equal(host.tool("mcp_find")?.isConcurrent, true);
});

test("MCP4 MCP23 the first use asks about the program and then its tools; a trusted server asks nothing, and a changed tool list asks again with the changes", async () => {
  await host.open({ calc: host.serverCommand() }, { answer: true });
  await host.use("mcp_find", { server: "calc" });
  await host.use("mcp_call", { tool: "calc/add", arguments: { one: 1, other: 2 } });
  assert.equal(host.questions.length, 2);
  assert.match(
    host.questions[0] ?? "",
    /^calc: start this program\?\nruns: .*node .*stdio-server\.ts.*\nin: .*mcp\/calc\n/,
  );
  assert.match(
    host.questions[1] ?? "",
    /^calc: trust its tools\?\nruns: .*stdio-server\.ts.*\n5 tools:\n\+ add: Adds two numbers\./,
  );
  await host.open({ calc: host.serverCommand() });
  assert.equal((await host.use("mcp_find", { server: "calc" })).isError, false);

  // The same command, and another list: its program was changed behind our back.
  const file = join(host.home, "mcp-pins.json");
  const pins = JSON.parse(readFileSync(file, "utf8"));
  const [key = ""] = Object.keys(pins.servers);
  const { add: _, ...tools } = pins.servers[key].tools;
  pins.servers[key] = { ...pins.servers[key], hash: "other", tools: { ...tools, die: "other", old: "gone" } };
  writeFileSync(file, JSON.stringify(pins), { mode: 0o600 });
  const refused = await host.use("mcp_call", { tool: "calc/add", arguments: { one: 1, other: 2 } });
  assert.match(
    refused.text,
    /changed since they were trusted \(new: add; removed: old; changed: die\).*pith mcp trust calc/,
  );
  await host.open({ calc: host.serverCommand() }, { answer: false });
  assert.match((await host.use("mcp_find", {})).text, /the user does not trust the tools from calc/);
  assert.match(
    host.questions[2] ?? "",
    /^calc: its tools have changed.*\n.*\n.*\nchanged: die: .*\nnew: add: .*\nremoved: old$/,
  );
  await host.use("mcp_find", {});
  assert.equal(host.questions.length, 3);
});

test("MCP4 another URL under the same name needs trust again", async () => {
  const web = await startHttpMcpServer();
  await host.open({ web: { url: web.url } }, { answer: true });
  await host.use("mcp_find", {});
  await host.open({ web: { url: `${web.url}?other` } });
  assert.match((await host.use("mcp_find", {})).text, /are not trusted yet, and no user is available to ask/);
  await host.close();
  await web.close();
});

test("MCP5 a tool list that changes during a session is confirmed before the next call", async () => {
  await host.open({ calc: host.serverCommand() }, { answer: true });
  await host.use("mcp_call", { tool: "calc/more" });
  assert.equal(host.questions.length, 2);
  await sleep(100);
  assert.equal((await host.use("mcp_call", { tool: "calc/late" })).text, "late");
  assert.match(host.questions[2] ?? "", /new: late: Came later\.$/);
});

test("MCP5 a tool that changes while the user is deciding is not called", async () => {
  await host.open({ calc: host.serverCommand("restless") }, { answer: true, answerDelayMs: 600 });
  const call = { tool: "calc/add", arguments: { one: 1, other: 2 } };
  assert.match((await host.use("mcp_call", call)).text, /the tools from calc have changed; try again/);
  assert.equal((await host.use("mcp_call", call)).text, "3");
  assert.match(host.questions[2] ?? "", /new: late: Came later\.$/);
});

test("MCP6 MCP16 an unknown tool or arguments that do not match are not sent; text, images, resources and data become model content", async () => {
  await host.open({ calc: host.serverCommand() }, { answer: true });
  const misfit = await host.use("mcp_call", { tool: "calc/add", arguments: { one: "1" } });
  assert.match(
    misfit.text,
    /was not called: the arguments do not match its schema .*It takes: \{.*"required":\["one","other"\]/,
  );
  const misspelled = await host.use("mcp_call", { tool: "calc/ad", arguments: {} });
  assert.match(misspelled.text, /Did you mean calc\/add\? It takes: \{"type":"object".*Available tools: add, die/);
  assert.match(
    (await host.use("mcp_call", { tool: "nobody/x" })).text,
    /No MCP server named "nobody"\. Available servers: calc/,
  );
  assert.deepEqual([misfit.isError, misspelled.isError], [true, true]);
  const intents = ["nobody/x", "calc/add"].map((tool) => host.tool("mcp_call")?.intent?.({ tool })?.type);
  assert.deepEqual(intents, ["nothing", "named"], "what nobody offers is refused, not asked about");
  assert.deepEqual(await host.use("mcp_call", { tool: "calc/picture" }), {
    text: '[image/png]\n(unsupported image: image/tiff, 4 characters of base64)\ncalc://note\na note\\x1b[31m\n{"answer":42}',
    isError: false,
  });
});

test("MCP15 trust is stored readable by the user only, and a file that others can write is not trusted", async () => {
  const old = await startSseMcpServer();
  await host.open({ old: { url: old.url } }, { answer: true });
  await host.use("mcp_find", {});
  const file = join(host.home, "mcp-pins.json");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  chmodSync(file, 0o666);
  assert.match((await host.use("mcp_find", {})).text, /mcp-pins\.json .* \(run chmod 600 on it\)/);
  assert.equal(host.questions.length, 1);
  await host.close();
  await old.close();
});
