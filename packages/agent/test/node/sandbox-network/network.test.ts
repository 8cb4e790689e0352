/** Tests node/sandbox/network/network.ts with real programs in a sandbox: what they reach by the proxy, and that there is no other way out. */

import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { detectSandbox, findNetworkProblem } from "../../../src/node/sandbox/detect.ts";
import type {
  HostDecision,
  HostRequest,
  SandboxNetwork,
  SandboxNetworkOptions,
} from "../../../src/node/sandbox-network/network.ts";
import type { NetworkConnection, WaitForUser } from "../../../src/ports.ts";
import {
  createSandboxFolders,
  openNetwork,
  program,
  ranIn,
  sandboxOptions,
  until,
} from "../../support/sandbox-folders.ts";
import { listen, startWeb } from "../../support/web-servers.ts";

async function opened(parts: Partial<SandboxNetworkOptions> = {}): Promise<SandboxNetwork> {
  const network = await openNetwork(parts);
  onTestFinished(() => network.close());
  return network;
}

describe("programs", () => {
  test("PROXY11 curl, wget, Python, Node, git, npm and pip reach a permitted host through the proxy in their variables", async () => {
    const folders = createSandboxFolders();
    const repository = join(folders.base, "repository");
    execFileSync("git", ["init", "-q", "--bare", repository]);
    const { port } = await startWeb((request, response) => {
      const path = request.url ?? "";
      if (path === "/npm/left") {
        const tarball = `http://shop.test:${port}/npm/left.tgz`;
        const version = { name: "left", version: "1.2.3", dist: { tarball } };
        response.end(
          JSON.stringify({ name: "left", "dist-tags": { latest: "1.2.3" }, versions: { "1.2.3": version } }),
        );
      } else if (path.startsWith("/simple/"))
        response.setHeader("Content-Type", "text/html").end("<a href='/x'>none</a>");
      else if (path.startsWith("/repository/info/refs")) response.end(`${"a".repeat(40)}\trefs/heads/main\n`);
      else if (path === "/repository/HEAD") response.end("ref: refs/heads/main\n");
      else response.end(`${path.slice(1)}\n`);
    });
    const url = `http://shop.test:${port}`;
    const network = await opened({ privateHosts: [`shop.test:${port}`] });
    const commands = [
      `curl -sS ${url}/curl`,
      `curl -sSp ${url}/curl-tunnel`,
      `! command -v wget >/dev/null && echo wget || wget -qO- ${url}/wget`,
      `python3 -c 'import urllib.request as r; print(r.urlopen("${url}/urllib").read().decode(), end="")'`,
      `"$NODE" -e 'fetch("${url}/fetch").then((got) => got.text()).then((text) => process.stdout.write(text))'`,
      `git ls-remote ${url}/repository | cut -c 41-`,
      `npm view left version --registry ${url}/npm/ 2>&1`,
      `python3 -m pip download --no-cache-dir --disable-pip-version-check --index-url ${url}/simple --trusted-host shop.test left 2>&1 | grep -o 'No matching distribution'`,
    ];
    const { text } = await ranIn(sandboxOptions(folders, { network }), commands.join("\n"));
    expect(text.trim().split("\n")).toEqual([
      ...[
        "curl",
        "curl-tunnel",
        "wget",
        "urllib",
        "fetch",
        "\tHEAD",
        "\trefs/heads/main",
        "1.2.3",
        "No matching distribution",
      ],
    ]);
  });

  test("PROXY11 the output of a client has the reason of a refusal", async () => {
    const network = await opened({
      permitHost: async ({ host }) => ({ type: "refused", why: `${host} is not allowed` }),
    });
    const commands = [
      "curl -sS http://shop.test/",
      "curl -sSv https://shop.test/ 2>&1 | grep -o '403 Refused.*'",
      `python3 -c 'import urllib.request as r; r.urlopen("https://shop.test/")' 2>&1 | tail -1`,
    ];
    const { text } = await ranIn(sandboxOptions(createSandboxFolders(), { network }), commands.join("\n"));
    expect(text.match(/shop.test is not allowed/g)).toHaveLength(3);
  });

  test("PROXY12 connections that wait at the same time cause one question with the command, however long it takes", async () => {
    const { port } = await startWeb();
    const requests: HostRequest[] = [];
    let waitingCount = 0;
    const { promise, resolve } = Promise.withResolvers<HostDecision>();
    const network = await opened({
      privateHosts: [`shop.test:${port}`],
      permitHost: (request) => {
        requests.push(request);
        return promise;
      },
    });
    const command = `for i in 1 2 3; do curl -sS http://shop.test:${port}/ >$i & done; wait; cat 1 2 3`;
    const waitForUser: WaitForUser = (ask) => {
      const answer = ask();
      waitingCount += 1;
      if (waitingCount === 3) resolve({ type: "allowed" });
      return answer;
    };
    const { text } = await ranIn(sandboxOptions(createSandboxFolders(), { network }), command, { waitForUser });
    expect(text).toBe("hellohellohello");
    expect(requests).toEqual([{ host: "shop.test", port, command }]);
  });

  test("PROXY12 a question ends when the command that waits for it ends", async () => {
    const ended: boolean[] = [];
    const command = new AbortController();
    const network = await opened({
      permitHost: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            ended.push(true);
            reject(signal.reason);
          });
          command.abort();
        }),
    });
    const connections: NetworkConnection[] = [];
    const onConnection = (connection: NetworkConnection): void => void connections.push(connection);
    const act = { signal: command.signal, onConnection };
    const { end } = await ranIn(
      sandboxOptions(createSandboxFolders(), { network }),
      "curl -sS https://shop.test/",
      act,
    );
    expect(end).toMatchObject({ type: "killed", cause: "abort" });
    expect(ended).toEqual([true]);
    expect(connections).toMatchObject([{ host: "shop.test", port: 443, outcome: "refused" }]);
  });

  test("PROXY13 the connections and refusals of a command are reported before it returns", async () => {
    const { port } = await startWeb();
    const network = await opened({ privateHosts: [`shop.test:${port}`] });
    const connections: NetworkConnection[] = [];
    const onConnection = (connection: NetworkConnection): void => void connections.push(connection);
    const command = `curl -sSp http://shop.test:${port}/; curl -s https://private.test/; exec 5<>/dev/tcp/127.0.0.1/$P`;
    await ranIn(sandboxOptions(createSandboxFolders(), { network }), command, { onConnection });
    // A connection is reported when it has closed, which may be after the next one was refused.
    expect(connections.toSorted((one, other) => one.host.localeCompare(other.host))).toMatchObject([
      {
        host: "private.test",
        port: 443,
        outcome: "refused",
        why: expect.stringContaining("not on the public internet"),
      },
      { host: "shop.test", port, outcome: "allowed", sentBytes: expect.any(Number), receivedBytes: expect.any(Number) },
    ]);
  });
});

describe("separate commands", () => {
  test("PROXY14 a command with its own hosts reaches only these, without a question", async () => {
    const { port } = await startWeb();
    let callCount = 0;
    const network = await opened({
      privateHosts: ["shop.test", "a.cdn.test", "cdn.test", "evil.test"].map((host) => `${host}:${port}`),
      permitHost: async () => {
        callCount += 1;
        return { type: "allowed" };
      },
    });
    const curl = ["shop.test", "a.cdn.test", "cdn.test", "evil.test"].map(
      (host) => `curl -s -o /dev/null -w '%{http_code} ' http://${host}:${port}/`,
    );
    const options = sandboxOptions(createSandboxFolders(), { network });
    const run = async (hosts: readonly string[]): Promise<string> =>
      (await ranIn(options, curl.join(";"), { hosts })).text;
    expect(await run(["SHOP.test", "*.cdn.test"])).toBe("200 200 403 403 ");
    expect(await run([])).toBe("403 403 403 403 ");
    expect(callCount).toBe(0);
  });

  test("PROXY14 each command has its own credentials, which end with it", async () => {
    const { port } = await startWeb();
    const network = await opened({ privateHosts: [`shop.test:${port}`] });
    const folders = createSandboxFolders();
    const options = sandboxOptions(folders, { network });
    const first = (await ranIn(options, "echo $http_proxy")).text.trim();
    const second = (await ranIn(options, "echo $http_proxy")).text.trim();
    expect(first).toMatch(/^http:\/\/[0-9a-f]{16}:[0-9a-f]{48}@127\.0\.0\.1:\d+$/);
    expect(second).not.toBe(first);
    const [, id, , at] = /^http:\/\/(\w+):(\w+)@(.*)$/.exec(first) ?? [];
    const proxies = [first, `http://${at}`, `http://${id}:${"0".repeat(48)}@${at}`, `http://${id}:@${at}`];
    const curl = proxies.map(
      (proxy) => `curl -s -o /dev/null -w '%{http_code} ' -x ${proxy} http://shop.test:${port}/`,
    );
    expect((await ranIn(options, curl.join(";"))).text).toBe("407 407 407 407 ");
  });

  test("PROXY14 the user's own proxy and its password are not visible in the sandbox, with and without a network", async () => {
    const address = `http://me:${"hidden"}@p.test`;
    const own = { HTTPS_PROXY: address, http_proxy: address, no_proxy: "hidden" };
    for (const network of [null, await opened({ environment: own })])
      expect(
        (await ranIn(sandboxOptions(createSandboxFolders(), { network, environment: own }), "env")).text,
      ).not.toContain("hidden");
  });
});

describe("the network namespace", () => {
  test("PROXY15 only loopback exists: no route, no name resolution, no server of the machine", async () => {
    const tcp = await listen(createServer((socket) => socket.end("ESCAPED")));
    const abstract = createServer((socket) => socket.end("ESCAPED"));
    onTestFinished(() => void abstract.close());
    const name = `pith-network-${process.pid}`;
    await new Promise<void>((resolve) => abstract.listen(`\0${name}`, resolve));
    const network = await opened();
    const script = `
import socket
def attempt(what, act):
    try:
        act(); print(what, "ESCAPED")
    except OSError as error:
        print(what, "refused")
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
attempt("tcp", lambda: socket.create_connection(("1.1.1.1", 443), 3))
attempt("tcp6", lambda: socket.create_connection(("2606:4700:4700::1111", 443), 3))
attempt("udp", lambda: udp.sendto(b"x", ("1.1.1.1", 53)))
attempt("host", lambda: socket.create_connection(("127.0.0.1", ${tcp}), 3))
attempt("name", lambda: socket.getaddrinfo("example.com", 443))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
attempt("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\\0${name}"))
`;
    const folders = createSandboxFolders();
    writeFileSync(join(folders.workspace, "ways.py"), script);
    const { text } = await ranIn(
      sandboxOptions(folders, { network, unixSockets: true }),
      "python3 ways.py; tail -n +3 /proc/net/dev",
    );
    const lines = text.trim().split("\n");
    expect(lines.slice(0, 7)).toEqual(
      ["tcp", "tcp6", "udp", "host", "name", "raw", "abstract"].map((way) => `${way} refused`),
    );
    expect(lines.slice(7).map((line) => line.trim().split(":")[0])).toEqual(["lo"]);
  });

  test("BOX19 a command with a secret reaches only its host and opened ports of the machine, and no server of another command", async () => {
    const { port } = await startWeb((_, response) => response.end("web"));
    const { port: hostPort } = await startWeb((_, response) => response.end("machine"));
    const network = await opened({ privateHosts: [`shop.test:${port}`] });
    const options = sandboxOptions(createSandboxFolders(), { network });
    await network.reachHostPort(hostPort);
    const stopped = new AbortController();
    const serving = ranIn(options, "exec python3 -m http.server 8125", { signal: stopped.signal });
    const ask = "curl -s -o /dev/null -m 5 http://127.0.0.1:8125/ && echo server";
    await until(async () => (await ranIn(options, ask)).text === "server\n");
    const command = `${ask}; curl -s http://127.0.0.1:${hostPort}/; curl -s http://shop.test:${port}/`;
    const { text } = await ranIn(options, command, { environment: { TOKEN: "given" }, hosts: ["shop.test"] });
    expect(text).toBe("machineweb");
    stopped.abort();
    await serving;
  });

  test("PROXY15 a command can neither leave the namespace nor change it", async () => {
    const network = await opened();
    const commands = [
      "nsenter --net=/proc/1/ns/net true && nsenter --user=/proc/1/ns/user --net=/proc/1/ns/net true && echo ESCAPED",
      "unshare -Urn true && echo ESCAPED",
      "ip link add dummy0 type dummy 2>/dev/null && echo ESCAPED",
      "ls -l /proc/self/fd | grep -E 'ns:|net:|user:' && echo ESCAPED",
      "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c '^http_proxy=http'",
    ];
    const [one, other] = [
      sandboxOptions(createSandboxFolders(), { network }),
      sandboxOptions(createSandboxFolders(), { network }),
    ];
    const { promise, resolve } = Promise.withResolvers<void>();
    const stopped = new AbortController();
    const neighbour = ranIn(other, "echo up; sleep 60", { onOutput: () => resolve(), signal: stopped.signal });
    await promise;
    const { text } = await ranIn(
      one,
      `(${commands.join("; ")}) 2>/dev/null; ps -e -o args= 2>/dev/null | grep -c '[s]leep 60'`,
    );
    expect(text).not.toContain("ESCAPED");
    // Its own processes know its own credentials; those of the neighbour are not among them.
    expect(text.trim().split("\n").at(-1)).toBe("0");
    stopped.abort();
    await neighbour;
  });
});

describe("lifetime", () => {
  test("PROXY19 no process is left when Pith is killed", async () => {
    const folders = createSandboxFolders();
    const marker = `600.${process.pid}19`;
    const source = (name: string): string => JSON.stringify(join(import.meta.dirname, "../../../src/node", name));
    const script = `
import { connect, createServer } from "node:net";
import { findNetworkProblem, detectSandbox } from ${source("sandbox/detect.ts")};
import { SandboxNetwork } from ${source("sandbox-network/network.ts")};
import { sandboxedShell } from ${source("sandbox/shell.ts")};
const here = await detectSandbox({ environment: process.env, root: "/nowhere", home: ${JSON.stringify(folders.home)} });
const network = await SandboxNetwork.open({ program: here.program, environment: {}, permitHost: async () => ({ type: "allowed" }) });
const box = ${JSON.stringify({ ...sandboxOptions(folders), network: null })};
const shell = sandboxedShell({ ...box, network, mayWrite: () => true });
const free = createServer().listen(0, "127.0.0.1");
await new Promise((resolve) => free.once("listening", resolve));
const { port } = free.address();
await new Promise((resolve) => free.close(resolve));
await network.publishPort(port);
// Nothing listens inside, so the helper that carries connections in has started when this one ends.
await new Promise((resolve) => connect(port, "127.0.0.1").on("error", () => {}).once("close", resolve));
const act = { signal: new AbortController().signal, onOutput: () => console.log("running") };
shell.run("echo up; setsid sleep ${marker} & sleep ${marker}", act);
`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    await until(() => processes().filter(({ command }) => command.startsWith(`sleep\0${marker}`)).length === 2);
    const started = processes().filter(({ parent, command }) => parent === child.pid || command.includes(marker));
    // The relay, and bubblewrap with what is in it.
    expect(started.some(({ command }) => command.includes("autoSelectFamily"))).toBe(true);
    expect(started.length).toBeGreaterThan(3);
    child.kill("SIGKILL");
    const pids = new Set(started.map(({ pid }) => pid));
    await until(() => !processes().some(({ pid }) => pids.has(pid)));
  });

  interface Process {
    readonly pid: number;
    readonly parent: number;
    readonly command: string;
  }

  /** Those that live; what has ended and was not collected yet has no command line. */
  function processes(): readonly Process[] {
    return readdirSync("/proc").flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
        return command === "" ? [] : [{ pid: Number(name), parent, command }];
      } catch {
        return [];
      }
    });
  }

  test("PROXY20 without a usable namespace commands have no network, and the reason is reported", async () => {
    const { base, workspace, home } = createSandboxFolders();
    const write = (name: string, content: string): string => {
      writeFileSync(join(base, name), `#!/bin/sh\necho '${content}' >&2; exit 1\n`, { mode: 0o755 });
      return join(base, name);
    };
    expect(await findNetworkProblem(program)).toBe(null);
    expect(await findNetworkProblem({ ...program, nsenter: null })).toContain("`nsenter` was not found");
    expect(await findNetworkProblem({ ...program, nsenter: write("nsenter", "setns failed") })).toBe(
      "commands cannot enter a network namespace here: setns failed",
    );
    expect(await findNetworkProblem({ ...program, path: write("bwrap", "no permission") })).toBe(
      "a network namespace cannot be created here: no permission",
    );
    const here = await detectSandbox({ environment: process.env, root: workspace, home });
    expect(here).toMatchObject({ type: "available", networkProblem: null });
  });
});
