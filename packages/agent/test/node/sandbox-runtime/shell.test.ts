/** Tests node/sandbox-runtime: real commands in the real sandbox runtime, which uses bubblewrap and socat on Linux. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HostRequest, SandboxNetwork, SandboxNetworkOptions } from "../../../src/node/sandbox-network/network.ts";
import type { RuntimeSandboxOptions } from "../../../src/node/sandbox-runtime/config.ts";
import { RuntimeHost } from "../../../src/node/sandbox-runtime/host-process.ts";
import { runtimeShell } from "../../../src/node/sandbox-runtime/shell.ts";
import type { NetworkConnection, ShellOptions } from "../../../src/ports.ts";
import {
  createSandboxFolders,
  openNetwork,
  type Ran,
  type SandboxFolders,
  SECRET,
  sandboxOptions,
  until,
} from "../../support/sandbox-folders.ts";
import { startWeb } from "../../support/web-servers.ts";
import { installedRuntime } from "./installed.ts";

const runtime = installedRuntime();

function runtimeOptions(folders: SandboxFolders, parts: Partial<RuntimeSandboxOptions> = {}): RuntimeSandboxOptions {
  const { program: _, journal: __, ...options } = sandboxOptions(folders);
  return { ...options, runtime, ...parts };
}

async function ranIn(options: RuntimeSandboxOptions, command: string, act: Partial<ShellOptions> = {}): Promise<Ran> {
  const shell = runtimeShell(options);
  let text = "";
  const output = (chunk: Uint8Array): void => {
    text += Buffer.from(chunk).toString();
  };
  try {
    return { end: await shell.run(command, { signal: new AbortController().signal, onOutput: output, ...act }), text };
  } finally {
    await shell.close();
  }
}

describe("places", () => {
  test("PLAT1 a command works in the workspace, its private home and its temporary folder, and returns its exit code", async () => {
    const folders = createSandboxFolders();
    const { end, text } = await ranIn(
      runtimeOptions(folders),
      'echo one >file; cat file; echo two >"$HOME/x"; echo three >"$TMPDIR/y"; pwd; echo said >&2; exit 7',
    );
    expect({ end, text }).toEqual({
      end: { type: "ended", exitCode: 7 },
      text: `one\n${folders.workspace}\nsaid\n`,
    });
    expect(readFileSync(join(folders.privateHome, "x"), "utf8")).toBe("two\n");
    expect(readFileSync(join(folders.temporary, "y"), "utf8")).toBe("three\n");
  });

  test("PLAT1 a command cannot write outside of them, even through a link", async () => {
    const folders = createSandboxFolders();
    const { end, text } = await ranIn(
      runtimeOptions(folders),
      'for each in "$OUTSIDE/new" way-out/new /usr/pith-was-here; do touch "$each" && echo "wrote $each"; done; echo x >>way-out/file; true',
    );
    expect(end).toEqual({ type: "ended", exitCode: 0 });
    expect(text).not.toContain("wrote");
    expect(text.match(/Read-only file system/g)).toHaveLength(4);
    expect(readdirSync(folders.outside)).toEqual(["file"]);
    expect(readFileSync(join(folders.outside, "file"), "utf8")).toBe("as it was\n");
  });

  test("PLAT1 in plan mode a command writes nothing in the workspace", async () => {
    const folders = createSandboxFolders();
    const { text } = await ranIn(
      runtimeOptions(folders, { mayWrite: () => false }),
      'touch new || touch "$TMPDIR/new" && echo there',
    );
    expect(text).toMatch(/Read-only file system\nthere\n$/);
    expect(existsSync(join(folders.workspace, "new"))).toBe(false);
  });

  test("PLAT2 a command sees neither the real home nor keys nor withheld variables", async () => {
    const folders = createSandboxFolders();
    const real = folders.home;
    const { text } = await ranIn(
      runtimeOptions(folders),
      `cat ${real}/.ssh/id_ed25519 ${real}/notes.txt ${real}/.aws/credentials "$KEYS"; ls -A ${real}; env; echo "$MODEL_KEY."`,
    );
    expect(text).not.toContain(SECRET);
    expect(text.match(/No such file|Permission denied/g)?.length).toBeGreaterThanOrEqual(4);
    expect(text).toMatch(/^\.$/m);
  });

  test("PLAT2 a folder hidden by rules is hidden in the workspace too", async () => {
    const folders = createSandboxFolders();
    mkdirSync(join(folders.workspace, "hidden"));
    writeFileSync(join(folders.workspace, "hidden/file"), SECRET);
    const { text } = await ranIn(
      runtimeOptions(folders, { hidden: [join(folders.workspace, "hidden")] }),
      "cat hidden/file; mv hidden other; cat other/file",
    );
    expect(text).not.toContain(SECRET);
  });

  test("PLAT3 guarded names stay unchanged, present or not, and no placeholder is left", async () => {
    const folders = createSandboxFolders();
    mkdirSync(join(folders.workspace, ".vscode"));
    const before = readdirSync(folders.workspace).toSorted();
    const { text } = await ranIn(
      runtimeOptions(folders),
      "for each in .vscode/tasks.json .git/hooks/pre-commit .git/config .envrc .claude/x .idea/x .pith/x .bashrc; do echo x >>$each && echo wrote $each; done; mv .git/config away && echo moved",
    );
    expect(text).not.toMatch(/wrote|moved/);
    expect(readdirSync(folders.workspace).toSorted()).toEqual(before);
    expect(readFileSync(join(folders.workspace, ".git/config"), "utf8")).toContain("repositoryformatversion");
  });

  test("PLAT3 a repository whose guarded file is reached through a link is refused", async () => {
    const folders = createSandboxFolders();
    const config = join(folders.workspace, ".git/config");
    writeFileSync(config, `[include]\n\tpath = ${join(folders.workspace, "way-out/file")}\n`);
    const { end } = await ranIn(runtimeOptions(folders), "touch ran");
    expect(end).toMatchObject({
      type: "not-started",
      message: expect.stringContaining("is reached through a symbolic link"),
    });
    expect(existsSync(join(folders.workspace, "ran"))).toBe(false);
  });

  test("PLAT4 programs of the workspace and shell settings do not affect the programs that create the sandbox", async () => {
    const folders = createSandboxFolders();
    const bin = join(folders.workspace, "node_modules/.bin");
    mkdirSync(bin, { recursive: true });
    const escaped = join(folders.outside, "escaped");
    for (const name of ["bwrap", "socat", "env", "which", "rg", "bash"])
      writeFileSync(join(bin, name), `#!/bin/sh\ntouch ${escaped}\n`, { mode: 0o755 });
    writeFileSync(join(folders.workspace, "startup"), `touch ${escaped}\n`);
    const environment = {
      ...runtimeOptions(folders).environment,
      PATH: `${bin}:${process.env.PATH}`,
      BASH_ENV: join(folders.workspace, "startup"),
    };
    const { end, text } = await ranIn(runtimeOptions(folders, { environment }), 'echo "$PATH"; echo "$BASH_ENV"');
    expect(end).toEqual({ type: "ended", exitCode: 0 });
    expect(text).toContain(`${environment.PATH}\n${environment.BASH_ENV}\n`);
    expect(existsSync(escaped)).toBe(false);
  });
});

test("PLAT4 the runtime retries if a program that it starts is slow", async () => {
  const { base, workspace } = createSandboxFolders();
  const socatPath = join(base, "socat");
  const script = '#!/bin/bash\nmkdir "$0.started" 2>/dev/null && exec sleep 60; exec /usr/bin/socat "$@"\n';
  writeFileSync(socatPath, script, { mode: 0o755 });
  const config = {
    network: { allowedDomains: [], deniedDomains: [], allowLocalBinding: false, allowAllUnixSockets: false },
    filesystem: { denyRead: [], allowRead: [], allowWrite: [], denyWrite: [] },
    socatPath,
  };
  const host = await RuntimeHost.open({ runtime, root: workspace, config });
  onTestFinished(() => host.close());
  expect(await host.wrap("echo inside", config)).toContain("echo inside");
});

test("PLAT4 the runtime's own process gets no variable of the user", async () => {
  const folders = createSandboxFolders();
  const running = ranIn(runtimeOptions(folders), "touch up; until [ -e go ]; do sleep 0.02; done");
  await until(() => existsSync(join(folders.workspace, "up")));
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ");
  const host = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("SandboxManager"));
  const names = readFileSync(`/proc/${host}/environ`, "utf8")
    .split("\0")
    .map((each) => each.split("=")[0]);
  writeFileSync(join(folders.workspace, "go"), "");
  await running;
  expect(names.filter((name) => name !== "" && !name?.startsWith("NODE_CHANNEL"))).toEqual(["PATH"]);
});

describe("network", () => {
  async function opened(parts: Partial<SandboxNetworkOptions> = {}): Promise<SandboxNetwork> {
    const network = await openNetwork({ program: null, ...parts });
    onTestFinished(() => network.close());
    return network;
  }

  test("PLAT5 each host causes a question with its command, and an allowed host is reached", async () => {
    const { port } = await startWeb();
    const requests: HostRequest[] = [];
    const network = await opened({
      privateHosts: [`shop.test:${port}`],
      permitHost: async (request) => {
        requests.push(request);
        return { type: "allowed" };
      },
    });
    const command = `curl -sS http://shop.test:${port}/`;
    const connections: NetworkConnection[] = [];
    const { end, text } = await ranIn(runtimeOptions(createSandboxFolders(), { network }), command, {
      onConnection: (connection) => void connections.push(connection),
    });
    expect({ end, text }).toEqual({ end: { type: "ended", exitCode: 0 }, text: "hello" });
    expect(requests).toEqual([{ host: "shop.test", port, command }]);
    expect(connections).toMatchObject([{ host: "shop.test", port, outcome: "allowed" }]);
  });

  test("PLAT5 a refused host is not reached, and the client prints the reason", async () => {
    const network = await opened({
      permitHost: async ({ host }) => ({ type: "refused", why: `${host} is not allowed` }),
    });
    const { text } = await ranIn(runtimeOptions(createSandboxFolders(), { network }), "curl -sS http://shop.test/");
    expect(text).toContain("shop.test is not allowed");
  });

  test("PLAT5 without the proxy no server of the machine and no public address is reached, and the proxy needs credentials", async () => {
    const { port, requests } = await startWeb();
    const network = await opened({ privateHosts: [`shop.test:${port}`] });
    const { text } = await ranIn(
      runtimeOptions(createSandboxFolders(), { network }),
      `curl -sS --noproxy '*' -m 5 http://127.0.0.1:${port}/; curl -sS --noproxy '*' -m 5 http://1.1.1.1/; curl -sS -x http://127.0.0.1:\${HTTP_PROXY##*:} http://shop.test:${port}/; env | grep -c PITH_PROXY`,
    );
    expect(text).not.toContain("hello");
    expect(text).toContain("the sandbox proxy serves only commands");
    expect(text).toMatch(/^0$/m);
    expect(requests).toEqual([]);
  });

  test("PLAT5 with the network off no host is reached", async () => {
    const { port, requests } = await startWeb();
    const { end } = await ranIn(
      runtimeOptions(createSandboxFolders(), { network: null }),
      `curl -sSf -m 10 http://127.0.0.1:${port}/ || curl -sSf -m 10 http://shop.test/`,
    );
    expect(end).not.toEqual({ type: "ended", exitCode: 0 });
    expect(requests).toEqual([]);
  });

  test("PLAT6 a command with a secret reaches only its hosts and sees the named file, in a separate home", async () => {
    const folders = createSandboxFolders();
    const { port } = await startWeb();
    const network = await opened({ privateHosts: [`shop.test:${port}`, `other.test:${port}`] });
    writeFileSync(join(folders.privateHome, "left"), "by an earlier command");
    const { text } = await ranIn(
      runtimeOptions(folders, { network }),
      `cat ~/.npmrc; ls -A ~; echo "$TOKEN"; curl -sS http://shop.test:${port}/; curl -sS http://other.test:${port}/`,
      { environment: { TOKEN: "given" }, credentialFiles: ["~/.npmrc"], hosts: ["shop.test"] },
    );
    expect(text).toContain(`_authToken=${SECRET}`);
    expect(text).not.toContain("left");
    expect(text).toContain("given\nhello");
    expect(text).toContain("other.test is refused: this command may reach only shop.test");
  });
});

describe("ends", () => {
  /** Of all processes of this machine, also those in a namespace of their own. */
  function commandLines(): readonly string[] {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        // It ended in between.
        return "";
      }
    });
  }

  test("PLAT7 a stopped command ends with all its processes", async () => {
    const folders = createSandboxFolders();
    const stop = new AbortController();
    const sleep = `sleep 86400.${process.pid}`;
    const running = ranIn(runtimeOptions(folders), `${sleep} & touch up; wait`, { signal: stop.signal });
    await until(() => existsSync(join(folders.workspace, "up")));
    expect(commandLines().some((line) => line.trim() === sleep)).toBe(true);
    stop.abort();
    expect((await running).end).toMatchObject({ type: "killed", cause: "abort" });
    await until(() => !commandLines().some((line) => line.includes(sleep)));
  });

  test("PLAT7 a command that times out ends with all its processes, while other commands continue", async () => {
    const folders = createSandboxFolders();
    const shell = runtimeShell(runtimeOptions(folders));
    onTestFinished(() => shell.close());
    const act = { signal: new AbortController().signal, onOutput: () => {} };
    // One after the other: on Linux, two bubblewraps that start at once can disturb each other's mount points in the workspace.
    const hasStarted = Promise.withResolvers<void>();
    const started = shell.run("echo started; sleep 3; touch done", { ...act, onOutput: () => hasStarted.resolve() });
    await Promise.race([hasStarted.promise, started]);
    const long = await shell.run("sleep 1000", { ...act, timeoutMs: 1_500 });
    const short = await started;
    expect(long).toMatchObject({ type: "killed", cause: "timeout" });
    expect(short).toEqual({ type: "ended", exitCode: 0 });
    expect(existsSync(join(folders.workspace, "done"))).toBe(true);
  });
});
