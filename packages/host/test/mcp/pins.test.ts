/** What a pin covers: the files of the program, its packages and its tools; each change asks again and says what changed. */

import assert from "node:assert/strict";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "vitest";
import { hashProgramFiles } from "../../src/mcp/program-files.ts";
import { McpHost } from "./mcp-host.ts";

let host: McpHost;

beforeEach(() => {
  host = new McpHost();
});

afterEach(() => host.remove());

/** A script of its own package, that starts the calc. */
function packedServer(): { readonly script: string; readonly lock: string } {
  const folder = join(host.home, "tracker");
  mkdirSync(join(folder, "dist"), { recursive: true });
  const { args = [] } = host.serverCommand();
  const words = JSON.stringify(["node", ...args]);
  const script = join(folder, "dist/main.mjs");
  writeFileSync(script, `process.argv = ${words};\nawait import(${JSON.stringify(args[0])});\n`);
  const lock = join(folder, "package-lock.json");
  writeFileSync(lock, "{}");
  return { script, lock };
}

const find = (): ReturnType<McpHost["use"]> => host.use("mcp_find", {});

test("MCP20 MCP21 MCP22 MCP23 a changed executable, script or lock file is confirmed before anything runs, and the question names the change", async () => {
  const { script, lock } = packedServer();
  const node = join(host.home, "node");
  copyFileSync(process.execPath, node);
  const servers = { calc: { ...host.serverCommand(), command: node, args: [script] } };
  await host.open(servers, { answer: true });
  assert.equal((await find()).isError, false);
  assert.match(
    host.questions[0] ?? "",
    /Pith asks again if any of these change: .*node, .*main\.mjs, .*package-lock\.json, its tools/,
  );
  assert.equal(host.questions.length, 2);

  const changes: readonly (readonly [string, RegExp])[] = [
    [node, /its program has changed\. Start it\?\n[\s\S]*\nprogram changed: .*\/node$/],
    [script, /\nprogram changed: .*\/dist\/main\.mjs$/],
    [lock, /\npackages changed: .*\/package-lock\.json$/],
  ];
  for (const [file, expectedNote] of changes) {
    await host.close();
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from("\n")]));
    const runs = host.listStartedPids().length;
    await host.open(servers);
    const { text } = await find();
    assert.match(
      text,
      /the program for calc has changed since it was trusted \(.* changed: .*\), so it was not started/,
    );
    await host.open(servers, { answer: false });
    assert.match((await find()).text, /the user did not allow the program for calc to start/);
    assert.match(host.questions.at(-1) ?? "", expectedNote);
    assert.equal(host.listStartedPids().length, runs);
    // One yes is enough where the tools are the same.
    const questions: number = host.questions.length;
    await host.open(servers, { answer: true });
    assert.equal((await find()).isError, false);
    assert.equal(host.questions.length, questions + 1);
    await host.open(servers);
    assert.equal((await find()).isError, false);
  }
});

test("MCP20 with pins of version 1, the program needs trust once more and the tools do not", async () => {
  await host.open({ calc: host.serverCommand() }, { answer: true });
  await find();
  const file = join(host.home, "mcp-pins.json");
  const pins = JSON.parse(readFileSync(file, "utf8"));
  assert.equal(pins.version, 2);
  for (const pin of Object.values<{ files?: unknown }>(pins.servers)) delete pin.files;
  writeFileSync(file, JSON.stringify({ ...pins, version: 1 }), { mode: 0o600 });
  await host.open({ calc: host.serverCommand() });
  assert.match((await find()).text, /the program for calc is not trusted yet/);
  await host.open({ calc: host.serverCommand() }, { answer: true });
  assert.equal((await find()).isError, false);
  assert.match(host.questions[2] ?? "", /start this program\?[\s\S]*trusted by an earlier version of Pith/);
  assert.equal(host.questions.length, 3);
  await host.open({ calc: host.serverCommand() });
  assert.equal((await find()).isError, false);
});

test("MCP22 packages that npx fetched are pinned by their lock file after the first start", async () => {
  const folder = join(host.home, "npm-package");
  mkdirSync(folder, { recursive: true });
  const { args: [main, ...rest] = [] } = host.serverCommand();
  const started = `#!/usr/bin/env node\nprocess.argv = ${JSON.stringify(["node", main, ...rest])};\nimport(${JSON.stringify(main)});\n`;
  writeFileSync(join(folder, "main.cjs"), started);
  chmodSync(join(folder, "main.cjs"), 0o755);
  const manifest = { name: "tracker", version: "1.0.0", bin: { tracker: "main.cjs" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  const env = { ...host.serverCommand().env, HOME: host.home };
  const servers = { calc: { command: "npx", args: ["--offline", "--yes", folder], env, sandbox: "off" as const } };
  await host.open(servers, { answer: true });
  assert.equal((await find()).isError, false);
  const pins = JSON.parse(readFileSync(join(host.home, "mcp-pins.json"), "utf8"));
  const [pin] = Object.values<{ files: { packages: Record<string, string> } }>(pins.servers);
  const [lock = ""] = Object.keys(pin?.files.packages ?? {});
  assert.match(lock, /\/\.npm\/_npx\/\w+\/package-lock\.json$/);
  await host.open(servers);
  assert.equal((await find()).isError, false);
  writeFileSync(lock, `${readFileSync(lock, "utf8")}\n`);
  assert.ok(existsSync(lock));
  await host.open(servers);
  assert.match((await find()).text, /has changed since it was trusted \(packages changed: .*package-lock\.json\)/);
});

test("MCP21 the pinned script is found after options, and an unreadable file is recorded with its error", async () => {
  const folder = host.workspace;
  for (const name of ["hook.mjs", "main.mjs", "data.json"]) writeFileSync(join(folder, name), "");
  const named = async (program: string, ...words: readonly string[]): Promise<readonly string[]> => {
    const files = await hashProgramFiles({ program, arguments: words, cwd: folder, home: host.home });
    return Object.keys(files.program).map((path) => path.replace(`${folder}/`, ""));
  };
  const node = process.execPath;
  assert.deepEqual(await named(node, "--no-warnings", "main.mjs", "data.json"), [node, "main.mjs"]);
  assert.deepEqual(await named(node, "--import", "hook.mjs", "main.mjs"), [node, "hook.mjs", "main.mjs"]);
  assert.deepEqual(await named(node, `--import=${folder}/hook.mjs`, "main.mjs"), [node, "hook.mjs", "main.mjs"]);
  assert.deepEqual(await named(node, "-e", "1", "data.json"), [node]);
  assert.deepEqual(await named("/bin/ls", "data.json"), ["/bin/ls"]);
  const gone = join(folder, "gone");
  const { program } = await hashProgramFiles({ program: gone, arguments: [], cwd: folder, home: host.home });
  assert.deepEqual(program, { [gone]: "not read: ENOENT" });
});
