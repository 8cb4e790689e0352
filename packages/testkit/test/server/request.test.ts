/** Tests requests that cannot be read: each gets an error in the provider's format and is logged once. */

import { once } from "node:events";
import { connect } from "node:net";
import { deflateSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startServer, type TestServer } from "../../src/index.ts";

const question = JSON.stringify({
  model: "claude-sonnet-4-5",
  max_tokens: 100,
  messages: [{ role: "user", content: "hi" }],
});
const key = {
  "x-api-key": "k",
  authorization: "Bearer k",
  "anthropic-version": "2023-06-01",
  "content-type": "application/json",
};
const megabyte = 1024 * 1024;
/** 200 MB, compressed to about 200 kB. */
const bomb = gzipSync(Buffer.alloc(200 * megabyte, "x"));
const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;

let server: TestServer;
beforeEach(async () => {
  server = await startServer({ script: () => "fine" });
});
afterEach(() => server.close());

const hostile: readonly (readonly [string, string | Buffer, string, number, RegExp])[] = [
  ["bytes that are no gzip", "no gzip", "gzip", 400, /cannot be unpacked: it is not gzip/],
  ["half of a gzip", gzipSync(question).subarray(0, 40), "gzip", 400, /cannot be unpacked/],
  ["a bomb of 200 MB", bomb, "gzip", 413, /too large/],
  ["an unknown encoding", question, "rot13", 415, /Unsupported content-encoding: rot13/],
  ["an encoding that every object has", question, "constructor", 415, /Unsupported content-encoding: constructor/],
  ["50,000 objects in each other", deep, "identity", 400, /not valid JSON/],
  ["50,000 lists in each other", "[".repeat(50_000) + "]".repeat(50_000), "identity", 400, /not valid JSON/],
  ["70 MB", Buffer.alloc(70 * megabyte, " "), "identity", 413, /too large/],
];

test.each(hostile)(
  "KIT6 %s is refused in the format of each provider, and logged",
  async (_, body, encoding, status, why) => {
    const paths = [
      "/v1/messages",
      "/v1/responses",
      "/v1/chat/completions",
      "/v1beta/models/gemini-2.5-pro:generateContent",
    ];
    for (const [at, path] of paths.entries()) {
      const answer = await postEncoded(path, body, encoding);
      expect(answer).toEqual({ status, message: expect.stringMatching(why) });
      expect(server.requests).toHaveLength(at + 1);
      expect(server.requests[at]).toMatchObject({ outcome: "refused", status, path, why: answer.message });
    }
  },
);

test("KIT6 refuses a path with invalid percent-encoding, in the provider's format if the path is a provider's", async () => {
  expect(await postEncoded("/v1/%zz", question, "identity")).toMatchObject({ status: 400 });
  expect(await postEncoded("/v1beta/models/%zz:generateContent", "{}", "identity")).toMatchObject({
    status: 400,
    message: expect.stringContaining("not a valid percent-encoded path"),
  });
  expect(server.requests.map(({ outcome, wire }) => [outcome, wire])).toEqual([
    ["refused", null],
    ["refused", "google-generative-ai"],
  ]);
});

test("KIT6 accepts deflate as well as gzip", async () => {
  expect(await postEncoded("/v1/messages", deflateSync(question), "deflate")).toMatchObject({ status: 200 });
});

test("KIT6 logs a client that disconnects in the middle of a request", async () => {
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write("POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{");
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.destroy();
  await vi.waitUntil(() => server.requests.length > 0, 10_000);
  expect(server.requests).toMatchObject([
    { outcome: "refused", why: "The client disconnected before its request was complete" },
  ]);
});

async function postEncoded(path: string, body: string | Buffer, encoding: string) {
  // A busy machine may need so long for 70 MB that the server closes an idle connection just before it is used again.
  const headers = { ...key, "content-encoding": encoding, connection: "close" };
  const response = await fetch(server.url + path, { method: "POST", headers, body: new Uint8Array(Buffer.from(body)) });
  const { error } = (await response.json()) as { readonly error?: { readonly message: string } };
  return { status: response.status, message: error?.message };
}
