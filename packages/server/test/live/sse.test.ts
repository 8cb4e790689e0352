/** Events over HTTP: as a client of server-sent events receives them. */

import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type LiveEvent, parseLastEventId, type StreamOptions, streamEvents } from "../../src/index.ts";

const state: LiveEvent = { type: "state", status: "busy", openQuestions: 0 };
const entry: LiveEvent = {
  ...{ type: "entry", seq: 4 },
  entry: {
    type: "custom",
    customType: "any",
    id: "e1",
    parentId: null,
    timestamp: "2026-11-19T00:00:00.000Z",
    data: "a\nb",
  },
};
const delta: LiveEvent = {
  ...{ type: "delta", reply: "r", holder: "1", part: 0, kind: "text" },
  ...{ offset: 0, text: "x\r\ny\u2028" },
};

/** A server that streams these events, the request of a client, and whether the stream has ended. */
async function serve(options: StreamOptions) {
  const ended = Promise.withResolvers<unknown>();
  const server = createServer((_, response) => {
    streamEvents(response, options).then(() => ended.resolve("ended"), ended.resolve);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const response = await new Promise<IncomingMessage>((resolve) =>
    get({ port: (server.address() as AddressInfo).port, agent: false }, resolve),
  );
  response.on("error", () => {});
  return { response, ended: ended.promise };
}

async function readAll(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return text;
}

function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });
}

test("HSSE1 entries have their position as id, other events have none, and the stream says when to connect again", async () => {
  const { response, ended } = await serve({
    async *follow() {
      yield* [state, entry, delta];
    },
  });
  expect(response.headers).toMatchObject({
    ...{ "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache, no-transform" },
  });
  const { type: _, ...entryData } = entry;
  expect(await readAll(response)).toBe(
    [
      "retry: 1000\n\n",
      'event: state\ndata: {"status":"busy","openQuestions":0}\n\n',
      `id: 4\nevent: entry\ndata: ${JSON.stringify(entryData)}\n\n`,
      'event: delta\ndata: {"reply":"r","holder":"1","part":0,"kind":"text","offset":0,"text":"x\\r\\ny\u2028"}\n\n',
    ].join(""),
  );
  expect(await ended).toBe("ended");
  expect(["4", "0", undefined, "", "-1", "4x", "1e3", "99999999999"].map(parseLastEventId)).toEqual([
    ...[4, 0, -1, -1, -1, -1, -1, -1],
  ]);
});

test("HSSE2 a stream without events sends heartbeats, and ends when the client is gone", async () => {
  const { response, ended } = await serve({
    heartbeatMs: 10,
    // biome-ignore lint/correctness/useYield: it never has an event.
    async *follow(signal) {
      await waitForAbort(signal);
    },
  });
  let text = "";
  response.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  await expect.poll(() => text).toMatch(/^retry: 1000\n\n(:\n\n){3}/);
  response.destroy();
  expect(await ended).toBe("ended");
});

test("HSSE3 events are taken only as fast as the client reads, and a client that does not read is closed", async () => {
  let taken = 0;
  let isAborted = false;
  const { response, ended } = await serve({
    drainMs: 200,
    async *follow(signal) {
      signal.addEventListener("abort", () => {
        isAborted = true;
      });
      for (; !signal.aborted; taken += 1) yield { ...delta, text: "x".repeat(100_000) };
    },
  });
  response.pause();
  expect(await ended).toBe("ended");
  expect(isAborted).toBe(true);
  // What the buffers of two sockets take is a few megabytes.
  expect(taken).toBeLessThan(500);
});

test("HSSE3 a client that reads slowly gets everything", async () => {
  const { response } = await serve({
    async *follow() {
      for (let offset = 0; offset < 300; offset += 1) yield { ...delta, offset, text: "x".repeat(50_000) };
    },
  });
  const text = await readAll(response);
  expect([...text.matchAll(/"offset":(\d+)/g)].map(([, offset]) => Number(offset))).toEqual(
    Array.from({ length: 300 }, (_, index) => index),
  );
});

test("HSSE1 if the events fail, the response is cut, so that the client connects again", async () => {
  const { response, ended } = await serve({
    async *follow() {
      yield state;
      throw new Error("PostgreSQL is away");
    },
  });
  await expect(readAll(response)).rejects.toThrow("aborted");
  expect(String(await ended)).toContain("PostgreSQL is away");
});

test("HSSE3 a client that left before the stream began leaves nothing behind", async () => {
  const ended = Promise.withResolvers<boolean>();
  let hasFollowed = false;
  const server = createServer((request, response) => {
    response.once("close", () => {
      const follow = async function* (signal: AbortSignal) {
        hasFollowed = true;
        await waitForAbort(signal);
        yield delta;
      };
      void streamEvents(response, { follow }).then(() => ended.resolve(hasFollowed), ended.reject);
    });
    request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  get({ port: (server.address() as AddressInfo).port, agent: false }).on("error", () => {});
  expect(await ended.promise).toBe(false);
});
