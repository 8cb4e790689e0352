/** The API of a server: a whole conversation, ids of clients, errors, and what tokens may do. */

import { startServer as startModel } from "@pith/testkit";
import { expect, onTestFinished, test } from "vitest";
import { OTHER_TENANT } from "../support/database.ts";
import { clientOf, createClient, startTestServer } from "../support/serve.ts";
import { useDatabase } from "../support/use-database.ts";

const postgres = useDatabase();

test("HAPI1 a session is created, prompted, read, forked, exported and erased over HTTP", async () => {
  const model = await startModel({ script: ["There are 12 lamps."] });
  onTestFinished(() => model.close());
  const { url } = await startTestServer(postgres, { modelUrl: model.url });
  const client = await createClient(postgres, url);
  const created = await client.call("POST", "/sessions", { id: "s1", name: "Lamps" });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ id: "s1", name: "Lamps", status: "idle" });
  expect((await client.call("POST", "/sessions", { id: "s1" })).status).toBe(200);
  const message = { id: "m1", content: "How many lamps are there?" };
  expect(await client.call("POST", "/sessions/s1/messages", message)).toMatchObject({
    status: 202,
    body: { id: "m1" },
  });
  expect((await client.call("POST", "/sessions/s1/messages", message)).status).toBe(202);
  await expect
    .poll(async () => (await client.call("GET", "/sessions/s1")).body.status, { timeout: 20_000 })
    .toBe("idle");
  const { entries } = (await client.call("GET", "/sessions/s1/entries")).body;
  expect(JSON.stringify(entries)).toContain("There are 12 lamps.");
  expect(model.requests).toHaveLength(1);
  expect((await client.call("GET", "/sessions/s1/context")).body).toMatchObject({
    model: "anthropic/claude-sonnet-4-5",
  });
  expect((await client.call("GET", "/sessions/s1/recall?query=lamps")).body.hits.length).toBeGreaterThan(0);
  expect((await client.call("GET", "/search?query=lamps")).body.hits[0]).toMatchObject({ session: "s1" });
  expect((await client.call("GET", "/sessions/s1/tree")).body.nodes.length).toBe(entries.length);
  expect((await client.call("POST", "/sessions/s1/fork", { id: "s2" })).body).toMatchObject({ id: "s2" });
  const exported = await client.call("GET", "/sessions/s2/export");
  expect(exported.body).toContain("There are 12 lamps.");
  expect((await client.call("GET", "/sessions")).body.sessions).toHaveLength(2);
  expect((await client.call("DELETE", "/sessions/s1")).status).toBe(204);
  expect((await client.call("GET", "/sessions/s1")).status).toBe(404);
});

test("HAPI2 errors are problems that say where and what", async () => {
  const { url } = await startTestServer(postgres, { worker: false });
  const client = await createClient(postgres, url);
  const answer = await client.call("POST", "/sessions", { id: 5, colour: "red" });
  expect(answer.headers.get("content-type")).toContain("application/problem+json");
  expect(answer).toMatchObject({ status: 400, body: { type: "urn:pith:problem:invalid-request", status: 400 } });
  expect(answer.body.errors.map(({ at }: { at: string }) => at)).toContain("body/id");
  expect(await client.call("GET", "/sessions/none")).toMatchObject({
    status: 404,
    body: { title: expect.any(String) },
  });
  expect(await clientOf(url, "pith_nothing").call("GET", "/sessions")).toMatchObject({ status: 401 });
});

test("HAUD3 a request is recorded before it is done, and again if it is refused; what cannot be recorded is not done", async () => {
  const { url } = await startTestServer(postgres, { worker: false });
  const client = await createClient(postgres, url, { tenant: OTHER_TENANT });
  expect(await client.call("PUT", "/settings", { model: "sonnet" })).toMatchObject({ status: 200 });
  expect(await client.call("PUT", "/settings", { sandbox: "off" })).toMatchObject({ status: 400 });
  expect((await client.call("GET", "/audit")).body.records).toMatchObject([
    { action: "settings.write", outcome: "refused", details: { problem: "invalid-request" }, token: { name: "test" } },
    { action: "settings.write", outcome: "requested" },
    { action: "settings.write", outcome: "requested" },
  ]);
  const rename = (from: string, to: string) =>
    postgres.cluster.runAsSuperuser(`alter function pith.${from} rename to ${to}`);
  await rename("record_action", "record_nothing");
  try {
    expect(await client.call("PUT", "/settings", { model: "opus" })).toMatchObject({ status: 500 });
  } finally {
    await rename("record_nothing", "record_action");
  }
  expect((await client.call("GET", "/settings")).body).toEqual({ settings: { model: "sonnet" } });
});

test("HAPI2 only an import may be as large as a session file", async () => {
  const { url } = await startTestServer(postgres, { worker: false });
  const client = await createClient(postgres, url);
  const file = Buffer.alloc(2 * 1024 * 1024, "x");
  const type = { "content-type": "application/x-ndjson" };
  expect(await client.call("POST", "/sessions", file, type)).toMatchObject({ status: 413 });
  expect(await client.call("POST", "/sessions/import", file, type)).toMatchObject({ status: 409 });
});
