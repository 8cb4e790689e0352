/** Tests hooks/provider-hooks.ts: headers, provider requests. */

import assert from "node:assert/strict";
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { startServer, type TestServer } from "@pith/testkit";
import fc from "fast-check";
import { afterEach, beforeEach, describe, test } from "vitest";
import { parseHeaders, redactHeaders } from "../../src/hooks/provider-hooks.ts";
import type { AgentHooks } from "../../src/index.ts";
import { agentOf, modelOf, providers, ran } from "../support/served-agents.ts";

describe("headers", () => {
  test("SAY11 keys, transport headers and line breaks are refused", () => {
    const names = ["Authorization", "x-api-key", "api-key", "X-Goog-Api-Key", "cookie", "Host", "content-type"];
    const more = [
      "Transfer-Encoding",
      "connection",
      "proxy-authorization",
      "x mine",
      "",
      "x\r\ny",
      "é",
      "x-auth-token",
      "cf-aig-authorization",
    ];
    for (const name of [...names, ...more]) assert.throws(() => parseHeaders({ headers: { [name]: "x" } }), name);
    for (const value of ["a\r\nb", "a\nb", "a\0", "…", 5, null, {}])
      assert.throws(() => parseHeaders({ headers: { x: value } }));
    assert.deepEqual(parseHeaders({ headers: { "X-Mine": "one", traceparent: "00-1" } }), {
      "x-mine": "one",
      traceparent: "00-1",
    });
    assert.equal(parseHeaders(undefined), null);
  });

  test("SAY11 accepted headers can be sent unchanged", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string({ unit: "binary" })), (headers) => {
        let read: Readonly<Record<string, string>> | null = null;
        try {
          read = parseHeaders({ headers });
        } catch {
          return;
        }
        for (const [name, value] of new Headers(read ?? {})) assert.equal(read?.[name]?.trim(), value);
      }),
    );
  });

  test("SAY12 secret headers are redacted", () => {
    assert.deepEqual(redactHeaders({ "Set-Cookie": "a=b", "x-request-id": "r1", "x-api-key": "k" }), {
      "set-cookie": "…",
      "x-request-id": "r1",
      "x-api-key": "…",
    });
  });
});

describe("provider requests", () => {
  let server: TestServer;
  let relay: Server;
  const arrived: IncomingHttpHeaders[] = [];

  beforeEach(async () => {
    server = await startServer({ script: () => "Good." });
    relay = createServer((incoming, outgoing) => void forward(incoming, outgoing));
    relay.listen(0, "127.0.0.1");
    await once(relay, "listening");
  });

  afterEach(async () => {
    relay.close();
    await server.close();
  });

  /** Records the headers and forwards the request. */
  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    arrived.push(incoming.headers);
    const { method, url = "/", headers } = incoming;
    const options = { method, headers: { ...headers, connection: "close" }, agent: false };
    const onward = request(server.url + url, options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  }

  describe.each(providers)("$provider", (modelName) => {
    test("SAY11 SAY12 headers are sent, and hooks get the response headers and raw chunks", async () => {
      const contentTypes: string[] = [];
      const chunks: unknown[] = [];
      const hooks: AgentHooks = {
        before_provider_request: [({ model }) => ({ headers: { "x-mine": model.provider } })],
        after_provider_response: [({ headers }) => void contentTypes.push(String(headers["content-type"]))],
        provider_stream_event: [({ event }) => void chunks.push(event)],
        report: ({ why }) => assert.fail(why),
      };
      const agent = await agentOf(
        await modelOf(modelName, { url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}` }),
        { hooks },
      );
      const { end } = await ran(agent, "Begin.");
      assert.deepEqual(end, { type: "done" });
      assert.match(contentTypes.join(), /event-stream/);
      assert.ok(chunks.length > 0);
      assert.match(JSON.stringify(chunks), /Good/);
      assert.ok(arrived.some((headers) => headers["x-mine"] === modelName.provider));
    });
  });
});
