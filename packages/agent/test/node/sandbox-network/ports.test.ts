/** Tests the ports of node/sandbox/network: servers of the machine and of the sandbox, each reached from the other side only when opened. */

import { connect, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { SandboxNetwork } from "../../../src/node/sandbox-network/network.ts";
import { createSandboxFolders, openNetwork, ranIn, sandboxOptions } from "../../support/sandbox-folders.ts";
import { exchange, listen, startWeb } from "../../support/web-servers.ts";

async function opened(): Promise<SandboxNetwork> {
  const network = await openNetwork();
  onTestFinished(() => network.close());
  return network;
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const GET = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/** A server in the sandbox, on either loopback address; ends with the test. */
async function startInside(network: SandboxNetwork, port: number, host = "127.0.0.1"): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopped = new AbortController();
  const script = `require("http").createServer((_, r) => r.end("from inside")).listen(${port}, "${host}", () => console.log("up"))`;
  const running = ranIn(sandboxOptions(createSandboxFolders(), { network }), `"$NODE" -e '${script}'`, {
    onOutput: () => resolve(),
    signal: stopped.signal,
  });
  onTestFinished(async () => {
    stopped.abort();
    await running;
  });
  await promise;
}

test("PROXY16 a server of one command is reached by the next command, and from outside only once its port is published", async () => {
  const network = await opened();
  const port = await freePort();
  await startInside(network, port);
  const { text } = await ranIn(
    sandboxOptions(createSandboxFolders(), { network }),
    `curl -sS http://127.0.0.1:${port}/ http://localhost:${port}/`,
  );
  expect(text).toBe("from insidefrom inside");
  expect(await exchange(port, GET)).toBe("");
  expect(await network.publishPort(port)).toEqual({ type: "open" });
  expect(await network.publishPort(port)).toEqual({ type: "open" });
  expect(await exchange(port, GET)).toContain("from inside");
  await network.close();
  expect(await exchange(port, GET)).toBe("");
});

test("PROXY16 a server on the IPv6 address can be published too, and a port without a server gives no data", async () => {
  const network = await opened();
  const [port, empty] = [await freePort(), await freePort()];
  await startInside(network, port, "::1");
  for (const each of [port, empty]) expect(await network.publishPort(each)).toEqual({ type: "open" });
  expect(await exchange(port, GET)).toContain("from inside");
  expect(await exchange(empty, GET)).toBe("");
});

test("PROXY17 a server of the machine is reached only once its port is opened, at the same address", async () => {
  const { port } = await startWeb();
  const network = await opened();
  const options = sandboxOptions(createSandboxFolders(), { network });
  const command = `curl -sS http://localhost:${port}/ 2>&1`;
  expect((await ranIn(options, command)).text).toContain("Failed to connect");
  expect(await network.reachHostPort(port)).toEqual({ type: "open" });
  expect(await network.reachHostPort(port)).toEqual({ type: "open" });
  expect((await ranIn(options, command)).text).toBe("hello");
  const other = await startWeb();
  expect((await ranIn(options, `curl -sS http://localhost:${other.port}/ 2>&1`)).text).toContain("Failed to connect");
});

test("PROXY18 open connections end with the network, and a port in use is reported", async () => {
  const port = await listen(createServer((socket) => socket.write("first")));
  const network = await openNetwork();
  const taken = await network.publishPort(port);
  expect(taken).toEqual({ type: "failed", why: `port ${port} on this machine is already in use` });
  const inside = await freePort();
  await startInside(network, inside);
  const occupied = await network.reachHostPort(inside);
  expect(occupied).toEqual({ type: "failed", why: `port ${inside} in the sandbox is already in use` });
  expect(await network.publishPort(inside)).toEqual({ type: "open" });
  const client = connect(inside, "127.0.0.1");
  await new Promise((resolve) => client.once("connect", resolve));
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await new Promise((resolve) => client.once("data", resolve));
  const closed = new Promise((resolve) => client.on("error", () => {}).once("close", resolve));
  await network.close();
  await closed;
});
