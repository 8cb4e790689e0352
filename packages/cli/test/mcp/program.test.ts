/** The program as a process, with real servers of tools: small requests, late starts, trust without a screen, and no orphans. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { detectBubblewrap } from "@pith/agent/node";
import { RpcClient } from "@pith/client";
import type { Step } from "@pith/testkit";
import { afterAll, beforeAll, test } from "vitest";
import { countProcessesWith, isRunning, testServerCommand } from "../../../host/test/mcp/mcp-host.ts";
import { startHttpMcpServer } from "../../../host/test/mcp/servers/web-server.ts";
import type { SubcommandCall } from "../../src/args/subcommand.ts";
import { trustServer } from "../../src/mcp/subcommands.ts";
import { findBuiltProgram } from "../support/built-program.ts";
import { TestProgram } from "../support/test-program.ts";

const here = await detectBubblewrap({ root: "/nowhere", environment: process.env });

/** Of all tests, in their order: what one has trusted stays so. */
let program: TestProgram;

beforeAll(() => {
  program = new TestProgram();
});

afterAll(() => program.remove());

const log = (): string => join(program.folder, "calc.log");
const logged = (): string => (existsSync(log()) ? readFileSync(log(), "utf8") : "");
const started = (): readonly number[] => [...logged().matchAll(/^started (\d+)/gm)].map(([, id]) => Number(id));

function settle(mcpServers: object): void {
  writeFileSync(join(program.home, "settings.json"), JSON.stringify({ mcpServers }));
}

function serverCommand(...behaviors: readonly string[]): object {
  return testServerCommand(log(), behaviors);
}

function call(tool: string, args: object = {}): Step {
  return { parts: [{ type: "call", name: "mcp_call", arguments: { tool, arguments: args } }] };
}

const firstBody = (): string => JSON.stringify(program.server.requests[0]?.body);
const lastBody = (): string => JSON.stringify(program.lastRequestBody());

test("MCP1 MCP2 MCP12 servers of a folder need trust, fifty tools add at most 1 KB to the first request, and an unused server is not started", async () => {
  const file = join(program.folder, ".mcp.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { calc: serverCommand("many") } }));
  assert.equal((await program.runWithScript(["-p", "Hello"], ["Hello."])).code, 0);
  assert.doesNotMatch(firstBody(), /mcp_/);
  const bare = Buffer.byteLength(firstBody());
  const { code, notes } = await program.runWithScript(["-p", "Hello", "--trust"], ["Hello."]);
  assert.deepEqual([code, /this folder configures MCP servers: calc/.test(notes)], [0, true]);
  const more = Buffer.byteLength(firstBody()) - bare;
  assert.ok(more > 0 && more <= 1024, `${more} bytes`);
  assert.match(firstBody(), /mcp_find.*mcp_call/);
  assert.deepEqual(started(), []);
  rmSync(file);
});

test("MCP3 MCP4 MCP14 in print mode, tools are trusted by a subcommand, allowed by a rule, and refused once they change", async () => {
  const web = await startHttpMcpServer();
  settle({ calc: serverCommand(), web: { url: web.url } });
  const script = [call("calc/add", { one: 1, other: 2 }), call("web/greet", { name: "Ann" })];
  await program.runWithScript(["-p", "Go", "--allow", "mcp_call(calc/*)"], [...script, "Done."]);
  assert.match(lastBody(), /the program for calc is not trusted yet, so it was not started.*pith mcp trust calc/);
  assert.match(lastBody(), /no user is available to ask\. To allow it, use --allow 'mcp_call\(web\/greet\)'/);

  assert.deepEqual(started(), []);
  assert.equal((await program.run(["mcp", "trust", "calc", "--yes"])).code, 0);
  const { home, folder: cwd } = program;
  const trustCall = { cwd, home, environment: {}, arguments: ["web"], flags: { yes: true }, notify: () => {} };
  assert.equal((await trustServer(trustCall as unknown as SubcommandCall)).type, "success");
  const rules = ["--allow", "mcp_call(calc/*)", "--allow", "mcp_call(web)", "--deny", "mcp_call(calc/die)"];
  const rest = [call("calc/die"), call("calc/more"), call("calc/add", { one: 1, other: 2 }), "Done."];
  assert.equal((await program.runWithScript(["-p", "Go", ...rules], [...script, ...rest])).out, "Done.\n");
  assert.match(lastBody(), /"3".*Hello, Ann.*the rule mcp_call\(calc\/die\) denies it.*there is more now/);
  assert.match(lastBody(), /have changed since they were trusted \(new: late\).*pith mcp trust calc/);
  assert.ok(!started().some(isRunning));
  await web.close();
});

test("MCP23 over RPC a server's program starts after Yes and does not start after No", async () => {
  settle({ other: { ...serverCommand(), args: [...(testServerCommand(log(), []).args ?? []), "other"] } });
  const { url } = await program.serve(({ resultCount }) =>
    resultCount === 0 ? call("other/add", { one: 1, other: 2 }) : "Done.",
  );
  const env = { ...ours(), ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
  const questions: { readonly title: string; readonly starts: number }[] = [];
  const runs = started().length;
  for (const answer of [/^No/, /^Yes/]) {
    const args = [BIN, "--mode", "rpc", "--permission-mode", "all"];
    const client = RpcClient.start({ command: process.execPath, args, cwd: program.folder, env });
    const settled = new Promise<void>((resolve) => {
      client.listen((event) => {
        if (event.type === "agent_settled") resolve();
        if (event.type !== "extension_ui_request" || event.method !== "select") return;
        questions.push({ title: event.title.split("\n")[0] ?? "", starts: started().length - runs });
        const value = event.options.find((option) => answer.test(option)) ?? "";
        client.respond({ type: "extension_ui_response", id: event.id, value });
      });
    });
    await client.send({ type: "prompt", message: "Go." });
    await settled;
    await client.close();
    assert.match(lastBody(), answer.test("No") ? /the user did not allow the program for other to start/ : /"3"/);
  }
  assert.deepEqual(questions, [
    { title: "other: start this program?", starts: 0 },
    { title: "other: start this program?", starts: 0 },
    { title: "other: trust its tools?", starts: 1 },
  ]);
});

test("MCP8 MCP9 neither SIGINT nor SIGKILL leaves a server running", async () => {
  settle({ calc: serverCommand() });
  await program.serve(() => call("calc/hang"));
  const ends = (["SIGINT", "SIGKILL"] as const).map(async (name) => {
    const child = spawn(process.execPath, [BIN, "-p", "Go", "--permission-mode", "all"], {
      cwd: program.folder,
      env: { ...ours(), ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: program.server.url },
      stdio: "ignore",
    });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await until(() => logged().match(/^hanging$/gm)?.length === 2);
    child.kill(name);
    await ended;
  });
  await Promise.all(ends);
  await until(() => !started().some(isRunning));
  assert.match(logged(), /^cancelled$/m);
});

test.skipIf(here.type === "unavailable")(
  "MCP25 MCP29 a sandboxed server is trusted and called without a terminal, and a kill leaves no process behind",
  async () => {
    const mark = `--mark=${program.home}`;
    const args = [join(import.meta.dirname, "../../../host/test/mcp/servers/probe-server.ts"), mark];
    settle({ curious: { command: process.execPath, args } });
    writeFileSync(join(program.folder, "secret"), "secret");
    const { code, out } = await program.run(["mcp", "trust", "curious", "--yes"]);
    assert.deepEqual([code, /\nsandbox: on; it cannot see/.test(out)], [0, true]);
    const look = call("curious/read", { path: join(program.folder, "secret") });
    await program.runWithScript(["-p", "Go", "--permission-mode", "all"], [look, "Done."]);
    assert.match(lastBody(), /failed: ENOENT/);
    await program.serve(() => call("curious/wait"));
    const child = spawn(process.execPath, [BIN, "-p", "Go", "--permission-mode", "all"], {
      cwd: program.folder,
      env: { ...ours(), ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: program.server.url },
      stdio: "ignore",
    });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await until(() => countProcessesWith(mark) > 0);
    child.kill("SIGKILL");
    await ended;
    await until(() => countProcessesWith(mark) === 0);
  },
);

const BIN = findBuiltProgram();

function ours(): Record<string, string | undefined> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME: program.userHome, PITH_HOME: program.home, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(30);
}

test("MCP30 /mcp says how to add a server when there is none, and lists servers that are turned off", async () => {
  settle({});
  const { code, out } = await program.runWithScript(["-p", "/mcp"], []);
  assert.equal(code, 0);
  assert.match(out, /^No MCP servers are configured\. To add one, /);
  settle({ calc: { ...serverCommand(), enabled: false } });
  assert.match((await program.runWithScript(["-p", "/mcp"], [])).out, /^calc {2}off/);
  assert.match((await program.runWithScript(["-p", "/mcp", "--no-extensions"], [])).out, /^MCP servers are off/);
});
