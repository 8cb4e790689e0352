/** Waits of an hour, and what ends them early. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { pause } from "../../src/server/response.ts";

const hour = 3_600_000;

let server: Server;
afterEach(() => void server.close().closeAllConnections());

test("KIT5 a wait ends when the client leaves", async () => {
  const { ended, begun, url } = await waiting();
  const abort = new AbortController();
  const asked = fetch(url, { signal: abort.signal }).catch((error: Error) => error.name);
  await begun;
  abort.abort();
  expect(await asked).toBe("AbortError");
  await ended;
});

test("KIT5 a wait ends when the server closes", async () => {
  const { ended, begun, url } = await waiting();
  const asked = fetch(url).catch((error: Error) => error.name);
  await begun;
  server.close().closeAllConnections();
  expect(await asked).toBe("TypeError");
  await ended;
});

test("KIT5 a short wait ends by itself, and does not end what comes after it", async () => {
  server = createServer(async (_, response) => {
    await pause(response, 1);
    response.end("late");
  });
  expect(await (await fetch(await listening())).text()).toBe("late");
});

/** A server that waits for an hour before it answers. */
async function waiting(): Promise<{ begun: Promise<void>; ended: Promise<void>; url: string }> {
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  server = createServer((_, response) => {
    begun.resolve();
    pause(response, hour).then(ended.resolve, ended.reject);
  });
  return { begun: begun.promise, ended: ended.promise, url: await listening() };
}

function listening(): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}
