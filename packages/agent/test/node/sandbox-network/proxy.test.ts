/** Tests node/sandbox-network/proxy.ts and upstream.ts: which hosts are reached, the order of checks, and what is forwarded. */

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { chooseUpstream } from "../../../src/node/sandbox-network/upstream.ts";
import { until } from "../../support/sandbox-folders.ts";
import { AUTHORIZED, connectTo, exchange, listen, startTestProxy, startWeb } from "../../support/web-servers.ts";

describe("hosts", () => {
  test.each([
    ["127.0.0.1:443", 403],
    ["127.1:443", 403],
    ["2130706433:443", 403],
    ["0x7f000001:443", 403],
    ["0177.0.0.1:443", 403],
    ["169.254.169.254:80", 403],
    ["10.0.0.1:443", 403],
    ["[::1]:443", 403],
    ["[::ffff:127.0.0.1]:443", 403],
    ["[::ffff:7f00:1]:443", 403],
    ["[fe80::1%25eth0]:443", 400],
    ["localhost:443", 403],
    ["intranet:443", 403],
    ["shop.test.:443", 403],
    ["shop.test:22", 403],
    ["shop.test:0", 403],
    ["shop.test:65536", 403],
    ["user@shop.test:443", 400],
    ["shop.test%00.evil.test:443", 400],
    ["shop%2etest:443", 400],
    ["b\u00fccher.test:443", 400],
    ["shop.test/..:443", 400],
    ["shop.test#:443", 400],
    ["shop.test\\evil.test:443", 400],
  ])("PROXY4 %s is refused without a question and before its name is resolved", async (target, status) => {
    const proxy = await startTestProxy();
    const reply = await exchange(proxy.port, Buffer.from(connectTo(target), "latin1"));
    // What Node's own parser refuses gets no reply.
    expect(reply === "" ? "HTTP/1.1 400" : reply).toMatch(new RegExp(`^HTTP/1.1 ${status}`));
    expect([proxy.permitted, proxy.resolved]).toEqual([[], []]);
  });

  test("PROXY4 a host name in capital letters is the same host, in the question and in the address", async () => {
    const proxy = await startTestProxy({ permit: async () => "no" });
    await exchange(proxy.port, connectTo("SHOP.Test:443"));
    await exchange(
      proxy.port,
      `GET http://SHOP.Test/ HTTP/1.1\r\nHost: shop.test\r\n${AUTHORIZED}\r\n`,
      /\n\n|did not/,
    );
    expect(proxy.permitted).toEqual(["shop.test:443", "shop.test:80"]);
  });

  test("PROXY5 a host that is not permitted is not resolved, and the client gets the reason", async () => {
    const proxy = await startTestProxy({ permit: async ({ host }) => `${host} was refused by the user` });
    const tunnel = await exchange(proxy.port, connectTo("secret-data.evil.test:443"));
    expect(tunnel).toMatch(
      /^HTTP\/1.1 403 Refused by Pith's sandbox: secret-data.evil.test was refused by the user\r\n/,
    );
    expect(tunnel).toMatch(/\r\n\r\nPith's sandbox did not connect: secret-data.evil.test was refused by the user\n$/);
    const plain = await exchange(proxy.port, `GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n${AUTHORIZED}\r\n`);
    expect(plain).toMatch(/^HTTP\/1.1 403 [\s\S]*evil.test was refused by the user\n$/);
    expect(proxy.resolved).toEqual([]);
    const refused = { outcome: "refused", sentBytes: 0, receivedBytes: 0 };
    expect(proxy.connections).toEqual([
      { host: "secret-data.evil.test", port: 443, why: "secret-data.evil.test was refused by the user", ...refused },
      { host: "evil.test", port: 80, why: "evil.test was refused by the user", ...refused },
    ]);
  });

  test.each([
    ["a private address", ["10.1.2.3"]],
    ["this machine", ["127.0.0.1"]],
    ["the cloud's metadata", ["169.254.169.254"]],
    ["one private address among public ones", ["93.184.216.34", "192.168.0.1"]],
    ["an IPv4 address inside IPv6", ["::ffff:127.0.0.1"]],
  ])("PROXY6 a name that leads to %s is refused", async (_, addresses) => {
    const proxy = await startTestProxy({ resolve: async () => addresses });
    expect(await exchange(proxy.port, connectTo("shop.test:443"))).toMatch(
      /^HTTP\/1.1 403 .*not on the public internet/,
    );
  });

  test("PROXY6 a name is resolved once per connection, and that address is used", async () => {
    const { port } = await startWeb();
    const answers = [["127.0.0.1"], ["127.0.0.2"], ["10.0.0.1"]];
    const proxy = await startTestProxy({
      privateHosts: [`shop.test:${port}`],
      resolve: async () => answers.shift() ?? [],
    });
    const reply = await exchange(
      proxy.port,
      `GET http://shop.test:${port}/ HTTP/1.1\r\nHost: a\r\n${AUTHORIZED}\r\n`,
      /hello/,
    );
    expect(reply).toContain("hello");
    expect(proxy.resolved).toEqual(["shop.test"]);
  });

  describe("registries of the user", () => {
    const registries = ["10.0.0.5:4873", "npm.corp.internal:443", "npm:80", "fd00::5:443", "other.test:443"];
    const refusedRegistries = [
      "127.0.0.1:4873",
      "localhost:4873",
      "169.254.169.254:80",
      "meta.corp:80",
      "here.corp:80",
    ];
    const isRegistry = async (host: string, port: number): Promise<boolean> =>
      [...registries, ...refusedRegistries].includes(`${host}:${port}`);
    const addresses: Readonly<Record<string, string>> = {
      "npm.corp.internal": "10.0.0.6",
      npm: "100.64.0.7",
      "meta.corp": "169.254.169.254",
      "here.corp": "127.0.0.1",
      "other.test": "192.168.1.1",
    };
    const resolve = async (name: string): Promise<readonly string[]> => [addresses[name] ?? "10.0.0.9"];

    test.each(["10.0.0.5:4873", "npm.corp.internal:443", "npm:80", "[fd00::5]:443", "other.test:443"])(
      "PROXY24 %s needs permission like any host, and is reached at its private address",
      async (target) => {
        const proxy = await startTestProxy({ isRegistry, resolve });
        // No such host answers here; what counts is that the proxy tries.
        const reply = exchange(proxy.port, connectTo(target), /HTTP/);
        await until(() => proxy.permitted.length > 0);
        expect(proxy.permitted).toEqual([target.replace(/[[\]]/g, "")]);
        const outcome = await Promise.race([reply, sleep(300).then(() => "trying")]);
        expect(outcome).not.toMatch(/HTTP\/1.1 403/);
        const refusing = await startTestProxy({ isRegistry, resolve, permit: async () => "no" });
        expect(await exchange(refusing.port, connectTo(target))).toMatch(/^HTTP\/1.1 403 .*: no\r\n/);
        expect(refusing.resolved).toEqual([]);
      },
    );

    test.each([
      "10.0.0.5:80",
      "10.0.0.6:4873",
      "npm.corp.internal:80",
      "other.corp.internal:443",
      "other.test:80",
      "127.0.0.1:4873",
      "localhost:4873",
      "169.254.169.254:80",
      "meta.corp:80",
      "here.corp:80",
      "10.5:4873",
    ])("PROXY24 %s is refused: another port or host, this machine, or a metadata service", async (target) => {
      const proxy = await startTestProxy({ isRegistry, resolve });
      expect(await exchange(proxy.port, connectTo(target))).toMatch(/^HTTP\/1.1 403 /);
    });

    test("PROXY24 the user's configuration is not read before the question about a public host", async () => {
      const questions: string[] = [];
      const isRegistry = async (host: string): Promise<boolean> => questions.push(host) === 0;
      const proxy = await startTestProxy({ isRegistry, permit: async () => "no" });
      await exchange(proxy.port, connectTo("shop.test:443"));
      expect(questions).toEqual([]);
    });
  });

  test("PROXY6 reports an unknown name and a host that does not answer", async () => {
    const proxy = await startTestProxy({ resolve: async () => [] });
    expect(await exchange(proxy.port, connectTo("shop.test:443"))).toMatch(/^HTTP\/1.1 502 .*cannot be resolved/);
    const closed = await startTestProxy({ privateHosts: ["shop.test:1"] });
    expect(await exchange(closed.port, connectTo("shop.test:1"))).toMatch(/^HTTP\/1.1 502 .*ECONNREFUSED/);
    expect(closed.connections).toMatchObject([{ outcome: "refused", why: expect.stringContaining("ECONNREFUSED") }]);
  });
});

describe("commands", () => {
  test.each(["", "Proxy-Authorization: Basic bad\r\n", "Authorization: Basic good\r\n"])(
    "PROXY7 without a command's credentials there is no question and no resolution (%j)",
    async (headers) => {
      const proxy = await startTestProxy();
      expect(await exchange(proxy.port, connectTo("shop.test:443", headers))).toMatch(
        /^HTTP\/1.1 407 [\s\S]*Proxy-Authenticate: Basic/,
      );
      const plain = `GET http://shop.test/ HTTP/1.1\r\nHost: shop.test\r\n${headers}\r\n`;
      expect(await exchange(proxy.port, plain)).toMatch(/^HTTP\/1.1 407 [\s\S]*Proxy-Authenticate: Basic/);
      expect([proxy.permitted, proxy.resolved]).toEqual([[], []]);
    },
  );

  test("PROXY8 a kept connection is checked for every request on it", async () => {
    const { port, requests } = await startWeb();
    const proxy = await startTestProxy({
      privateHosts: [`shop.test:${port}`, `evil.test:${port}`],
      permit: async ({ host }) => (host === "shop.test" ? null : "no"),
    });
    const get = (host: string, headers: string): string =>
      `GET http://${host}:${port}/ HTTP/1.1\r\nHost: shop.test:${port}\r\n${headers}\r\n`;
    const twice = get("shop.test", AUTHORIZED) + get("evil.test", AUTHORIZED);
    expect(await exchange(proxy.port, twice)).toMatch(/^HTTP\/1.1 200 [\s\S]*HTTP\/1.1 403/);
    expect(await exchange(proxy.port, get("shop.test", AUTHORIZED) + get("shop.test", ""))).toMatch(/200 [\s\S]* 407 /);
    expect(requests.length).toBe(2);
  });

  test("PROXY8 hop-by-hop headers are not forwarded, and Host is the checked host", async () => {
    const { port, requests } = await startWeb((request, response) => {
      response.setHeader("Set-Cookie", ["a=1", "b=2"]).setHeader("Proxy-Authenticate", "Basic");
      request.pipe(response);
    });
    const proxy = await startTestProxy({ privateHosts: [`shop.test:${port}`] });
    const head = [
      `POST http://shop.test:${port}/a%20b?c=%2f HTTP/1.1`,
      "Host: inner.test",
      "Proxy-Connection: keep-alive",
      "Connection: X-Own, keep-alive",
      "X-Own: 1",
      "X-Kept: 2",
      "Upgrade: websocket",
      "Transfer-Encoding: chunked",
    ];
    const body = "5\r\nhello\r\n0\r\n\r\n";
    const reply = await exchange(proxy.port, `${head.join("\r\n")}\r\n${AUTHORIZED}\r\n${body}`, /hello\r\n0\r\n/);
    expect(reply).toMatch(/Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n/);
    expect(reply).not.toContain("Proxy-Authenticate");
    expect(requests[0]?.url).toBe("/a%20b?c=%2f");
    expect(requests[0]?.headers).toEqual({
      host: `shop.test:${port}`,
      "x-kept": "2",
      "transfer-encoding": "chunked",
      connection: "close",
    });
  });

  test("PROXY22 a header may have any name", async () => {
    const { port, requests } = await startWeb();
    const proxy = await startTestProxy({ privateHosts: [`shop.test:${port}`] });
    const get = `GET http://shop.test:${port}/ HTTP/1.1\r\nHost: shop.test\r\n${AUTHORIZED}`;
    for (const name of ["constructor", "__proto__", "toString"])
      expect(await exchange(proxy.port, `${get}${name}: x\r\n\r\n`, /hello/)).toMatch(/^HTTP\/1.1 200 /);
    expect(requests.map(({ rawHeaders }) => rawHeaders.at(0))).toEqual(["constructor", "__proto__", "tostring"]);
    await until(() => proxy.connections.length === 3);
  });

  test("PROXY8 does not serve paths, https URLs or other schemes", async () => {
    const proxy = await startTestProxy();
    for (const target of ["/", "https://shop.test/", "ftp://shop.test/", "*"]) {
      const method = target === "*" ? "OPTIONS" : "GET";
      const reply = await exchange(proxy.port, `${method} ${target} HTTP/1.1\r\nHost: shop.test\r\n${AUTHORIZED}\r\n`);
      expect(reply).toMatch(/^HTTP\/1.1 400/);
    }
    expect(proxy.permitted).toEqual([]);
  });
});

describe("limits", () => {
  test("PROXY23 refuses a host name that is too long, and reports it shortened", async () => {
    const proxy = await startTestProxy();
    const long = `${"a".repeat(20_000)}.test`;
    const plain = `GET http://${long}/ HTTP/1.1\r\nHost: shop.test\r\n${AUTHORIZED}\r\n`;
    for (const text of [connectTo(`${long}:443`), plain])
      expect(await exchange(proxy.port, text)).toMatch(/^HTTP\/1.1 400 .*longer than 253 characters/);
    expect(proxy.permitted).toEqual([]);
    expect(proxy.connections.map(({ host }) => host)).toEqual(["a".repeat(253), "a".repeat(253)]);
  });

  test("PROXY23 accepts a host name of 253 characters, and no longer one", async () => {
    const proxy = await startTestProxy();
    const [longest, tooLong] = ["a".repeat(248), "a".repeat(249)].map((label) => `${label}.test`);
    expect(await exchange(proxy.port, connectTo(`${longest}:443`))).not.toMatch(/longer than/);
    expect(await exchange(proxy.port, connectTo(`${tooLong}:443`))).toMatch(/^HTTP\/1.1 400 .*longer than 253/);
    expect(proxy.permitted).toEqual([`${longest}:443`]);
  });

  test("PROXY9 headers that are too long end the connection", async () => {
    const proxy = await startTestProxy();
    const long = `X-Long: ${"x".repeat(100_000)}\r\n`;
    expect(await exchange(proxy.port, connectTo("shop.test:443", AUTHORIZED + long))).toBe("");
    expect(proxy.permitted).toEqual([]);
  });

  test("PROXY9 a command has no more than 256 connections at a time", async () => {
    const port = await listen(createServer(() => {}));
    const proxy = await startTestProxy({ privateHosts: [`shop.test:${port}`] });
    const sockets = Array.from({ length: 256 }, () => connect(proxy.port, "127.0.0.1"));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    for (const socket of sockets) socket.write(connectTo(`shop.test:${port}`));
    await until(() => proxy.open.size === 256);
    expect(await exchange(proxy.port, connectTo(`shop.test:${port}`))).toMatch(/^HTTP\/1.1 503 .*256 connections/);
  });

  test("PROXY9 silent connections cannot use up Pith's file descriptors", async () => {
    const proxy = await startTestProxy();
    let closed = 0;
    const sockets: Socket[] = [];
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    // In groups: when the queue of the listening socket is full, a client can be connected without the server knowing of it.
    while (sockets.length < 1_034) {
      const group = Array.from({ length: 94 }, () => connect(proxy.port, "127.0.0.1"));
      for (const socket of group) socket.on("error", () => {}).on("close", () => (closed += 1));
      sockets.push(...group);
      await Promise.all(group.map((socket) => once(socket, "connect")));
    }
    await until(() => closed >= 10);
    sockets[0]?.destroy();
    await until(() => closed >= 11);
    expect(await exchange(proxy.port, connectTo("shop.test:443", ""))).toMatch(/^HTTP\/1.1 407/);
  });

  test("PROXY9 applies backpressure from the host to the client", async () => {
    let received = 0;
    const accepted = Promise.withResolvers<Socket>();
    const port = await listen(createServer({ pauseOnConnect: true }, accepted.resolve));
    const proxy = await startTestProxy({ privateHosts: [`shop.test:${port}`] });
    const before = process.memoryUsage().arrayBuffers;
    const client = connect(proxy.port, "127.0.0.1");
    onTestFinished(() => void client.destroy());
    client.write(connectTo(`shop.test:${port}`));
    await new Promise((resolve) => client.once("data", resolve));
    const chunk = Buffer.alloc(1 << 20);
    for (let count = 0; count < 64 && client.write(chunk); count += 1) await new Promise(setImmediate);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 << 20);
    (await accepted.promise).on("data", (bytes: Buffer) => (received += bytes.length)).resume();
    client.end();
    await until(() => proxy.connections.length === 1);
    expect(proxy.connections).toMatchObject([{ outcome: "allowed", sentBytes: received }]);
  });

  test("PROXY9 a connection that ends in one direction stays open in the other", async () => {
    const port = await listen(
      createServer({ allowHalfOpen: true }, (socket) => socket.on("end", () => socket.end("all of it")).resume()),
    );
    const proxy = await startTestProxy({ privateHosts: [`shop.test:${port}`] });
    const client = connect({ port: proxy.port, host: "127.0.0.1", allowHalfOpen: true });
    let reply = "";
    client.on("data", (chunk) => {
      if (reply === "") client.end("request");
      reply += chunk.toString();
    });
    client.write(connectTo(`shop.test:${port}`));
    await new Promise((resolve) => client.once("close", resolve));
    expect(reply).toMatch(/^HTTP\/1.1 200 [\s\S]*all of it$/);
    await until(() => proxy.connections.length === 1);
    expect(proxy.connections).toEqual([
      { host: "shop.test", port, outcome: "allowed", sentBytes: 7, receivedBytes: 9 },
    ]);
  });
});

describe("the user's own proxy", () => {
  /** Answers every CONNECT and plain request by itself, and keeps what was asked. */
  async function startUpstream(): Promise<{ readonly port: number; readonly heads: string[] }> {
    const heads: string[] = [];
    const port = await listen(
      createServer((socket) => {
        socket
          .on("error", () => {})
          .once("data", (chunk) => {
            heads.push(chunk.toString());
            if (chunk.toString().startsWith("CONNECT")) socket.write("HTTP/1.1 200 OK\r\n\r\nfrom the host");
            else socket.end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain");
          });
      }),
    );
    return { port, heads };
  }

  test("PROXY10 tunnels and plain requests use it with its password, by host name, even if only it can resolve the name", async () => {
    const upstream = await startUpstream();
    const named = `http://me:${encodeURIComponent("p@ss")}@127.0.0.1:${upstream.port}`;
    const environment = { HTTPS_PROXY: named, http_proxy: named };
    const proxy = await startTestProxy({ environment, resolve: async () => [] });
    expect(await exchange(proxy.port, connectTo("shop.test:443"), /host/)).toMatch(
      /^HTTP\/1.1 200 [\s\S]*from the host$/,
    );
    const get = `GET http://shop.test/a HTTP/1.1\r\nHost: shop.test\r\n${AUTHORIZED}\r\n`;
    expect(await exchange(proxy.port, get, /\r\n\r\nplain/)).toMatch(/^HTTP\/1.1 200 /);
    const authorization = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
    expect(upstream.heads[0]).toBe(
      `CONNECT shop.test:443 HTTP/1.1\r\nHost: shop.test:443\r\nProxy-Authorization: ${authorization}\r\n\r\n`,
    );
    expect(upstream.heads[1]).toMatch(/^GET http:\/\/shop.test\/a HTTP\/1.1\r\n/);
    expect(upstream.heads[1]?.toLowerCase()).toContain(`proxy-authorization: ${authorization.toLowerCase()}\r\n`);
    expect(upstream.heads[1]).not.toContain("good");
  });

  test("PROXY21 the body of a request cannot contain a second request to another host", async () => {
    const upstream = await startUpstream();
    const environment = { http_proxy: `http://127.0.0.1:${upstream.port}` };
    const proxy = await startTestProxy({ environment, resolve: async () => [] });
    const hidden = "GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n";
    const headers = `Host: shop.test\r\n${AUTHORIZED}Connection: Content-Length\r\nContent-Length: ${hidden.length}\r\n`;
    await exchange(proxy.port, `GET http://shop.test/ HTTP/1.1\r\n${headers}\r\n${hidden}`, /plain/);
    expect(upstream.heads.join("")).toMatch(new RegExp(`\r\ncontent-length: ${hidden.length}\r\n`, "i"));
  });

  test("PROXY10 private addresses are refused with an upstream proxy too", async () => {
    const upstream = await startUpstream();
    const environment = { HTTPS_PROXY: `127.0.0.1:${upstream.port}` };
    const proxy = await startTestProxy({ environment, resolve: async () => ["10.0.0.1"] });
    for (const target of ["shop.test:443", "10.0.0.1:443", "169.254.169.254:443"])
      expect(await exchange(proxy.port, connectTo(target))).toMatch(/^HTTP\/1.1 403/);
    expect(upstream.heads).toEqual([]);
  });

  test.each([
    ["https://shop.test/", {}, null],
    ["https://shop.test/", { HTTPS_PROXY: "http://p.test:1" }, "http://p.test:1/"],
    ["https://shop.test/", { https_proxy: "http://small.test", HTTPS_PROXY: "http://p.test" }, "http://small.test/"],
    ["https://shop.test/", { HTTP_PROXY: "http://p.test" }, null],
    ["http://shop.test/", { HTTP_PROXY: "p.test:8080" }, "http://p.test:8080/"],
    ["http://shop.test/", { ALL_PROXY: "https://p.test" }, "https://p.test/"],
    ["https://shop.test/", { HTTPS_PROXY: "http://p.test", NO_PROXY: "*" }, null],
    ["https://a.shop.test/", { HTTPS_PROXY: "http://p.test", NO_PROXY: "x.test, shop.test" }, null],
    ["https://a.shop.test/", { HTTPS_PROXY: "http://p.test", no_proxy: ".shop.test" }, null],
    ["https://a.shop.test/", { HTTPS_PROXY: "http://p.test", NO_PROXY: "*.SHOP.test" }, null],
    ["https://ashop.test/", { HTTPS_PROXY: "http://p.test", NO_PROXY: "shop.test" }, "http://p.test/"],
    ["https://shop.test:8443/", { HTTPS_PROXY: "http://p.test", NO_PROXY: "shop.test:443" }, "http://p.test/"],
    ["https://shop.test:8443/", { HTTPS_PROXY: "http://p.test", NO_PROXY: "shop.test:8443" }, null],
    ["https://shop.test/", { HTTPS_PROXY: "http://p.test", NO_PROXY: "shop.test:443" }, null],
    ["http://shop.test/", { HTTP_PROXY: "http://p.test", NO_PROXY: "shop.test:80" }, null],
    ["http://shop.test/", { HTTP_PROXY: "http://p.test", NO_PROXY: "shop.test:443" }, "http://p.test/"],
    ["https://10.1.2.3/", { HTTPS_PROXY: "http://p.test", NO_PROXY: "10.0.0.0/8" }, null],
    ["https://11.1.2.3/", { HTTPS_PROXY: "http://p.test", NO_PROXY: "10.0.0.0/8" }, "http://p.test/"],
    ["https://[2001:db8::1]/", { HTTPS_PROXY: "http://p.test", NO_PROXY: "2001:db8::1" }, null],
  ])("PROXY10 for %s with the variables %j, the upstream proxy is %s", (url, environment, upstream) => {
    expect(chooseUpstream(new URL(url), environment)?.href ?? null).toBe(upstream);
  });

  test("PROXY10 a proxy of an unsupported kind is an error", async () => {
    const proxy = await startTestProxy({ environment: { ALL_PROXY: "socks5://p.test" } });
    expect(await exchange(proxy.port, connectTo("shop.test:443"))).toMatch(/^HTTP\/1.1 502 .*not an http:\/\//);
  });
});
