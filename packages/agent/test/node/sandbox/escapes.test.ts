/** Tries each known escape from the sandbox for real, also as root. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import {
  createSandboxFolders,
  openNetwork,
  ranIn,
  type SandboxFolders,
  SECRET,
  sandboxOptions,
  untouchable,
} from "../../support/sandbox-folders.ts";
import { escapes } from "./escapes.ts";

interface Outsiders {
  readonly process: ChildProcess;
  readonly environment: Readonly<Record<string, string>>;
}

/** A process outside, and servers that send a secret to every client. */
async function outsiders({ base, workspace, outside }: SandboxFolders): Promise<Outsiders> {
  const process = spawn("sleep", ["600"]);
  onTestFinished(() => void process.kill());
  const socket = join(base, "service/socket");
  const agent = join(base, "agent");
  mkdirSync(join(base, "service"));
  const abstract = `pith-${process.pid}`;
  const service = join(workspace, "service");
  mkdirSync(join(workspace, "deep/er"), { recursive: true });
  const visible = [service, join(workspace, "deep/er/service"), join(outside, "service")];
  for (const path of [socket, agent, `\0${abstract}`, ...visible]) await listening({ path });
  await startPython(workspace, RELATIVE_SERVER);
  const { port } = (await listening({ port: 0, host: "127.0.0.1" })).address() as AddressInfo;
  return {
    process,
    environment: {
      ...{ OUTER: `${process.pid}`, SOCKET: socket, SERVICE: service, SSH_AUTH_SOCK: agent },
      ...{ ABSTRACT: abstract, PORT: `${port}` },
    },
  };
}

/** A program outside that binds sockets in its working folder. */
const RELATIVE_SERVER = `
import socket, sys
for path in ("datagrams", "../outside/datagrams"):
    datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); datagrams.bind(path); globals()[path] = datagrams
server = socket.socket(socket.AF_UNIX); server.bind("relative"); server.listen()
print("ready", flush=True)
while True: server.accept()[0].sendall(b"${SECRET}")
`;

async function startPython(cwd: string, script: string): Promise<void> {
  const child = spawn("python3", ["-c", script], { cwd, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await new Promise((resolve) => child.stdout?.once("data", resolve));
}

async function listening(where: { path: string } | { port: number; host: string }): Promise<Server> {
  const server = createServer((visitor) => visitor.on("error", () => {}).end(SECRET));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(where, resolve));
  return server;
}

const network = await openNetwork();
afterAll(() => network.close());

/** Escapes without a network are tried with one, too. */
const all = escapes.flatMap((way) => (way.isOffline ? [way, { ...way, isOffline: false }] : [way]));

test.each(all)(
  "BOX1 an escape is not possible: $name ($isOffline)",
  async ({ command, isOffline = false, isReadOnly = false }) => {
    const folders = createSandboxFolders();
    const { process, environment } = await outsiders(folders);
    const before = untouchable(folders);
    const options = sandboxOptions(folders, {
      environment,
      network: isOffline ? null : network,
      mayWrite: () => !isReadOnly,
    });
    const { end, text } = await ranIn(options, command);
    expect(end.type).toMatch(/^(ended|killed)$/);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain("ESCAPED");
    expect(untouchable(folders)).toEqual(before);
    expect(process.exitCode ?? process.signalCode).toBe(null);
  },
);

test("BOX1 a workspace in the home cannot be replaced through its parent folders", async () => {
  const folders = createSandboxFolders({ workspaceIn: "home/deep/down" });
  const before = untouchable(folders);
  const around = join(folders.home, "deep");
  await ranIn(
    sandboxOptions(folders),
    `mv ${around} ${around}-away; mv ${around}/down ${around}/up; rm -rf ${around}/down/workspace/.git/hooks`,
  );
  expect(untouchable(folders)).toEqual(before);
});

test("BOX6 no background process survives its command", async () => {
  const folders = createSandboxFolders();
  const { end } = await ranIn(
    sandboxOptions(folders),
    "setsid nohup bash -c 'sleep 1; touch late' >/dev/null 2>&1 & disown; echo done",
  );
  expect(end).toEqual({ type: "ended", exitCode: 0 });
  await sleep(2_000);
  expect((await ranIn(sandboxOptions(folders), "ls")).text).toBe("way-out\n");
});
