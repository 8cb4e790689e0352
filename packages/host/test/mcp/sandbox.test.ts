/** What the program of a server sees, writes and reaches in its sandbox. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createNetServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { detectBubblewrap } from "@pith/agent/node";
import { afterEach, beforeEach, onTestFinished, test } from "vitest";
import type { LaunchPlan } from "../../src/mcp/plan-launch.ts";
import { ServerHosts, ServerSandbox } from "../../src/mcp/server-sandbox.ts";
import type { StdioServer } from "../../src/settings/settings.ts";
import { countProcessesWith, McpHost } from "./mcp-host.ts";

const here = await detectBubblewrap({ root: "/nowhere", environment: process.env });
const hasNoSandbox = here.type === "unavailable";

let mcpHost: McpHost;

beforeEach(() => {
  mcpHost = new McpHost();
});

afterEach(() => mcpHost.remove());

function curious(limits: Partial<StdioServer> = {}): StdioServer {
  return { command: process.execPath, args: [join(import.meta.dirname, "servers/probe-server.ts")], ...limits };
}

async function ask(tool: string, args: object = {}): Promise<string> {
  return (await mcpHost.use("mcp_call", { tool: `curious/${tool}`, arguments: args })).text;
}

test.skipIf(hasNoSandbox)(
  "MCP25 a server cannot see the workspace, the home folder, Pith's own files or the temporary folder",
  async () => {
    const secret = mkdtempSync(join(homedir(), "pith-test-"));
    onTestFinished(() => rmSync(secret, { recursive: true }));
    const files = [mcpHost.workspace, mcpHost.home, secret, tmpdir()].map((folder) =>
      join(folder, `pith-secret-${process.pid}`),
    );
    for (const file of files) writeFileSync(file, "secret");
    onTestFinished(() => rmSync(files[3] ?? "", { force: true }));
    await mcpHost.open({ curious: curious() }, { answer: true });
    for (const path of files) assert.equal(await ask("read", { path }), "failed: ENOENT", path);
    for (const path of files) await ask("write", { path });
    assert.deepEqual(
      files.map((file) => readFileSync(file, "utf8")),
      files.map(() => "secret"),
    );
    assert.equal(await ask("where"), `${join(mcpHost.home, "mcp/curious")} ${homedir()} /tmp`);
    assert.match(
      mcpHost.questions[0] ?? "",
      /\nsandbox: on; it cannot see your home folder or the workspace\ncan write: its own folder and a private home\n/,
    );
  },
);

test.skipIf(hasNoSandbox)(
  "MCP31 a server gets the variables for company certificates and can read those files, but none in the workspace",
  async () => {
    const folder = mkdtempSync(join(homedir(), "pith-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    const [own, foreign] = [join(folder, "ca.pem"), join(mcpHost.workspace, "ca.pem")];
    for (const file of [own, foreign]) writeFileSync(file, certificate);
    const environment = { NODE_EXTRA_CA_CERTS: own, AWS_CA_BUNDLE: foreign, UNRELATED: own };
    await mcpHost.open({ curious: curious() }, { answer: true, environment });
    assert.equal(await ask("read", { path: own }), certificate);
    assert.equal(await ask("read", { path: foreign }), "failed: ENOENT");
    const variables = await ask("read", { path: "/proc/self/environ" });
    assert.match(variables, new RegExp(`NODE_EXTRA_CA_CERTS=${own}`));
    assert.doesNotMatch(variables, /AWS_CA_BUNDLE|UNRELATED/);
  },
);

test.skipIf(hasNoSandbox)(
  "BOX40 MCP25 a server cannot connect to a socket of the machine, even in one of its folders",
  async () => {
    const folder = mkdtempSync(join(homedir(), "pith-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "service");
    const server = createNetServer((socket) => socket.end("machine"));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(path, resolve));
    await mcpHost.open({ curious: curious({ folders: [folder] }) }, { answer: true });
    assert.equal(await ask("connect", { path }), "failed: ECONNREFUSED");
  },
);

test.skipIf(hasNoSandbox)("BOX33 MCP25 a server sees a workspace outside the home as empty", async () => {
  assert(here.type === "available");
  const namedServer = { name: "any", server: { command: process.execPath }, from: "settings" } as const;
  const hosts = new ServerHosts({ namedServer, isPackageHost: async () => false, confirm: () => null });
  const cwd = join(mcpHost.home, "mcp/any");
  mkdirSync(cwd, { recursive: true });
  const workspace = "/usr/share";
  const context = {
    home: mcpHost.home,
    userHome: homedir(),
    workspace,
    environment: { PATH: "/usr/bin" },
    settings: {},
  };
  const sandbox = await ServerSandbox.open({ ...context, detection: here, namedServer, cwd, hosts });
  onTestFinished(() => sandbox.close());
  const plan = { program: process.execPath, arguments: [], environment: {}, files: { program: {}, packages: {} } };
  const launch = await sandbox.prepareLaunch(plan as unknown as LaunchPlan);
  assert.equal(launch.arguments[launch.arguments.indexOf(workspace) - 1], "--tmpfs");
  launch.release?.();
});

test.skipIf(hasNoSandbox)(
  "MCP25 a server's files in its home and its folder persist, and other servers do not see them",
  async () => {
    await mcpHost.open({ curious: curious() }, { answer: true });
    const own = join(mcpHost.home, "mcp/curious/note");
    const name = `pith-note-${process.pid}`;
    for (const path of [join(homedir(), name), own]) assert.equal(await ask("write", { path }), "written");
    assert.deepEqual([existsSync(join(homedir(), name)), existsSync(own)], [false, true]);
    await mcpHost.open({ curious: curious(), other: curious({ env: { OTHER: "1" } }) }, { answer: true });
    for (const path of [join(homedir(), name), own]) assert.equal(await ask("read", { path }), "written");
    const other = await mcpHost.use("mcp_call", { tool: "other/read", arguments: { path: join(homedir(), name) } });
    assert.equal(other.text, "failed: ENOENT");
  },
);

test.skipIf(hasNoSandbox)("BOX34 a server that exceeds its memory limit is killed, and the call says why", async () => {
  await mcpHost.open({ curious: curious() }, { answer: true, choices: { sandboxMemoryGB: 0.02 } });
  assert.match(
    await ask("wait"),
    /Last output from the server:\n[\s\S]*used 0\.\d+ GB of memory; the limit is 0\.02 GB \(setting sandboxMemoryGB\)/,
  );
});

test.skipIf(hasNoSandbox)("MCP26 a server can read and write the folders in its settings", async () => {
  mkdirSync(join(mcpHost.workspace, "docs"));
  const inside = join(mcpHost.workspace, "docs/page");
  await mcpHost.open({ curious: curious({ folders: [join(mcpHost.workspace, "docs")] }) }, { answer: true });
  assert.equal(await ask("write", { path: inside }), "written");
  assert.equal(readFileSync(inside, "utf8"), "written");
  await ask("write", { path: join(mcpHost.workspace, "page") });
  assert.equal(existsSync(join(mcpHost.workspace, "page")), false);
  assert.match(mcpHost.questions[0] ?? "", /\ncan write: its own folder and a private home, .*\/docs\n/);
});

test.skipIf(hasNoSandbox)(
  "MCP26 a server whose folders contain the home or do not exist is refused before it starts",
  async () => {
    for (const limits of [
      { folders: ["~"] },
      { cwd: "~" },
      { folders: ["/"] },
      { folders: [join(mcpHost.home, "gone")] },
    ]) {
      await mcpHost.open({ curious: curious(limits) }, { answer: true });
      assert.match(
        (await mcpHost.use("mcp_find", {})).text,
        /its (?:cwd|folders) .* cannot be used: .*set "sandbox": "off"/,
      );
    }
    assert.deepEqual(mcpHost.questions, []);
  },
);

async function startSite(): Promise<{ readonly host: string; readonly url: string; readonly requestPaths: string[] }> {
  const requestPaths: string[] = [];
  const site = createServer((request, response) => {
    requestPaths.push(request.url ?? "");
    response.end("hello");
  });
  // Not 127.0.0.1, which is the sandbox's own machine.
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.2", resolve));
  onTestFinished(() => void site.close());
  const host = `127.0.0.2:${(site.address() as AddressInfo).port}`;
  return { host, url: `http://${host}/page`, requestPaths };
}

test.skipIf(hasNoSandbox)(
  "MCP27 MCP30 a server reaches the hosts in its settings, asks about others, and is refused without a user",
  async () => {
    const { host, url, requestPaths } = await startSite();
    const fetchHosts = [host];
    await mcpHost.open({ curious: curious({ hosts: ["127.0.0.2"] }) }, { answer: true, choices: { fetchHosts } });
    assert.equal(await ask("reach", { url }), "200 hello");
    assert.equal(mcpHost.questions.length, 2);
    assert.match(await mcpHost.status(), new RegExp(`sandbox: on\n {2}hosts: ${host}`));

    await mcpHost.open({ curious: curious() }, { choices: { fetchHosts } });
    assert.match(
      await ask("reach", { url }),
      /^failed: .*\n.* may not connect to 127\.0\.0\.2, .*mcpServers\.curious\.hosts/,
    );
    assert.deepEqual(requestPaths, ["/page"]);
    assert.match(await mcpHost.status(), new RegExp(`hosts: ${host} \\(refused\\)`));

    await mcpHost.open({ curious: curious() }, { answer: true, choices: { fetchHosts } });
    assert.equal(await ask("reach", { url }), "200 hello");
    assert.equal(await ask("reach", { url }), "200 hello");
    assert.match(
      mcpHost.questions[2] ?? "",
      new RegExp(`^Allow the MCP server curious to connect to ${host}\\?\n.*mcpServers\\.curious\\.hosts`),
    );
    assert.equal(mcpHost.questions.length, 3);
  },
);

test.skipIf(hasNoSandbox)("MCP27 a server reaches a local server that its hosts name with a port", async () => {
  const local = createServer((_, response) => void response.end("local"));
  await new Promise<void>((resolve) => local.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void local.close());
  const { port } = local.address() as AddressInfo;
  await mcpHost.open({ curious: curious() }, { answer: true });
  assert.match(await ask("reach", { url: `http://127.0.0.1:${port}/` }), /^failed: ECONNREFUSED/);
  await mcpHost.open({ curious: curious({ hosts: [`localhost:${port}`] }) }, { answer: true });
  assert.equal(await ask("reach", { url: `http://127.0.0.1:${port}/` }), "200 local");
});

test.skipIf(hasNoSandbox)(
  "MCP27 npx reaches the hosts of the user's package configuration without a question",
  async () => {
    const { host, url } = await startSite();
    const npx = join(mcpHost.workspace, "bin/npx");
    mkdirSync(join(mcpHost.workspace, "bin"));
    symlinkSync(process.execPath, npx);
    const environment = { npm_config_registry: `http://${host}/` };
    const folders = [join(import.meta.dirname, "../../../..")];
    const choices = { fetchHosts: [host] };
    await mcpHost.open({ curious: curious({ command: npx, folders }) }, { answer: true, environment, choices });
    assert.equal(await ask("reach", { url }), "200 hello");
    assert.equal(mcpHost.questions.length, 2);
    assert.match(mcpHost.questions[0] ?? "", /\nnetwork: your package registries; Pith asks about every other host\n/);
  },
);

test.skipIf(hasNoSandbox)(
  "MCP22 MCP25 npx stores its packages in the server's private home, where they are pinned",
  async () => {
    const folder = join(mcpHost.workspace, "package");
    mkdirSync(folder);
    const main = join(import.meta.dirname, "servers/probe-server.ts");
    writeFileSync(join(folder, "main.mjs"), `#!/usr/bin/env node\nawait import(${JSON.stringify(main)});\n`, {
      mode: 0o755,
    });
    const manifest = { name: "tracker", version: "1.0.0", bin: { tracker: "main.mjs" } };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    const folders = [folder, join(import.meta.dirname, "../../../..")];
    const environment = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
    const servers = { curious: { command: "npx", args: ["--offline", "--yes", folder], folders } };
    await mcpHost.open(servers, { answer: true, environment });
    assert.match(await ask("where"), /mcp\/curious /);
    const pins = readFileSync(join(mcpHost.home, "mcp-pins.json"), "utf8");
    assert.match(
      pins,
      /"packages": \{\s*"[^"]*\/sandbox\/\w+\/home\/\.npm\/_npx\/\w+\/package-lock\.json": "[a-f\d]{64}"/,
    );
    await mcpHost.open(servers, { environment });
    assert.match(await ask("where"), /mcp\/curious /);
  },
);

test.skipIf(hasNoSandbox)("MCP29 a sandboxed server ends with the session", async () => {
  await mcpHost.open({ curious: curious({ args: [...(curious().args ?? []), mcpHost.home] }) }, { answer: true });
  await ask("where");
  assert.ok(countProcessesWith(mcpHost.home) > 0);
  await mcpHost.close();
  assert.equal(countProcessesWith(mcpHost.home), 0);
});

test("MCP28 a server without a sandbox starts with full permissions after a question; the question and /mcp say so", async () => {
  const path = join(mcpHost.workspace, "file");
  writeFileSync(path, "seen");
  await mcpHost.open({ curious: curious({ sandbox: "off" }) }, { answer: true });
  assert.equal(await ask("read", { path }), "seen");
  assert.match(
    mcpHost.questions[0] ?? "",
    /\nsandbox: off \(turned off in your settings\); it runs with your full user permissions\n/,
  );
  assert.match(await mcpHost.status(), /\n {2}sandbox: off, turned off in your settings/);
});
