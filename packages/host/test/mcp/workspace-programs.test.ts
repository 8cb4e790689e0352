/** Programs and modules that a workspace holds: none of them is run because a server of the user's settings starts. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import { McpHost } from "./mcp-host.ts";

let host: McpHost;

beforeEach(() => {
  host = new McpHost();
});

afterEach(() => host.remove());

const mark = (): string => join(host.home, "mark");

/** Writes a program that leaves a mark into the workspace, and gives its path. */
function plant(path: string, text = `#!/bin/sh\ntouch '${mark()}'\n`): string {
  const whole = join(host.workspace, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text, { mode: 0o755 });
  return whole;
}

test.each([
  { what: "a program of the workspace that PATH names", command: "tracker", path: () => join(host.workspace, "bin") },
  { what: "a program found by a relative folder of PATH", command: "tracker", path: () => "bin" },
  { what: "a link from a folder of PATH into the workspace", command: "tracker", path: () => linkedFolder() },
  { what: "a relative path", command: "./bin/tracker", path: () => "" },
])("MCP19 $what is not started", async ({ command, path }) => {
  plant("bin/tracker");
  const environment = { PATH: `${path()}${delimiter}${process.env.PATH}` };
  await host.open({ tracker: { command, sandbox: "off" } }, { answer: true, environment });
  const { text } = await host.use("mcp_find", {});
  assert.deepEqual([existsSync(mark()), host.questions], [false, []]);
  assert.match(text, /the program (?:\.\/bin\/)?tracker .*absolute path/);
});

function linkedFolder(): string {
  const folder = join(host.home, "bin");
  mkdirSync(folder, { recursive: true });
  symlinkSync(join(host.workspace, "bin/tracker"), join(folder, "tracker"));
  return folder;
}

test.each([
  { what: "program of the workspace's node_modules", files: { "node_modules/.bin/tracker": undefined } },
  {
    what: "program of the workspace's own package",
    files: {
      "package.json": '{ "name": "work", "version": "1.0.0", "bin": { "tracker": "tracker.sh" } }',
      "tracker.sh": undefined,
    },
  },
])("MCP19 npx starts no $what", async ({ files }) => {
  for (const [path, text] of Object.entries(files)) plant(path, text);
  const args = ["--offline", "--yes", "tracker"];
  await host.open({ tracker: { command: "npx", args, env: { HOME: host.home }, sandbox: "off" } }, { answer: true });
  assert.equal((await host.use("mcp_find", {})).isError, true);
  assert.equal(existsSync(mark()), false);
});

test("MCP19 a server run with python loads no module of the workspace", async () => {
  const text = `open(${JSON.stringify(mark())}, "w")`;
  for (const name of ["json.py", "sitecustomize.py", "usercustomize.py"]) plant(name, text);
  await host.open(
    { tracker: { command: "python3", args: ["-m", "json.tool", "/dev/null"], sandbox: "off" } },
    { answer: true },
  );
  assert.equal((await host.use("mcp_find", {})).isError, true);
  assert.equal(existsSync(mark()), false);
});

test("MCP19 a server starts in a private folder of its own, or in its configured cwd", async () => {
  const say = (tool: string) => ({ tool, arguments: {} });
  await host.open({ calc: host.serverCommand("where") }, { answer: true });
  assert.equal((await host.use("mcp_call", say("calc/where"))).text, join(host.home, "mcp/calc"));
  assert.equal(statSync(join(host.home, "mcp/calc")).mode & 0o777, 0o700);
  await host.open({ calc: { ...host.serverCommand("where"), cwd: host.workspace } }, { answer: true });
  assert.equal((await host.use("mcp_call", say("calc/where"))).text, host.workspace);
});
