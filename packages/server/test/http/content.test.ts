/** Where texts of users go: in answers they are never a page, in the log they are not at all, and as addresses they lead to nothing private. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startServer as startModel } from "@pith/testkit";
import { expect, onTestFinished, test, vi } from "vitest";
import { addressBook, fetchCases } from "../../../agent/test/node/web/fetch-cases.ts";
import { createClient, startTestServer } from "../support/serve.ts";
import { useDatabase } from "../support/use-database.ts";
import { type ApiRequest, createRequest, forEach, listOperations, readDocument, send } from "./operations.ts";
import { sendText } from "./raw.ts";
import { createThings, startApi } from "./things.ts";

const postgres = useDatabase();

test("HHTTP12 no answer is a page, whatever texts are in it", async () => {
  const { url } = await startApi(postgres);
  const marker = "<img/src=x/onerror=alert(1)>";
  const { client, values } = await createThings(postgres, url, { marker, name: "page" });
  const operations = listOperations(await readDocument(url));
  const segment = encodeURIComponent(marker);
  const requests: ApiRequest[] = [
    ...operations.map((operation) => createRequest(operation, values)),
    ...operations.map((operation) =>
      createRequest(operation, { ...values, session: marker, entry: marker, token: marker, provider: marker }),
    ),
    ...operations.flatMap((operation) =>
      operation.requestBody ? [createRequest(operation, values, { body: `{"${marker}":1}` })] : [],
    ),
    ...[
      "/",
      `/${segment}`,
      `/v1/${segment}`,
      "/health",
      "/ready",
      "/openapi.json",
      "/v1/sessions?limit=%3Cscript%3E",
    ].map((path) => ({ method: "GET", path, headers: { accept: "text/html" } })),
  ];
  let withMarker = 0;
  for (const request of requests) {
    const { headers, text, status } = await send(url, request, client);
    const label = `${request.method} ${request.path} ${status} ${text.slice(0, 200)}`;
    expect(headers["x-content-type-options"], label).toBe("nosniff");
    if (status !== 204)
      expect(headers["content-type"], label).toMatch(
        /^(application\/(problem\+)?json|application\/x-ndjson|text\/event-stream)/,
      );
    if (text.includes(marker)) withMarker += 1;
  }
  expect(withMarker).toBeGreaterThan(10);
  for (const raw of [
    `GET /${marker} HTTP/1.1\r\n\r\n`,
    `${marker}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: a\r\n${marker}\r\n\r\n`,
  ]) {
    const text = await sendText(url, raw);
    expect(text).not.toContain(marker);
    expect(text).not.toContain("text/html");
  }
});

test("HHTTP13 the log and errors on the console have nothing of ids, bodies, tokens, queries and headers", async () => {
  const lines: string[] = [];
  const consoleLines: unknown[][] = [];
  for (const name of ["log", "info", "warn", "error"] as const)
    vi.spyOn(console, name).mockImplementation((...values) => void consoleLines.push(values));
  onTestFinished(() => void vi.restoreAllMocks());
  const { url } = await startApi(postgres, { http: { log: { write: (line) => lines.push(line) } } });
  const marker = "lantern";
  const { client, values } = await createThings(postgres, url, { marker });
  const operations = listOperations(await readDocument(url));
  const hostile = { ...values, session: `${marker}\u0000`, entry: `../${marker}`, token: marker, provider: marker };
  const headers = {
    "x-request-id": marker,
    "user-agent": marker,
    referer: marker,
    "last-event-id": marker,
    cookie: marker,
  };
  const requests = operations.flatMap((operation) => [
    createRequest(operation, values),
    createRequest(operation, hostile),
    createRequest(operation, values, { query: { [marker]: marker } }),
    ...(operation.requestBody ? [createRequest(operation, values, { body: `{"${marker}": "${marker}"` })] : []),
  ]);
  await forEach(requests, async (request) => {
    await send(url, { ...request, headers: { ...headers, ...request.headers } }, client);
    await send(url, request, { token: `pith_${marker.padEnd(43, "x")}` });
  });
  for (const path of [
    `/${marker}`,
    `/v1/${marker}?${marker}=${marker}`,
    `/v1/sessions/${marker.repeat(300)}`,
    `/v1/%${marker}`,
  ])
    await send(url, { method: "GET", path, headers }, client);
  await sendText(url, `GET /${marker} HTTP/1.1\r\n${marker}\r\n\r\n`);
  // The database breaks, so that there are errors of the server.
  await postgres.cluster.runAsSuperuser("alter function pith.read_session rename to read_session_away");
  const failed = await client.call("GET", `/sessions/${values.session}`);
  await postgres.cluster.runAsSuperuser("alter function pith.read_session_away rename to read_session");
  expect(failed).toMatchObject({ status: 500, body: { type: "urn:pith:problem:internal" } });
  expect(JSON.stringify(failed.body)).not.toContain("read_session");
  expect(lines.length).toBeGreaterThan(requests.length);
  expect(lines.filter((line) => line.includes(marker) || line.includes(client.token))).toEqual([]);
  expect(lines.some((line) => line.includes("request failed"))).toBe(true);
  expect(JSON.stringify(consoleLines)).not.toContain(marker);
});

test("HHTTP14 no setting, key or address of a tenant makes its agents reach a private address", async () => {
  const visits: string[] = [];
  const inside = createServer((request, response) => {
    visits.push(request.url ?? "");
    response.end("inside");
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void inside.close());
  await once(inside, "listening");
  const { port } = inside.address() as AddressInfo;
  const urls = fetchCases.flatMap(([url, verdict]) =>
    verdict === "route" || verdict === "unresolved" || !URL.canParse(url) || isName(url)
      ? []
      : [url, withPort(url, port)],
  );
  const calls = urls.map((url) => ({ type: "call", name: "fetch", arguments: { url } }) as const);
  const model = await startModel({ script: [{ parts: calls }, "Done."] });
  onTestFinished(() => model.close());
  const { url } = await startTestServer(postgres, {
    ...{ modelUrl: model.url, settings: { sandbox: "off", tools: ["read", "fetch"] } },
  });
  const client = await createClient(postgres, url, { tenant: crypto.randomUUID() });
  const base = `http://127.0.0.1:${port}`;
  const refused = [
    ...[{ baseUrl: base }, { fetchHosts: ["127.0.0.1"] }, { mcpServers: { a: { url: base } } }, { extensions: [base] }],
    ...[{ model: `openai-compatible/${base}` }, { model: `ollama/x` }, { compaction: { model: "vllm/x" } }],
    ...[
      { hosts: [base] },
      { hosts: [`127.0.0.1:${port}`] },
      { hosts: ["*"] },
      { unixSockets: ["/x"] },
      { sandbox: "off" },
    ],
    ...[{ policy: { models: { baseUrls: [base] } } }, { proxy: base }, { network: "all" }],
  ];
  for (const settings of refused)
    expect((await client.call("PUT", "/settings", settings)).status, JSON.stringify(settings)).toBe(400);
  for (const provider of ["openai-compatible", "ollama", "vllm", base, "169.254.169.254", "localhost"])
    expect((await client.call("PUT", `/keys/${encodeURIComponent(provider)}`, { key: "sk-key" })).status).toBe(400);
  const hosts = [...new Set(urls.flatMap((each) => URL.parse(each)?.hostname ?? []))];
  const accepted = [];
  for (const host of hosts)
    if ((await client.call("PUT", "/settings", { hosts: [host] })).status === 200) accepted.push(host);
  expect(
    (await client.call("PUT", "/settings", { hosts: accepted.slice(0, 100), permissionMode: "edit" })).status,
  ).toBe(200);
  await client.call("POST", "/sessions", { id: "reaching" });
  await client.call("POST", "/sessions/reaching/messages", { content: "Look around." });
  // Also if the users of the tenant permit everything.
  const permitAll = async (): Promise<number> => {
    const { questions } = (await client.call("GET", "/questions")).body;
    for (const { id } of questions)
      await client.call("POST", `/sessions/reaching/questions/${id}/answer`, { answer: "yes" });
    return model.requests.length;
  };
  await expect.poll(permitAll).toBe(2);
  const results = JSON.stringify(model.requests[1]?.body);
  expect(calls.length).toBeGreaterThan(100);
  expect(accepted.length).toBeGreaterThan(20);
  expect(results.match(/"type":"tool_result"/g)).toHaveLength(calls.length);
  expect(visits).toEqual([]);
});

/** Names of the corpus resolve only in its own test. */
const isName = (url: string): boolean =>
  Object.hasOwn(addressBook, new URL(url).hostname) && !url.includes("localhost");

/** The host as it is written, at another port. */
function withPort(url: string, port: number): string {
  return url.replace(/^(\w+:\/\/(?:\[[^\]]*\]|[^/:]*)).*$/, `$1:${port}/`);
}
