/** Servers that pack what nobody asked them to pack. */

import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { asked, closed, type Serving, serving } from "./test-servers.ts";

let served: Serving;
afterEach(() => served?.close());

const packers = {
  gzip: gzipSync,
  "X-GZIP": gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  "gzip, br": (text: string) => brotliCompressSync(gzipSync(text)),
  identity: (text: string) => Buffer.from(text),
};

test.each(Object.entries(packers))(
  "NET9 what came as %s is unpacked, though identity was asked for",
  async (name, pack) => {
    let wanted: string | undefined;
    served = await serving((incoming, response) => {
      wanted = incoming.headers["accept-encoding"];
      response.writeHead(200, { "content-encoding": name }).end(pack("hello, hello, hello"));
    });
    expect(await (await asked(served.url)).text()).toBe("hello, hello, hello");
    expect(wanted).toBe("identity");
  },
);

test("NET9 what claims to be packed many times over is handed on as it came", async () => {
  const names = Array.from({ length: 1_000 }, () => "gzip").join(",");
  served = await serving((_, response) => void response.writeHead(200, { "content-encoding": names }).end("hello"));
  expect(await (await asked(served.url)).text()).toBe("hello");
});

test("NET9 packed events are heard one by one, and an abort ends them", async () => {
  served = await serving((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    const packer = createGzip();
    packer.pipe(response);
    packer.write("first");
    packer.flush();
  });
  const abort = new AbortController();
  const reader = (await asked(served.url, { signal: abort.signal })).body?.getReader();
  expect(Buffer.from((await reader?.read())?.value).toString()).toBe("first");
  abort.abort();
  await expect(reader?.read()).rejects.toBe(abort.signal.reason);
  await closed(served.lines[0]);
});

test("NET9 nothing at all is nothing, and what lacks only the end of its packing is whole", async () => {
  served = await serving((incoming, response) => {
    const packed = gzipSync("hello");
    response
      .writeHead(200, { "content-encoding": "gzip" })
      .end(incoming.url === "/empty" ? "" : packed.subarray(0, -8));
  });
  expect(await (await asked(`${served.url}/empty`)).text()).toBe("");
  expect(await (await asked(served.url)).text()).toBe("hello");
});

test("NET9 what is packed badly breaks off, and what is packed in an unknown way is handed on", async () => {
  served = await serving((incoming, response) => {
    response.writeHead(200, { "content-encoding": incoming.url === "/bad" ? "gzip" : "own" }).end("not packed");
  });
  await expect((await asked(`${served.url}/bad`)).text()).rejects.toThrow("terminated");
  expect(await (await asked(served.url)).text()).toBe("not packed");
});
