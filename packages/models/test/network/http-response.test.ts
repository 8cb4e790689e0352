/** Tests network/http-response.ts: bodies compressed without being requested. */

import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { closed, fetchPlain, type RunningServer, startTestServer } from "../support/test-servers.ts";

let served: RunningServer;
afterEach(() => served?.close());

const packers = {
  gzip: gzipSync,
  "X-GZIP": gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  "gzip, br": (text: string) => brotliCompressSync(gzipSync(text)),
  identity: (text: string) => Buffer.from(text),
};

test.each(Object.entries(packers))("NET9 decompresses %s, although identity was requested", async (name, pack) => {
  let wanted: string | undefined;
  served = await startTestServer((incoming, response) => {
    wanted = incoming.headers["accept-encoding"];
    response.writeHead(200, { "content-encoding": name }).end(pack("hello, hello, hello"));
  });
  expect(await (await fetchPlain(served.url)).text()).toBe("hello, hello, hello");
  expect(wanted).toBe("identity");
});

test("NET9 passes on a body with many encodings unchanged", async () => {
  const names = Array.from({ length: 1_000 }, () => "gzip").join(",");
  served = await startTestServer(
    (_, response) => void response.writeHead(200, { "content-encoding": names }).end("hello"),
  );
  expect(await (await fetchPlain(served.url)).text()).toBe("hello");
});

test("NET9 streams compressed events one by one, and an abort ends them", async () => {
  served = await startTestServer((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    const packer = createGzip();
    packer.pipe(response);
    packer.write("first");
    packer.flush();
  });
  const abort = new AbortController();
  const reader = (await fetchPlain(served.url, { signal: abort.signal })).body?.getReader();
  expect(Buffer.from((await reader?.read())?.value).toString()).toBe("first");
  abort.abort();
  await expect(reader?.read()).rejects.toBe(abort.signal.reason);
  await closed(served.connections[0]);
});

test("NET9 accepts an empty compressed body, and one that lacks only its end mark", async () => {
  served = await startTestServer((incoming, response) => {
    const packed = gzipSync("hello");
    response
      .writeHead(200, { "content-encoding": "gzip" })
      .end(incoming.url === "/empty" ? "" : packed.subarray(0, -8));
  });
  expect(await (await fetchPlain(`${served.url}/empty`)).text()).toBe("");
  expect(await (await fetchPlain(served.url)).text()).toBe("hello");
});

test("NET9 fails for a damaged body, and passes on an unknown encoding", async () => {
  served = await startTestServer((incoming, response) => {
    response.writeHead(200, { "content-encoding": incoming.url === "/bad" ? "gzip" : "own" }).end("not packed");
  });
  await expect((await fetchPlain(`${served.url}/bad`)).text()).rejects.toThrow("terminated");
  expect(await (await fetchPlain(served.url)).text()).toBe("not packed");
});
