/** Tests node/sandbox/host-sockets.ts: commands have unix sockets of their own, and reach none of the machine's. */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { findHostSockets } from "../../../src/node/sandbox/host-sockets.ts";
import { createSandboxFolders, openNetwork, ranIn, sandboxOptions, until } from "../../support/sandbox-folders.ts";

const network = await openNetwork();
afterAll(() => network.close());

async function listenAt(path: string): Promise<() => void> {
  const server = createServer((socket) => socket.on("error", () => {}).end("machine"));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return () => void server.close();
}

/** Node code that prints what a server says, or the code of the error. */
const connectTo = (path: string): string =>
  `"$NODE" -e 'require("net").connect(${JSON.stringify(path)}).on("data", (text) => console.log(String(text))).on("error", ({ code }) => console.log(code))'`;
const serveAt = (path: string): string =>
  `"$NODE" -e 'require("net").createServer((s) => s.end("own")).listen(${JSON.stringify(path)}); setTimeout(() => process.exit(), 20000)'`;

describe("sockets of commands", () => {
  test.each(["/tmp/own", "own", "~/own"])(
    "BOX40 a server of one command at %s can be used by the next one",
    async (path) => {
      const folders = createSandboxFolders();
      const real =
        { "/tmp/own": join(folders.temporary, "own"), own: "own", "~/own": join(folders.home, "own") }[path] ?? "";
      const visiblePath = path === "/tmp/own" ? path : real;
      const controller = new AbortController();
      const options = sandboxOptions(folders, { network });
      const server = ranIn(options, serveAt(visiblePath), { signal: controller.signal });
      let text = "";
      await until(async () => {
        text = (await ranIn(options, connectTo(visiblePath))).text;
        return !/ENOENT|ECONNREFUSED/.test(text);
      });
      controller.abort();
      await server;
      expect(text).toBe("own\n");
    },
  );

  test("BOX40 a command without a network can use sockets too", async () => {
    const folders = createSandboxFolders();
    const { text } = await ranIn(
      sandboxOptions(folders),
      `${serveAt("/tmp/own")} & sleep 1; ${connectTo("/tmp/own")}; kill $!`,
    );
    expect(text).toBe("own\n");
  });
});

describe("sockets of the machine", () => {
  test("BOX40 are closed in the workspace and in other visible folders, unless unix sockets are on", async () => {
    const folders = createSandboxFolders();
    const paths = [join(folders.workspace, "service"), join(folders.outside, "service")];
    for (const path of paths) await listenAt(path);
    const command = paths.map(connectTo).join("; ");
    expect((await ranIn(sandboxOptions(folders), command)).text).toBe("ECONNREFUSED\nECONNREFUSED\n");
    expect((await ranIn(sandboxOptions(folders, { unixSockets: true }), command)).text).toBe("machine\nmachine\n");
  });

  test("BOX40 are closed if their folder is visible at another path", async () => {
    const folders = createSandboxFolders();
    await listenAt(join(folders.privateHome, "service"));
    await listenAt(join(folders.temporary, "service"));
    const command = `${connectTo(join(folders.home, "service"))}; ${connectTo("/tmp/service")}; ${connectTo("/var/tmp/service")}`;
    expect((await ranIn(sandboxOptions(folders), command)).text).toBe("ECONNREFUSED\nECONNREFUSED\nECONNREFUSED\n");
  });

  test("BOX40 of a server that has ended, or ends now, do not stop a command", async () => {
    const folders = createSandboxFolders();
    const path = join(folders.workspace, "service");
    const close = await listenAt(path);
    const listed = findHostSockets({ environment: {} })?.sockets;
    expect(listed).toContain(path);
    close();
    rmSync(path, { force: true });
    expect((await ranIn(sandboxOptions(folders), "echo ran")).text).toBe("ran\n");
  });
});

describe("sockets that appear later", () => {
  test("BOX40 are closed for a running command, even if their program restarts", async () => {
    const folders = createSandboxFolders();
    const paths = [join(folders.workspace, "service"), join(folders.outside, "other")];
    const closeFirst = await listenAt(paths[0] ?? "");
    const running = ranIn(
      sandboxOptions(folders, { network }),
      `touch started; sleep 2.5; ${paths.map(connectTo).join("; ")}`,
    );
    await until(() => existsSync(join(folders.workspace, "started")));
    closeFirst();
    for (const path of paths) rmSync(path, { force: true });
    for (const path of paths) await listenAt(path);
    const { end, text } = await running;
    expect({ end, text }).toEqual({ end: { type: "ended", exitCode: 0 }, text: "ECONNREFUSED\nECONNREFUSED\n" });
  });

  test("BOX40 end a command whose sandbox cannot be changed", async () => {
    const folders = createSandboxFolders();
    const options = sandboxOptions(folders, { program: { ...sandboxOptions(folders).program, nsenter: null } });
    const running = ranIn(options, "touch started; sleep 20");
    await until(() => existsSync(join(folders.workspace, "started")));
    const path = join(folders.workspace, "service");
    await listenAt(path);
    const { end } = await running;
    expect(end).toMatchObject({ type: "killed", message: expect.stringContaining(`created the socket ${path}`) });
  });

  test("BOX40 do not disturb a command that does not see them", async () => {
    const folders = createSandboxFolders();
    const running = ranIn(sandboxOptions(folders), "touch started; sleep 3; echo ran");
    await until(() => existsSync(join(folders.workspace, "started")));
    await listenAt(join(folders.base, "hidden"));
    expect((await running).text).toBe("ran\n");
  });
});

describe("the list of sockets", () => {
  test("BOX40 includes relative names and the sockets in variables", async () => {
    const { workspace, outside } = createSandboxFolders();
    const script = `import socket; s = socket.socket(socket.AF_UNIX); s.bind("with space"); s.listen(); print("ready", flush=True); input()`;
    const child = spawn("python3", ["-c", script], { cwd: workspace });
    onTestFinished(() => void child.kill("SIGKILL"));
    await new Promise((resolve) => child.stdout.once("data", resolve));
    for (const name of ["agent", "engine", "bus"]) await listenAt(join(outside, name));
    symlinkSync(join(outside, "agent"), join(workspace, "link"));
    const environment = {
      SSH_AUTH_SOCK: join(workspace, "link"),
      DOCKER_HOST: `unix://${join(outside, "engine")}`,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(outside, "bus")},guid=1`,
      PATH: process.env.PATH,
    };
    // As for a service in another network namespace: this process does not list it.
    const emptyList = join(workspace, "list");
    writeFileSync(emptyList, "Num       RefCount Protocol Flags    Type St Inode Path\n");
    expect(findHostSockets({ environment, sockets: emptyList })?.sockets).toEqual(
      expect.arrayContaining(["agent", "engine", "bus"].map((name) => join(outside, name))),
    );
    expect(findHostSockets({ environment: {} })?.sockets).toContain(join(workspace, "with space"));
  });

  test("BOX40 includes other paths of a mounted file system, mounted sockets, and services outside the container", async () => {
    const { workspace, outside } = createSandboxFolders();
    for (const name of ["service", "engine"]) await listenAt(join(outside, name));
    for (const folder of ["host/usr/bin", "host/etc", "host/run", "data/run"])
      mkdirSync(join(workspace, folder), { recursive: true });
    symlinkSync(outside, join(workspace, "again"));
    const mounts = join(workspace, "mounts");
    const lines = [
      "1 0 8:1 / / rw - ext4 /dev/sda1 rw",
      // As if `outside` were mounted a second time; only root can do that.
      `2 1 8:1 ${outside} ${join(workspace, "again")} rw - ext4 /dev/sda1 rw`,
      `3 1 0:9 /docker.sock ${join(outside, "engine")} rw - tmpfs tmpfs rw`,
      `4 1 8:2 / ${join(workspace, "host")} rw - ext4 /dev/sdb1 rw`,
      `5 1 8:3 / ${join(workspace, "data")} rw - ext4 /dev/sdc1 rw`,
    ];
    writeFileSync(mounts, lines.join("\n"));
    const list = join(workspace, "list");
    writeFileSync(list, `0000000000000000: 00000002 00000000 00010000 0001 01 1 ${join(outside, "service")}\n`);
    const found = findHostSockets({ environment: {}, mounts, sockets: list });
    expect(found).toEqual({
      sockets: [join(outside, "service"), join(outside, "engine"), join(workspace, "again/service")],
      folders: [join(workspace, "host/run")],
    });
  });

  test("BOX40 is null if the machine does not show it", () => {
    expect(findHostSockets({ environment: {}, sockets: "/proc/net/missing" })).toBe(null);
  });
});
