/** Tests what ends a wait early. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { pause } from "../../src/server/response.ts";

const hour = 3_600_000;

let server: Server;
afterEach(() => void server.close().closeAllConnections());

test("KIT5 a wait ends when the client disconnects", async () => {
  const { ended, started, url } = await startWaitingServer();
  const abort = new AbortController();
  const response = fetch(url, { signal: abort.signal }).catch((error: Error) => error.name);
  await started;
  abort.abort();
  expect(await response).toBe("AbortError");
  await ended;
});

test("KIT5 a wait ends when the server closes", async () => {
  const { ended, started, url } = await startWaitingServer();
  const response = fetch(url).catch((error: Error) => error.name);
  await started;
  server.close().closeAllConnections();
  expect(await response).toBe("TypeError");
  await ended;
});

test("KIT5 a short wait ends after its time, and the response is sent", async () => {
  server = createServer(async (_, response) => {
    await pause(response, 1);
    response.end("late");
  });
  expect(await (await fetch(await listen())).text()).toBe("late");
});

/** Starts a server that waits for an hour before it answers. */
async function startWaitingServer(): Promise<{ started: Promise<void>; ended: Promise<void>; url: string }> {
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  server = createServer((_, response) => {
    started.resolve();
    pause(response, hour).then(ended.resolve, ended.reject);
  });
  return { started: started.promise, ended: ended.promise, url: await listen() };
}

function listen(): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}
