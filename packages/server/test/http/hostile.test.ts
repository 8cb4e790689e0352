/** Requests that no client of ours sends: unclear framing, too much, too slow, odd bodies, paths, methods and origins. */

import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createClient, type TestClient } from "../support/serve.ts";
import { useDatabase } from "../support/use-database.ts";
import { type ApiRequest, send } from "./operations.ts";
import { openSocket, readAll, readStatuses, sendText } from "./raw.ts";
import { startApi } from "./things.ts";

const postgres = useDatabase();

const PROBLEM_TYPE = "application/problem+json; charset=utf-8";

async function prepare(http: { readonly origins?: readonly string[]; readonly requestMs?: number } = {}) {
  const service = await startApi(postgres, { http: { log: false, ...http } });
  return { ...service, client: await createClient(postgres, service.url, { tenant: crypto.randomUUID() }) };
}

/** A request to create a session, and another one behind it that lists sessions. */
function smuggle({ token }: TestClient, { head, body, version = "1.1" }: Framing): string {
  const common = `Host: pith\r\nAuthorization: Bearer ${token}\r\n`;
  const second = `GET /v1/sessions HTTP/1.1\r\n${common}Connection: close\r\n\r\n`;
  return `POST /v1/sessions HTTP/${version}\r\n${common}Content-Type: application/json\r\n${head}\r\n\r\n${body}${second}`;
}

interface Framing {
  readonly head: string;
  readonly body: string;
  readonly version?: string;
}

const CHUNKED = "2\r\n{}\r\n0\r\n\r\n";

/** Requests whose end a proxy may see elsewhere. */
const UNCLEAR: readonly Framing[] = [
  { head: "Content-Length: 2\r\nTransfer-Encoding: chunked", body: CHUNKED },
  { head: "Transfer-Encoding: chunked\r\nContent-Length: 2", body: CHUNKED },
  ...[
    ...["Content-Length: 2\r\nContent-Length: 2", "Content-Length: 2\r\nContent-Length: 200", "Content-Length: 2, 2"],
    ...["Content-Length: +2", "Content-Length: -2", "Content-Length: 0x2", "Content-Length: ", "Content-Length: 2 2"],
    ...[
      "Content-Length: 99999999999999999999999",
      "Content-Length : 2",
      "Content-Length: \uff12",
      "Content-Length:\r\n 2",
    ],
    ...["X-A: b\r\n c: d\r\nContent-Length: 2", "X-A: b\nTransfer-Encoding: chunked\r\nContent-Length: 2"],
    ...["X-A: b\rTransfer-Encoding: chunked\r\nContent-Length: 2", "X-A: \u0000\r\nContent-Length: 2"],
    ...["Host: other\r\nContent-Length: 2", "X A: b\r\nContent-Length: 2", ": b\r\nContent-Length: 2"],
  ].map((head) => ({ head, body: "{}" })),
  ...[
    ...["xchunked", "identity", "chunked, identity", "chunked\r\nTransfer-Encoding: identity", "\u000bchunked"],
    ...['"chunked"', "chunked\u0000", "\r\n chunked", "chunked;a=b", "gzip"],
  ].map((coding) => ({ head: `Transfer-Encoding: ${coding}`, body: CHUNKED })),
  { head: "Transfer-Encoding : chunked", body: CHUNKED },
  ...[
    ...["0x2\r\n{}\r\n0\r\n\r\n", "ffffffffffffffffff2\r\n{}\r\n0\r\n\r\n", "-2\r\n{}\r\n0\r\n\r\n", "2\n{}\n0\n\n"],
    ...["2;a=b\nc\r\n{}\r\n0\r\n\r\n", "2\r\n{}X0\r\n\r\n", "2 \r\r\n{}\r\n0\r\n\r\n"],
  ].map((body) => ({ head: "Transfer-Encoding: chunked", body })),
  { head: "Transfer-Encoding: chunked\r\nConnection: keep-alive", body: CHUNKED, version: "1.0" },
];

test("HHTTP1 a request with an unclear end or host is refused, and nothing after it on the connection is answered", async () => {
  const { url, client } = await prepare();
  for (const framing of UNCLEAR) {
    const text = await sendText(url, smuggle(client, framing));
    expect(readStatuses(text), JSON.stringify(framing)).toEqual([400]);
    expect(text.toLowerCase(), JSON.stringify(framing)).toContain(`content-type: ${PROBLEM_TYPE}`);
  }
  const lf = smuggle(client, { head: "Content-Length: 2", body: "{}" }).replaceAll("\r\n", "\n");
  expect(readStatuses(await sendText(url, lf))).toEqual([400]);
  expect((await client.call("GET", "/sessions")).body.sessions).toEqual([]);
  // With clear ends, both are answered.
  const clear = { head: "Content-Length: 2", body: "{}" };
  expect(readStatuses(await sendText(url, smuggle(client, clear)))).toEqual([201, 200]);
  expect(
    readStatuses(await sendText(url, smuggle(client, { head: "Transfer-Encoding: chunked", body: CHUNKED }))),
  ).toEqual([201, 200]);
});

test("HHTTP2 headers, URLs, bodies and files that are too large are refused, and the server goes on", async () => {
  const { url, client } = await prepare();
  const get = (path: string, head = "") => `GET ${path} HTTP/1.1\r\nHost: pith\r\n${head}\r\n`;
  const tooLarge = [
    get("/health", `X-A: ${"a".repeat(20_000)}\r\n`),
    get("/health", "a: b\r\n".repeat(5_000)),
    get(`/${"a".repeat(20_000)}`),
    get(`/v1/search?query=${"a".repeat(20_000)}`),
  ];
  for (const text of tooLarge) expect(readStatuses(await sendText(url, text))).toEqual([431]);
  const body = JSON.stringify({ content: "x".repeat(2_000_000) });
  expect((await client.call("POST", "/sessions", JSON.parse(body))).status).toBe(413);
  // Says in advance what it has, and is not read.
  const head = `Host: pith\r\nAuthorization: Bearer ${client.token}\r\nContent-Length: 999999999`;
  const json = `POST /v1/sessions HTTP/1.1\r\n${head}\r\nContent-Type: application/json\r\n\r\n`;
  expect(readStatuses(await sendText(url, json))).toEqual([413]);
  const file = `POST /v1/sessions/import HTTP/1.1\r\n${head}\r\nContent-Type: application/x-ndjson\r\n\r\n`;
  expect(readStatuses(await sendText(url, file))).toEqual([413]);
  expect((await fetch(`${url}/health`)).status).toBe(200);
});

test("HHTTP3 who sends nothing, or too slowly, is sent away, and others are served meanwhile", async () => {
  const { url, client } = await prepare({ requestMs: 1_000 });
  const post = `POST /v1/sessions HTTP/1.1\r\nHost: pith\r\nAuthorization: Bearer ${client.token}\r\nContent-Type: application/json\r\n`;
  const slow = [
    "GET /health HTTP/1.1\r\nHost: pith\r\nX-A: ",
    `${post}Content-Length: 20\r\n\r\n{`,
    `${post}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
  ];
  const answers = slow.map((text) => sendText(url, text));
  const silent = await Promise.all(Array.from({ length: 1_000 }, () => openSocket(url)));
  expect((await client.call("GET", "/sessions")).status).toBe(200);
  await Promise.all(silent.map(readAll));
  for (const text of await Promise.all(answers)) expect(readStatuses(text)).toEqual([408]);
  expect((await client.call("GET", "/sessions")).status).toBe(200);
});

test("HHTTP4 bodies that are no JSON of ours are refused as problems, and none of them changes what an object has", async () => {
  const { url, client } = await prepare();
  const ask = async (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
    await send(
      url,
      { method: "POST", path: "/v1/sessions", headers: { "content-type": "application/json", ...headers }, body },
      client,
    );
  const bodies: readonly (string | Uint8Array)[] = [
    ...[
      "",
      " ",
      "{",
      "nul",
      "NaN",
      "{'id':'a'}",
      '{"id":"a"}}',
      '{"id":"a"},',
      "\ufeff",
      "\u0000",
      "[".repeat(100_000),
    ],
    ...[`${"[".repeat(100_000)}${"]".repeat(100_000)}`, `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`],
    ...[
      '{"__proto__":{"isAdmin":true}}',
      '{"id":"a","__proto__":null}',
      '{"constructor":{"prototype":{"isAdmin":true}}}',
    ],
    ...['{"\\u005f_proto__":{"isAdmin":true}}', '{"name":{"__proto__":{"isAdmin":true}}}', '{"id":"a","toString":"x"}'],
    ...[Buffer.from('{"id":"\xff"}', "latin1"), Buffer.from('{"id":"a"}', "utf16le"), gzipSync('{"id":"a"}')],
  ];
  for (const body of bodies) {
    const { status, headers, text } = await ask(body);
    expect([status, headers["content-type"]], `${String(body).slice(0, 80)} ${text}`).toEqual([400, PROBLEM_TYPE]);
  }
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  const deep = `${'{"model":'.repeat(5_000)}1${"}".repeat(5_000)}`;
  const settings: ApiRequest = {
    method: "PUT",
    path: "/v1/settings",
    headers: { "content-type": "application/json" },
    body: deep,
  };
  expect((await send(url, settings, client)).status).toBe(400);
  // The last of two equal names counts, for the check and for the use.
  expect(JSON.parse((await ask('{"id":5,"id":"twice"}')).text)).toMatchObject({ id: "twice" });
  expect((await ask('{"id":"twice","id":5}')).status).toBe(400);
  expect((await ask(gzipSync('{"id":"packed"}'), { "content-encoding": "gzip" })).status).toBe(400);
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/html",
    "a",
    "",
  ])
    expect([400, 415], type).toContain((await ask('{"id":"typed"}', { "content-type": type })).status);
  const { sessions } = (await client.call("GET", "/sessions")).body;
  expect(sessions.map(({ id }: { id: string }) => id)).toEqual(["twice"]);
});

test("HHTTP5 a path is a route as it is written, and there are no other methods", async () => {
  const { url, client } = await prepare();
  const ask = async (line: string, head = ""): Promise<string> =>
    await sendText(
      url,
      `${line} HTTP/1.1\r\nHost: pith\r\nAuthorization: Bearer ${client.token}\r\nX-Marker: lantern\r\nConnection: close\r\n${head}\r\n`,
    );
  const paths = [
    ...["//v1/sessions", "/v1//sessions", "/v1/../openapi.json", "/v1/./sessions", "/v1/sessions/", "/v1/sessions;a=b"],
    ...[
      "/V1/sessions",
      "/v1%2fsessions",
      "/v1/sessions%2f",
      "/v1/sessions/../tokens",
      "/v1/%2e%2e/health",
      "/./health",
    ],
    ...[
      "/v1/sessions%3flimit=1",
      "/health/",
      "/%68ealth/x",
      "/..%2f..%2fetc/passwd",
      "/v1\\sessions",
      "/?/v1/sessions",
    ],
  ];
  for (const path of paths) {
    const text = await ask(`GET ${path}`);
    expect([400, 404], `${path} ${text}`).toContain(readStatuses(text)[0]);
  }
  for (const method of ["TRACE", "HEAD", "OPTIONS", "PATCH", "PROPFIND", "QUERY"]) {
    const text = await ask(`${method} /v1/sessions`, "X-HTTP-Method-Override: GET\r\n");
    expect([[400], [404]], method).toContainEqual(readStatuses(text));
    expect(text).not.toContain("lantern");
  }
  expect(readStatuses(await ask("OPTIONS *"))).toEqual([404]);
  expect(readStatuses(await ask("CONNECT example.com:443"))).toEqual([]);
  expect(readStatuses(await ask("FETCH /v1/sessions"))).toEqual([400]);
  expect(readStatuses(await ask("GET /v1/sessions", "Upgrade: websocket\r\n"))).toEqual([200]);
  expect(readStatuses(await ask("POST /v1/sessions", "X-HTTP-Method-Override: GET\r\nContent-Length: 0\r\n"))).toEqual([
    400,
  ]);
});

test("HHTTP6 a page of an origin that the operator did not name gets no answer of the API, also under a name that leads here", async () => {
  const page = "https://app.example";
  const { url, client } = await prepare({ origins: [page] });
  const ask = async (
    method: string,
    headers: Readonly<Record<string, string>>,
    token: string | undefined = client.token,
  ) => await send(url, { method, path: "/v1/sessions", headers }, { token });
  const origins = [
    ...[
      "https://evil.example",
      "http://app.example",
      "https://app.example.evil.example",
      "https://app.example:8443",
      "null",
    ],
    ...[
      "https://APP.EXAMPLE",
      "https://evilapp.example",
      "https://app.example/",
      "https://app.example@evil.example",
      "",
      "*",
    ],
  ];
  for (const origin of origins) {
    const answer = await ask("GET", { origin });
    expect(answer.status, origin).toBe(403);
    expect(answer.headers["access-control-allow-origin"] ?? page, origin).toBe(page);
    const preflight = await ask("OPTIONS", { origin, "access-control-request-method": "DELETE" });
    expect([undefined, page], origin).toContain(preflight.headers["access-control-allow-origin"]);
    expect(preflight.headers["access-control-allow-credentials"], origin).toBeUndefined();
  }
  const allowed = await ask("GET", { origin: page });
  expect([allowed.status, allowed.headers["access-control-allow-origin"]]).toEqual([200, page]);
  // A name of the attacker that leads to this address: the page is of the same origin, and has no token.
  const rebound = { host: "evil.example:8080", origin: "http://evil.example:8080" };
  expect((await send(url, { method: "GET", path: "/v1/sessions", headers: rebound })).status).toBe(401);
  const closed = await prepare();
  const preflight = await send(closed.url, {
    method: "OPTIONS",
    path: "/v1/sessions",
    headers: { origin: page, "access-control-request-method": "GET" },
  });
  expect(Object.keys(preflight.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
});

test("HHTTP7 what clients of streams do not read stays small, and others are served", async () => {
  const service = await startApi(postgres, { http: { log: false } });
  const client = await createClient(postgres, service.url, { tenant: crypto.randomUUID() });
  const entry = (index: number) => ({
    ...{ type: "custom", customType: "note", id: `e${index}`, parentId: index === 0 ? null : `e${index - 1}` },
    ...{ timestamp: "2026-01-01T00:00:00.000Z", data: "x".repeat(100_000) },
  });
  const header = { type: "session", version: 3, id: "long", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/work" };
  const lines = [header, ...Array.from({ length: 200 }, (_, index) => entry(index))];
  const file = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect((await client.call("POST", "/sessions/import", file, { "content-type": "application/x-ndjson" })).status).toBe(
    201,
  );
  const waiting: { readonly writableLength: number; readonly writableNeedDrain: boolean }[] = [];
  service.server.app?.server.on("connection", (socket) => waiting.push(socket));
  const sockets = await Promise.all(Array.from({ length: 5 }, () => openSocket(service.url)));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets)
    socket
      .pause()
      .write(`GET /v1/sessions/long/events HTTP/1.1\r\nHost: pith\r\nAuthorization: Bearer ${client.token}\r\n\r\n`);
  await expect.poll(() => waiting.filter(({ writableNeedDrain }) => writableNeedDrain).length).toBe(sockets.length);
  for (let count = 0; count < 20; count += 1) expect((await client.call("GET", "/sessions/long")).status).toBe(200);
  for (const { writableLength } of waiting) expect(writableLength).toBeLessThan(1_000_000);
});

test("HHTTP8 a stream ends when its token is revoked", async () => {
  const { url } = await startApi(postgres, { http: { log: false, heartbeatMs: 50 } });
  const client = await createClient(postgres, url, { tenant: crypto.randomUUID() });
  await client.call("POST", "/sessions", { id: "followed" });
  const { token, id } = (await client.call("POST", "/tokens", { name: "browser", scopes: ["read"] })).body;
  const socket = await openSocket(url);
  socket.write(`GET /v1/sessions/followed/events HTTP/1.1\r\nHost: pith\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await once(socket, "data");
  expect((await client.call("DELETE", `/tokens/${id}`)).status).toBe(204);
  let count = 0;
  for await (const chunk of socket) {
    count += String(chunk).split(HEARTBEAT).length - 1;
    if (count >= MANY) break;
  }
  // Some are on their way when the token dies.
  expect(count).toBeLessThan(MANY);
});

const HEARTBEAT = ":\n\n";
const MANY = 100;
