/** Tests a real proxy and a real HTTPS server with a system certificate, in separate processes. */

import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startServer } from "@pith/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { detectProxy, proxyNotes } from "../../src/network/fetch.ts";

const folder = mkdtempSync(join(tmpdir(), "pith-network-"));
const key = join(folder, "key.pem");
const certificate = join(folder, "certificate.pem");
let secure: Server;
let proxy: Server;
const tunnels: string[] = [];

beforeAll(async () => {
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,DNS:pith.test,IP:127.0.0.1"];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", certificate, ...subject],
    { stdio: "ignore" },
  );
  secure = await listening(
    createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_, response) => response.end("hello")),
  );
  proxy = await listening(createHttpServer().on("connect", tunnel));
});

afterAll(() => {
  for (const server of [secure, proxy]) {
    server.close();
    server.closeAllConnections();
  }
  rmSync(folder, { recursive: true });
});

test("NET1 accepts a certificate that the system trusts, without flags", async () => {
  expect(await answer({ SSL_CERT_FILE: certificate })).toBe("hello");
});

test("NET1 rejects an untrusted certificate", async () => {
  expect(await answer({ SSL_CERT_FILE: "/dev/null" })).toMatch(/^failed: .*SELF_SIGNED/);
});

test("NET2 uses the proxy of the environment", async () => {
  tunnels.length = 0;
  const variables = { SSL_CERT_FILE: certificate, HTTPS_PROXY: addressOf(proxy, "http").slice("http://".length) };
  expect(await answer(variables, "pith.test")).toBe("hello");
  // The second for the certificate, which is trusted only once it was missed.
  expect(tunnels.map((tunnel) => tunnel.split(":")[0])).toContain("pith.test");
});

test.each([
  ["pith.test", "pith.test"],
  ["localhost", ""],
])("NET2 does not use the proxy for %s if NO_PROXY is %j", async (host, NO_PROXY) => {
  tunnels.length = 0;
  const variables = { SSL_CERT_FILE: certificate, HTTPS_PROXY: addressOf(proxy, "http"), NO_PROXY };
  expect(await answer(variables, host)).toMatch(host === "localhost" ? /^hello$/ : /^failed: (ENOTFOUND|EAI_AGAIN)$/);
  expect(tunnels).toEqual([]);
});

test("NET3 a plain request does not load Node's fetch, even with a system certificate", async () => {
  const loaded = await answer({ SSL_CERT_FILE: certificate }, "localhost", `console.log(${HAS_FETCH})`);
  expect(loaded).toBe("hello\nfalse");
});

test.each([
  ["a request with other options", "", "{ cache: 'no-store' }"],
  ["a request through a proxy", "process.env.NODE_USE_ENV_PROXY = '1';", "{}"],
])("NET3 %s is left to Node's fetch", async (_, before, proxyUrl) => {
  const more = `${before} await reach(process.argv[1], ${proxyUrl}); console.log(${HAS_FETCH})`;
  expect(await answer({ SSL_CERT_FILE: certificate }, "localhost", more)).toBe("hello\ntrue");
});

test("NET11 no timeout of Node ends a slow request through a proxy", async () => {
  const watched = `
    process.env.NODE_USE_ENV_PROXY = "1";
    void Response;
    const place = Symbol.for("undici.globalDispatcher.1");
    const own = globalThis[place];
    const limits = [];
    globalThis[place] = {
      dispatch: (options, handler) => {
        limits.push(options.headersTimeout, options.bodyTimeout);
        return own.dispatch(options, handler);
      },
    };
    console.log(await (await reach(process.argv[1])).text(), limits.join(" "));
  `;
  expect(await answer({ SSL_CERT_FILE: certificate }, "localhost", watched)).toBe("hello\nhello 0 0");
});

test("NET3 uses a replaced global fetch", async () => {
  const more = `globalThis.fetch = async () => new Response("mine"); console.log(await (await reach(process.argv[1])).text())`;
  expect(await answer({ SSL_CERT_FILE: certificate }, "localhost", more)).toBe("hello\nmine");
});

test("NET3 the built program calls a model without Node's fetch", async () => {
  const build = new URL("../../../../scripts/build-program.ts", import.meta.url);
  await promisify(execFile)(process.execPath, [fileURLToPath(build), join(folder, "program")]);
  const server = await startServer({ script: ["Here I am."] });
  const env = { PATH: process.env.PATH, HOME: folder, ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: server.url };
  const printVariables = `data:text/javascript,process.on("exit", () => console.log(${HAS_FETCH}))`;
  const args = ["--import", printVariables, join(folder, "program/pith.mjs"), "-p", "Are you there?"];
  const running = promisify(execFile)(process.execPath, args, { env, cwd: folder });
  running.child.stdin?.end();
  const { stdout } = await running;
  await server.close();
  expect(stdout).toBe("Here I am.\nfalse\n");
});

const HAS_FETCH = `process.moduleLoadList.some((name) => name.includes("undici"))`;

const program = `
  import { createNetworkFetch } from ${JSON.stringify(new URL("../../src/network/fetch.ts", import.meta.url).href)};
  const reach = createNetworkFetch(process.env);
  const answer = () => reach(process.argv[1]).then((response) => response.text(), (error) => "failed: " + error.cause?.code);
  const [one, other] = await Promise.all([answer(), answer()]);
  console.log(one === other ? one : one + " and " + other);
`;

async function answer(variables: Readonly<Record<string, string>>, host = "localhost", more = ""): Promise<string> {
  // Only what is under test: whatever certificates and proxies this machine needs stay outside.
  const env = { PATH: process.env.PATH, ...variables };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module-typescript", "-e", program + more, addressOf(secure, "https", host)],
    { env },
  );
  return stdout.trim();
}

function addressOf(server: Server, scheme: string, host = "localhost"): string {
  return `${scheme}://${host}:${(server.address() as AddressInfo).port}`;
}

function listening<Each extends Server>(server: Each): Promise<Each> {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

function tunnel({ url = "" }: { url?: string }, client: Socket): void {
  tunnels.push(url);
  const target = connect(Number(url.split(":")[1]), "127.0.0.1", () => {
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    target.pipe(client).pipe(target);
  });
  target.on("error", () => client.destroy());
  client.on("error", () => target.destroy());
}

test("NET2 adds http to a proxy without a scheme, and notes an invalid one without its address", () => {
  expect(detectProxy({ HTTPS_PROXY: "http://[broken" })).toBe("invalid");
  expect(proxyNotes.invalid).not.toContain("broken");
  expect(detectProxy({})).toBe("none");
});
