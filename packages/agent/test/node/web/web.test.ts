/** Tests node/web with real servers on this machine: connections, requests, redirects, limits and failures. */

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:net";
import tls from "node:tls";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { certificateFor, MILLION, newSecureSite, newSite, open, textOf } from "../../support/web-servers.ts";

describe("a page", () => {
  test("WEB8 is requested with Pith's user agent, without cookies and credentials", async () => {
    let incoming: IncomingMessage | undefined;
    const { url, host } = await newSite((request, response) => {
      incoming = request;
      response.setHeader("set-cookie", "a=b").setHeader("content-type", "text/plain; charset=utf-8").end("hello");
    });
    const opened = await open(`${url}a?b#c`, { allowedHosts: [host] });
    expect(opened).toEqual({
      type: "page",
      url: `${url}a?b#c`,
      status: 200,
      contentType: "text/plain; charset=utf-8",
      bytes: Buffer.from("hello"),
      isComplete: true,
    });
    const { "user-agent": name, ...rest } = incoming?.headers ?? {};
    expect(name).toBe("pith");
    expect(Object.keys(rest).sort()).toEqual(["accept", "accept-encoding", "connection", "host"]);
    expect(incoming?.url).toBe("/a?b");
  });

  test("WEB8 with an error status is returned as a page", async () => {
    const { url, host } = await newSite((_, response) => response.writeHead(404).end("gone"));
    expect(await open(url, { allowedHosts: [host] })).toMatchObject({ type: "page", status: 404, contentType: null });
  });
});

describe("a name", () => {
  test("WEB2 is resolved once; later addresses are never used", async () => {
    const { port } = await newSite((_, response) => response.end("the first"));
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    const resolved: string[] = [];
    const resolve = async (name: string): Promise<readonly string[]> => {
      resolved.push(name);
      return answers[resolved.length - 1] ?? [];
    };
    const allowedHosts = [`rebound.example:${port}`];
    expect(textOf(await open(`http://rebound.example:${port}/`, { resolve, allowedHosts }))).toBe("the first");
    expect(resolved).toEqual(["rebound.example"]);
  });

  test("WEB5 is resolved and checked again at each redirect", async () => {
    const answers = [["127.0.0.1"], ["10.0.0.1"]];
    const resolve = async (): Promise<readonly string[]> => answers.shift() ?? [];
    const { port } = await newSite((_, response) => {
      response.writeHead(302, { location: "http://rebound.example/" }).end();
    });
    const opened = await open(`http://rebound.example:${port}/`, {
      resolve,
      allowedHosts: [`rebound.example:${port}`],
    });
    expect(opened).toMatchObject({ type: "refused", why: "address" });
  });

  test("WEB2 is sent in Host, while the checked address is connected to", async () => {
    const { port } = await newSite((request, response) => response.end(request.headers.host));
    const allowedHosts = [`pages.example:${port}`];
    const opened = await open(`http://pages.example:${port}/`, { allowedHosts, resolve: async () => ["127.0.0.1"] });
    expect(textOf(opened)).toBe(`pages.example:${port}`);
  });

  test("WEB2 is tried at its other addresses if the first does not answer", async () => {
    const { port } = await newSite((_, response) => response.end("here"));
    const allowedHosts = [`pages.example:${port}`];
    const resolve = async (): Promise<readonly string[]> => ["::1", "127.0.0.1"];
    expect(textOf(await open(`http://pages.example:${port}/`, { allowedHosts, resolve }))).toBe("here");
  });
});

describe("a secure page", () => {
  const name = "pages.example";
  const certificate = certificateFor(name);
  const before = tls.getCACertificates("default");
  const resolve = async (): Promise<readonly string[]> => ["127.0.0.1"];
  afterAll(() => tls.setDefaultCACertificates(before));

  test("WEB2 is verified for its name, not for its address", async () => {
    tls.setDefaultCACertificates([...before, certificate.cert]);
    const { port } = await newSecureSite(certificate, (request, response) => {
      response.end((request.socket as tls.TLSSocket & { servername?: string }).servername);
    });
    const allowedHosts = [`${name}:${port}`, `other.example:${port}`];
    expect(textOf(await open(`https://${name}:${port}/`, { allowedHosts, resolve }))).toBe(name);
    expect(await open(`https://other.example:${port}/`, { allowedHosts, resolve })).toMatchObject({
      type: "failed",
      why: "broken",
      message: expect.stringContaining("other.example"),
    });
  });

  test("WEB5 does not redirect to http", async () => {
    tls.setDefaultCACertificates([...before, certificate.cert]);
    const plain = await newSite((_, response) => response.end("plain"));
    const { port } = await newSecureSite(certificate, (_, response) => {
      response.writeHead(302, { location: plain.url }).end();
    });
    const allowedHosts = [`${name}:${port}`, plain.host];
    expect(await open(`https://${name}:${port}/`, { allowedHosts, resolve })).toMatchObject({
      type: "refused",
      why: "downgrade",
    });
  });

  test("WEB8 with an untrusted certificate is not read", async () => {
    tls.setDefaultCACertificates(before);
    const { port } = await newSecureSite(certificateFor(name), (_, response) => response.end("forged"));
    const opened = await open(`https://${name}:${port}/`, { allowedHosts: [`${name}:${port}`], resolve });
    expect(opened).toMatchObject({ type: "failed", why: "broken", message: expect.stringMatching(/self-signed/) });
  });
});

describe("a redirect", () => {
  test.each([301, 302, 303, 307, 308])("WEB5 with status %d is followed, up to five in a row", async (status) => {
    const { url, host } = await newSite((request, response) => {
      const hop = Number(request.url?.slice(1) || 0);
      if (hop < 5) response.writeHead(status, { location: `/${hop + 1}` }).end();
      else response.end("arrived");
    });
    const opened = await open(url, { allowedHosts: [host] });
    expect(textOf(opened)).toBe("arrived");
    expect(opened).toMatchObject({ url: `${url}5` });
  });

  test("WEB5 in a loop ends", async () => {
    let callCount = 0;
    const { url, host } = await newSite((_, response) => {
      callCount++;
      response.writeHead(302, { location: "/" }).end();
    });
    expect(await open(url, { allowedHosts: [host] })).toMatchObject({ type: "refused", why: "too-many-redirects" });
    expect(callCount).toBe(6);
  });

  test.each([
    ["http://169.254.169.254/latest/meta-data/", "address"],
    ["http://127.0.0.1:9/", "port"],
    ["http://127.0.0.1:8099/", "address"],
    ["http://2130706433:8099/", "address"],
    ["http://[::ffff:127.0.0.1]:8099/", "address"],
    ["//10.0.0.1/", "address"],
    ["http://localhost:8099/", "name"],
    ["http://printer.local/", "name"],
    ["http://user:pass@example.com/", "credentials"],
    ["file:///etc/passwd", "scheme"],
    ["ftp://example.com/", "scheme"],
    ["http://[", "malformed"],
  ])("WEB5 to %s is refused, with the target in the message", async (location, why) => {
    const { url, host } = await newSite((_, response) => response.writeHead(302, { location }).end());
    const opened = await open(url, { allowedHosts: [host] });
    expect(opened).toMatchObject({ type: "refused", why, message: expect.stringMatching(/^redirected to /) });
  });

  test("WEB5 does not look up the name of another host", async () => {
    const { url, host } = await newSite((_, response) => {
      response.writeHead(302, { location: "http://inside.example/" }).end();
    });
    const resolved: string[] = [];
    const resolve = async (name: string): Promise<readonly string[]> => {
      resolved.push(name);
      return ["192.168.0.7"];
    };
    const opened = await open(url, { allowedHosts: [host], resolve });
    expect(opened).toMatchObject({ type: "refused", why: "elsewhere" });
    expect(resolved).toEqual([]);
  });

  test("WEB5 without a location is returned as a page", async () => {
    const { url, host } = await newSite((_, response) => response.writeHead(302).end("no way on"));
    expect(textOf(await open(url, { allowedHosts: [host] }))).toBe("no way on");
  });
});

describe("a body", () => {
  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ])("WEB7 compressed with %s is decompressed, and a bomb only up to the limit", async (packing, pack) => {
    const bomb = pack(Buffer.alloc(20 * MILLION));
    const { url, host } = await newSite((request, response) => {
      response.setHeader("content-encoding", packing).end(request.url === "/bomb" ? bomb : pack(Buffer.from("hello")));
    });
    expect(textOf(await open(url, { allowedHosts: [host] }))).toBe("hello");
    const opened = await open(`${url}bomb`, { allowedHosts: [host] });
    expect(opened).toMatchObject({ type: "page", isComplete: false });
    expect(textOf(opened).length).toBe(MILLION);
  });

  test("WEB7 without end is truncated", async () => {
    const { url, host } = await newSite((_, response) => {
      const more = (): unknown => response.destroyed || response.write("x".repeat(65_536), more);
      more();
    });
    const opened = await open(url, { allowedHosts: [host] });
    expect(opened).toMatchObject({ type: "page", isComplete: false });
    expect(textOf(opened).length).toBe(MILLION);
  });

  test("WEB7 of exactly the limit is complete", async () => {
    const { url, host } = await newSite((_, response) => response.end("x".repeat(MILLION)));
    expect(await open(url, { allowedHosts: [host] })).toMatchObject({ type: "page", isComplete: true });
  });

  test.each([
    ["with an unknown compression", "constructor", "x"],
    ["without the declared compression", "gzip", "plain"],
    ["with truncated compressed data", "gzip", gzipSync("hello ".repeat(9_999)).subarray(0, 60)],
  ])("WEB9 %s causes a failure", async (_, packing, bytes) => {
    const { url, host } = await newSite((__, response) => response.setHeader("content-encoding", packing).end(bytes));
    expect(await open(url, { allowedHosts: [host] })).toMatchObject({ type: "failed", why: "broken" });
  });

  test("WEB9 that ends too early is a failure", async () => {
    const { url, host } = await newSite((_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("half");
      setTimeout(() => response.destroy(), 50);
    });
    expect(await open(url, { allowedHosts: [host] })).toMatchObject({ type: "failed", why: "broken" });
  });
});

describe("a request that takes too long", () => {
  test("WEB7 a very slow body times out", async () => {
    const { url, host } = await newSite((_, response) => {
      const dripping = setInterval(() => response.write("."), 20);
      response.once("close", () => clearInterval(dripping));
    });
    expect(await open(url, { allowedHosts: [host], totalMs: 500 })).toMatchObject({ type: "failed", why: "timeout" });
  });

  test("WEB7 a server that never answers times out", async () => {
    const { url, host } = await newSite(() => {});
    expect(await open(url, { allowedHosts: [host], totalMs: 300 })).toMatchObject({ type: "failed", why: "timeout" });
  });

  test("WEB7 a TLS handshake that never completes times out", async () => {
    const mute = createServer((socket) => void socket.resume()).listen(0, "127.0.0.1");
    onTestFinished(() => void mute.close());
    await once(mute, "listening");
    const { port } = mute.address() as { port: number };
    const opened = await open(`https://127.0.0.1:${port}/`, { allowedHosts: [`127.0.0.1:${port}`], connectMs: 200 });
    expect(opened).toEqual({ type: "failed", why: "timeout", message: "the host did not respond" });
  });

  test("WEB7 a name that is never resolved times out", async () => {
    const resolve = (): Promise<never> => new Promise(() => {});
    expect(await open("https://slow.example/", { resolve, totalMs: 200 })).toMatchObject({ why: "timeout" });
  });

  test("WEB9 an abort is reported, before and after the headers arrive", async () => {
    const { url, host } = await newSite((request, response) => {
      if (request.url === "/body") response.write("begun");
    });
    for (const path of ["", "body"]) {
      const opening = open(url + path, { allowedHosts: [host] }, AbortSignal.timeout(100));
      expect(await opening).toMatchObject({ type: "failed", why: "aborted" });
    }
    expect(await open(url, { allowedHosts: [host] }, AbortSignal.abort())).toMatchObject({ why: "aborted" });
  });
});

describe("a request fails for", () => {
  test("WEB9 a closed port", async () => {
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const { port } = free.address() as { port: number };
    free.close();
    await once(free, "close");
    const opened = await open(`http://127.0.0.1:${port}/`, { allowedHosts: [`127.0.0.1:${port}`] });
    expect(opened).toMatchObject({ type: "failed", why: "unreachable" });
  });

  test("WEB9 a server with another protocol", async () => {
    const other = createServer((socket) => void socket.end("SSH-2.0-x\r\n")).listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const opened = await open(`http://127.0.0.1:${port}/`, { allowedHosts: [`127.0.0.1:${port}`] });
    expect(opened).toMatchObject({ type: "failed", why: "broken" });
  });

  test("WEB9 an unknown name", async () => {
    const resolve = async (): Promise<never> => {
      throw new Error("ENOTFOUND");
    };
    expect(await open("https://nowhere.example/", { resolve })).toMatchObject({ type: "failed", why: "unresolved" });
  });
});
