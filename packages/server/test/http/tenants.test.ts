/** What a token reaches: nothing of another tenant in any route, whatever the ids; and a token of one session only that session. */

import { expect, test } from "vitest";
import { createToken, type Scope } from "../../src/index.ts";
import { useDatabase } from "../support/use-database.ts";
import {
  type ApiAnswer,
  type ApiRequest,
  createRequest,
  forEach,
  listOperations,
  type Operation,
  readDocument,
  send,
  type Values,
} from "./operations.ts";
import { createFile, createThings, FILE_TYPE, startApi, type Things } from "./things.ts";

const postgres = useDatabase();

/** Two tenants with the same things. */
async function prepare() {
  const { url } = await startApi(postgres);
  const victim = await createThings(postgres, url, { marker: "lantern", name: "one" });
  const attacker = await createThings(postgres, url, { marker: "torch", name: "two" });
  const operations = listOperations(await readDocument(url));
  const ask = async (request: ApiRequest): Promise<ApiAnswer> => await send(url, request, attacker.client);
  return { url, victim, attacker, operations, ask };
}

/** Where an operation takes the id of a thing: in its path, or in its body. */
function listIdNames({ parameters, requestBody }: Operation): readonly string[] {
  const inPath = parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
  const inBody = Object.keys(requestBody?.content["application/json"]?.schema.properties ?? {});
  const inQuery = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  return [...inPath, ...[...inBody, ...inQuery].filter((name) => /^id$|Id$/.test(name))].filter(
    (name) => name !== "provider",
  );
}

/** All rows of a tenant, as the superuser sees them. Rows of the other tenant may quote its id. */
function dumpRows({ tenant }: Things, other?: Things): readonly string[] {
  return postgres.cluster
    .dump()
    .split("\n")
    .filter((line) => line.includes(tenant) && !(other && line.includes(other.tenant)))
    .sort();
}

test("HISO1 no route shows or changes anything of another tenant, and its ids are like ids of nothing", async () => {
  const { url, victim, attacker, operations, ask } = await prepare();
  const before = dumpRows(victim, attacker);
  expect(before.join()).toContain(victim.marker);
  const foreign: Values = { ...victim.values, id: victim.values.session, firstKeptEntryId: victim.values.entry };
  const nothing = Object.fromEntries(Object.entries(foreign).map(([name, value]) => [name, rename(value)]));
  const differences: unknown[] = [];
  for (const operation of operations) {
    const names = listIdNames(operation);
    for (const set of [...names.map((name) => [name]), names]) {
      const answers = [];
      for (const values of [foreign, nothing]) {
        const request = createRequest(operation, { ...attacker.values, ...pick(values, set) });
        const answer = await ask(request);
        expect(answer.text, `${operation.operationId} ${request.path}`).not.toContain(victim.marker);
        expect(answer.status, `${operation.operationId} ${request.path} ${answer.text}`).toBeLessThan(500);
        answers.push(answer.status < 400 ? "done" : `${answer.status} ${answer.text}`);
      }
      if (set.length > 0 && answers[0] !== answers[1]) differences.push([operation.operationId, set, answers]);
    }
  }
  expect(differences).toEqual([]);
  expect(dumpRows(victim, attacker)).toEqual(before);
  // The other tenant's own token finds its texts by the same requests.
  const own = [];
  for (const operation of operations.filter(({ method }) => method === "GET")) {
    const { text } = await send(url, createRequest(operation, victim.values), victim.client);
    if (text.includes(victim.marker)) own.push(operation.operationId);
  }
  expect(own).toEqual(
    expect.arrayContaining([
      ...["listSessions", "readSession", "exportSession", "listEntries", "readTree", "readContext", "recall"],
      ...["searchSessions", "listQuestions", "listSessionQuestions", "listTokens", "readSettings"],
    ]),
  );
});

function pick(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

/** An id that nothing has. */
function rename(id: unknown): unknown {
  return typeof id === "string" ? id.replace("one", "none").replace(/^[0-9a-f]{8}-/, "00000000-") : id;
}

test("HISO2 hostile ids reach nothing of another tenant and break nothing, in every place of an id", async () => {
  const { victim, attacker, operations, ask } = await prepare();
  const before = dumpRows(victim, attacker);
  const texts = listHostileTexts(String(victim.values.session), victim.tenant);
  // Each place gets a third of the ids, and each id is in a third of the places.
  let place = 0;
  const takeThird = <Item>(items: readonly Item[]): readonly Item[] =>
    items.filter((_, index) => index % 3 === place % 3);
  const requests = operations.flatMap((operation) =>
    listIdNames(operation).flatMap((name) => {
      place += 1;
      const request = createRequest(operation, { ...attacker.values, [name]: PLACEHOLDER });
      const isInPath = request.path.includes(PLACEHOLDER);
      const segments = [...texts.map((text) => encodeURIComponent(text.toWellFormed())), ...SEGMENTS];
      return isInPath
        ? takeThird(segments).map((segment) => ({
            operation,
            ...request,
            path: request.path.replace(PLACEHOLDER, segment),
          }))
        : takeThird(texts).map((text) => createBodyRequest(operation, request, text));
    }),
  );
  await forEach(requests, async ({ operation, ...request }) => {
    const { status, text } = await ask(request);
    const label = `${operation.operationId} ${request.path.slice(0, 300)} ${String(request.body).slice(0, 300)}: ${text}`;
    expect(status, label).toBeLessThan(500);
    expect(text, label).not.toContain(victim.marker);
  });
  expect(requests.length).toBeGreaterThan(1_000);
  expect(dumpRows(victim, attacker)).toEqual(before);
  expect((await attacker.client.call("GET", `/sessions/${attacker.values.session}`)).status).toBe(200);
});

const PLACEHOLDER = "the-id-of-a-request";

function createBodyRequest(
  operation: Operation,
  request: ApiRequest,
  text: string,
): ApiRequest & { operation: Operation } {
  const body = String(request.body).replace(JSON.stringify(PLACEHOLDER), () => JSON.stringify(text));
  const search = request.path.replace(PLACEHOLDER, () => encodeURIComponent(text.toWellFormed()));
  return { ...request, operation, path: search, ...(request.body !== undefined && { body }) };
}

function listHostileTexts(session: string, tenant: string): readonly string[] {
  return [
    ...["../", `../${session}`, `..\\${session}`, "/", `/${session}`, ".", "..", "*", "%", "_", "~", " ", ""],
    ...[`${session}\u0000`, "\u0000", `${session}\n`, ` ${session}`, `${session} `, `${session}/`, `${session}?`],
    ...[session.toUpperCase(), session.replace("o", "\uff4f"), session.replace("e", "e\u0301"), `${session}\u200b`],
    ...[
      "\ud800",
      "\udfff\ud800",
      "\ufeff",
      "\u202e",
      "\ufffd",
      "é".normalize("NFC"),
      "é".normalize("NFD"),
      "🗝️".repeat(40),
    ],
    ...[
      "__proto__",
      "constructor",
      "prototype",
      "toString",
      "hasOwnProperty",
      "null",
      "undefined",
      "NaN",
      "true",
      "-1",
      "0",
    ],
    ...["1", "2", "9223372036854775808", "1e400", tenant, tenant.toUpperCase(), `${tenant}/${session}`],
    ...["' or 1=1 --", "'; drop table pith.session; --", "\\'; select pg_sleep(10) --", "$1", "$$", "%s", "\\", "{0}"],
    ...['{"$ne":null}', '["a"]', '"', "{{7*7}}", "<script>alert(1)</script>", "`id`", "$(id)", "|id"],
    ...["x".repeat(200), "x".repeat(201), "x".repeat(999), "x".repeat(8_000), "é".repeat(200)],
  ];
}

/** Parts of a path that are no encoding of a text, or another one. */
const SEGMENTS = [
  ...["..", "../..", "%2e%2e", "%2e%2e%2f", "%252e%252e%252f", "..%2f..%2f", "..%5c", "%2f", "%5c", "%00", "%0d%0a"],
  ...[
    "%c0%ae%c0%ae%c0%af",
    "%ff",
    "%ed%a0%80",
    "%",
    "%z1",
    "%u002e",
    ";",
    ";a=b",
    "a;b",
    "//",
    "a//b",
    "@",
    ":",
    "a%3fb%23c",
  ],
];

/** Another session of the tenant, with a marker of its own. */
async function addSession({ client }: Things): Promise<string> {
  const file = createFile({ session: "session-other", name: "other", marker: "candle" });
  expect((await client.call("POST", "/sessions/import", file, FILE_TYPE)).status).toBe(201);
  return "session-other";
}

test("HISO3 a token of one session reaches no other session and nothing of its tenant", async () => {
  const { url, attacker: own, operations } = await prepare();
  const other = await addSession(own);
  const sessionToken = await own.client.call("POST", `/sessions/${own.values.session}/tokens`, {});
  const { token } = sessionToken.body;
  const before = dumpRows(own).filter((line) => line.includes("candle"));
  expect(before.length).toBeGreaterThan(0);
  const reached: string[] = [];
  for (const operation of operations) {
    const [scope = ""] = operation.security[0].token;
    const isOfSession = operation.path.includes("{session}");
    const expected = scope === "admin" || !isOfSession ? [403] : [404];
    const { status, text } = await send(url, createRequest(operation, { ...own.values, session: other }), { token });
    expect(expected, `${operation.operationId}: ${text}`).toContain(status);
    expect(text, operation.operationId).not.toContain("candle");
    const answer = await send(url, createRequest(operation, { ...own.values, id: other }), { token });
    expect(answer.text, operation.operationId).not.toContain("candle");
    if (answer.status < 400) reached.push(operation.operationId);
    else expect([403, 404], `${operation.operationId}: ${answer.text}`).toContain(answer.status);
  }
  expect(dumpRows(own).filter((line) => line.includes("candle"))).toEqual(before);
  expect(reached).toEqual(
    expect.arrayContaining(["readSession", "sendMessage", "listEntries", "followSession", "move"]),
  );
  for (const id of ["forkSession", "createSessionToken", "eraseSession", "listSessions"])
    expect(reached).not.toContain(id);
});

test("HISO4 a fork takes neither the place nor the files of another session", async () => {
  const { attacker: own } = await prepare();
  const other = await addSession(own);
  const fork = async (id: string) => await own.client.call("POST", `/sessions/${own.values.session}/fork`, { id });
  expect((await fork("fork-1")).status).toBe(201);
  expect((await fork("fork-1")).status).toBe(200);
  expect((await fork(other)).status).toBe(409);
});

test("HISO5 each route needs the scope that the document names", async () => {
  const { url, attacker: own, operations } = await prepare();
  for (const scope of ["read", "write", "admin"] as const) {
    const { token } = await requireToken(own, { scopes: [scope] });
    for (const operation of operations.filter(({ operationId }) => operationId !== "eraseSession")) {
      const isAllowed = operation.security[0].token[0] === scope;
      const { status, text } = await send(url, createRequest(operation, own.values), { token });
      expect(status === 403, `${operation.operationId} with ${scope}: ${text}`).toBe(!isAllowed);
      expect(status).not.toBe(401);
    }
  }
});

async function requireToken(
  { tenant }: Things,
  token: {
    readonly scopes: readonly Scope[];
    readonly expiresInMs?: number;
    readonly session?: string;
    readonly createdBy?: string;
  },
) {
  const created = await createToken(postgres.database, tenant, { name: "test", ...token });
  if (!created) throw new Error("no token");
  return created;
}

const ALL: readonly Scope[] = ["read", "write", "admin"];

test("HISO6 a token that has expired or was revoked, or whose maker was, opens no route, and neither does one outside the header", async () => {
  const { url, attacker: own, operations } = await prepare();
  const session = String(own.values.session);
  const valid = await requireToken(own, { scopes: ALL });
  const expired = await requireToken(own, { scopes: ALL, expiresInMs: 3_600_000 });
  const maker = await requireToken(own, { scopes: ALL });
  const made = await requireToken(own, { scopes: ["read", "write"], session, createdBy: maker.id });
  expect((await send(url, { method: "GET", path: `/v1/sessions/${session}`, headers: {} }, made)).status).toBe(200);
  await postgres.cluster.runAsSuperuser(`update pith.token set expires = now() where id = '${expired.id}'`);
  expect((await own.client.call("DELETE", `/tokens/${maker.id}`)).status).toBe(204);
  const before = dumpRows(own);
  const dead = [expired.token, maker.token, made.token];
  const headers: readonly Readonly<Record<string, string>>[] = [
    {},
    ...dead.map((token) => ({ authorization: `Bearer ${token}` })),
    { authorization: valid.token },
    { authorization: `Basic ${Buffer.from(`x:${valid.token}`).toString("base64")}` },
    { authorization: `Token ${valid.token}` },
    { authorization: `Bearer ${valid.token}, Bearer ${valid.token}` },
    { authorization: `Bearer ${valid.token.slice(0, -1)}` },
    { authorization: "Bearer " },
    { cookie: `token=${valid.token}; authorization=Bearer ${valid.token}` },
    {
      "x-api-key": valid.token,
      "x-authorization": `Bearer ${valid.token}`,
      "proxy-authorization": `Bearer ${valid.token}`,
    },
  ];
  const requests = operations.flatMap((operation) => {
    const request = createRequest(operation, own.values);
    const search = `${request.path.includes("?") ? "&" : "?"}token=${valid.token}&access_token=${valid.token}`;
    return [
      ...headers.map((each) => ({ ...request, headers: { ...request.headers, ...each } })),
      { ...request, path: `${request.path}${search}` },
    ];
  });
  await forEach(requests, async (request) => {
    const { status, text } = await send(url, request);
    const label = `${request.path} ${JSON.stringify(request.headers)}: ${text}`;
    expect(status, label).toBe(401);
    expect(text, label).not.toContain(own.marker);
  });
  expect(dumpRows(own)).toEqual(before);
});
