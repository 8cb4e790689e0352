/** Servers that die, hang, say too much or are sent away, and how all of them end. */

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { selectCertificateVariables } from "@pith/agent/node";
import { afterEach, beforeEach, onTestFinished, test, vi } from "vitest";
import { StartTimer } from "../../src/mcp/client.ts";
import { isRunning, McpHost } from "./mcp-host.ts";
import { initializeResult, startHttpMcpServer, startSseMcpServer, toTextResult } from "./servers/web-server.ts";

let host: McpHost;

beforeEach(() => {
  host = new McpHost();
});

afterEach(() => host.remove());

test("MCP7 a server that exits fails the call with its last output, and the next call restarts it, at most three times", async () => {
  await host.open({ calc: host.serverCommand() }, { answer: true });
  for (let round = 0; round < 4; round += 1)
    assert.match(
      (await host.use("mcp_call", { tool: "calc/die" })).text,
      /failed: .*\nLast output from the server:\ncalc: I am going now/,
    );
  assert.equal(host.listStartedPids().length, 4);
  const { text } = await host.use("mcp_call", { tool: "calc/add", arguments: { one: 1, other: 2 } });
  assert.match(text, /started 4 times in five minutes .*pith mcp test calc/);
  assert.equal(host.listStartedPids().length, 4);
});

test("MCP7 MCP10 a server that cannot start reports why, and it gets only a few environment variables", async () => {
  process.env.PITH_TEST_API_KEY = "any";
  const broken = host.serverCommand("broken");
  const env = { ...broken.env, DESK_REGION: "eu" };
  await host.open({ calc: { ...broken, env }, gone: { command: "no-such-program-here" } }, { answer: true });
  assert.match((await host.use("mcp_call", { tool: "calc/add" })).text, /the database is \\x1b\[31mon fire/);
  assert.match((await host.use("mcp_call", { tool: "gone/x" })).text, NOT_FOUND);
  assert.match(await host.status(), /calc {2}failed/);
  delete process.env.PITH_TEST_API_KEY;
  const names = /^started \d+ (.*)$/m.exec(host.log())?.[1]?.split(",") ?? [];
  assert.ok(names.includes("DESK_REGION") && names.includes("PATH"));
  const passedOn = /^(?:DESK_REGION|HOME|LANG|LC_\w+|LOGNAME|NODE_COMPILE_CACHE|PATH|SHELL|TERM|TMPDIR|TZ|USER)$/;
  const certificates = Object.keys(selectCertificateVariables(process.env, []));
  assert.deepEqual(
    names.filter((name) => !passedOn.test(name) && !certificates.includes(name)),
    [],
  );
});

const NOT_FOUND = /failed: the program no-such-program-here was not found; .* \(configured in your settings/;

test("MCP8 a call to a server that never answers times out, and an abort stops it at once", async () => {
  await host.open({ calc: host.serverCommand("silent") }, { answer: true, limits: { connectMs: 400 } });
  assert.match((await host.use("mcp_call", { tool: "calc/add" })).text, /no response within 0\.4 seconds/);
  assert.ok(!host.listStartedPids().some(isRunning));

  await host.open({ calc: host.serverCommand() }, { answer: true, limits: { callMs: 300 } });
  assert.match((await host.use("mcp_call", { tool: "calc/hang" })).text, /timed out/i);
  const stop = new AbortController();
  const hanging = host.use("mcp_call", { tool: "calc/hang" }, { signal: stop.signal });
  while (!host.log().endsWith("hanging\ncancelled\nhanging\n")) await sleep(20);
  stop.abort();
  assert.equal((await hanging).text, "cancelled");
  while (!host.log().endsWith("hanging\ncancelled\nhanging\ncancelled\n")) await sleep(20);
  assert.equal((await host.use("mcp_call", { tool: "calc/add", arguments: { one: 1, other: 2 } })).text, "3");
});

test("MCP27 a question to the user pauses the start timeout", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let isLate = false;
  const timer = new StartTimer(1_000, () => {
    isLate = true;
  });
  vi.advanceTimersByTime(600);
  timer.pause();
  timer.pause();
  vi.advanceTimersByTime(60_000);
  timer.resume();
  vi.advanceTimersByTime(60_000);
  timer.resume();
  vi.advanceTimersByTime(399);
  assert.equal(isLate, false);
  vi.advanceTimersByTime(1);
  assert.equal(isLate, true);
});

test("MCP9 closing the session ends its servers, also one that hangs", async () => {
  await host.open({ calc: host.serverCommand("stubborn") }, { answer: true });
  const hanging = host.use("mcp_call", { tool: "calc/hang" });
  while (!host.log().includes("hanging")) await sleep(20);
  await host.close();
  assert.deepEqual(host.listStartedPids().map(isRunning), [false]);
  assert.equal((await hanging).isError, true);
});

test("MCP9 closing the session while a server starts leaves no process behind", async () => {
  await host.open({ calc: host.serverCommand("silent") }, { answer: true });
  const starting = host.use("mcp_find", {});
  while (host.listStartedPids().length === 0) await sleep(20);
  await host.close();
  assert.deepEqual(host.listStartedPids().map(isRunning), [false]);
  assert.equal((await starting).isError, true);
});

test("MCP11 a redirect to another host is not followed", async () => {
  const other = await startHttpMcpServer();
  const web = await startHttpMcpServer({ redirect: other.url });
  await host.open({ web: { url: web.url } }, { answer: true });
  assert.equal((await host.use("mcp_find", {})).isError, true);
  assert.deepEqual(other.requestHeaders, []);
  await web.close();
  await other.close();
});

test("MCP18 a response that is too long fails its call, and the next call works", async () => {
  let words = "Hello. ".repeat(5_000_000);
  const old = await startSseMcpServer({ "tools/call": () => toTextResult(words) });
  await host.open({ old: { url: old.url } }, { answer: true });
  const { text, isError } = await host.use("mcp_call", { tool: "old/tell" });
  assert.deepEqual([text.slice(-33), isError], ["its response is larger than 32 MB", true]);
  words = "Hello.";
  assert.equal((await host.use("mcp_call", { tool: "old/tell" })).text, "Hello.");
  await host.close();
  await old.close();
});

test("MCP18 a slow regular expression in a server's schema does not block, and server text cannot break the output", async () => {
  const field = { type: "object", properties: { text: { type: "string", pattern: "^(a+)+$" } } };
  const tool = { name: "tell", inputSchema: field, outputSchema: field };
  const text = `${"a".repeat(27)}!`;
  const old = await startSseMcpServer({
    "tools/list": { tools: [tool] },
    "tools/call": { ...toTextResult("told"), structuredContent: { text } },
  });
  const [empty, faulty] = [
    await startSseMcpServer({ initialize: { ...initializeResult, capabilities: {} } }),
    await startSseMcpServer({ "tools/call": { code: -32000, message: "this session has no such page (404)" } }),
  ];
  const printed = vi.spyOn(console, "debug");
  const named = { old: { url: old.url }, empty: { url: empty.url }, faulty: { url: faulty.url } };
  await host.open(named, { answer: true });
  const before = performance.now();
  const result = await host.use("mcp_call", { tool: "old/tell", arguments: { text } });
  assert.deepEqual([result.isError, performance.now() - before < 1_000], [false, true]);
  assert.match((await host.use("mcp_find", { server: "empty" })).text, /no matching tools/);
  assert.deepEqual(printed.mock.calls, []);
  // An error that a server answers is no reason to leave it.
  for (let round = 0; round < 6; round += 1)
    assert.match((await host.use("mcp_call", { tool: "faulty/tell" })).text, /has no such page/);
  await host.close();
  for (const each of [old, empty, faulty]) await each.close();
});
