/** Starts servers against the cluster of a test, and calls their API. */

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { onTestFinished } from "vitest";
import {
  createServer,
  createToken,
  migrateDbos,
  type Scope,
  type Server,
  type ServerOptions,
} from "../../src/index.ts";
import { APPLICATION, OWNER } from "./cluster.ts";
import { TENANT, type TestDatabase } from "./database.ts";

export interface TestService {
  readonly server: Server;
  readonly url: string;
  readonly folder: string;
  readonly options: ServerOptions;
}

const migrated = new WeakSet<object>();

/** A server with a model of the testkit. It ends with the test. */
export async function startTestServer(
  { cluster }: TestDatabase,
  { modelUrl, ...options }: Partial<ServerOptions> & { readonly modelUrl?: string } = {},
): Promise<TestService> {
  if (!migrated.has(cluster)) {
    await migrateDbos(connectionString(cluster, OWNER), APPLICATION);
    migrated.add(cluster);
  }
  const folder = options.folder ?? mkdtempSync("/var/tmp/pith-server-");
  const allOptions: ServerOptions = {
    databaseUrl: connectionString(cluster, APPLICATION),
    folder,
    encryptionKeys: [randomBytes(32).toString("base64")],
    models: ["anthropic/claude-sonnet-4-5"],
    providerKeys: { anthropic: "sk-test-key" },
    http: { log: false },
    ...options,
    settings: { ...(modelUrl !== undefined && { baseUrl: `${modelUrl}/v1` }), ...options.settings },
  };
  const server = await createServer(allOptions);
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { server, folder, options: allOptions, url: server.app ? await server.listen({ port: 0 }) : "" };
}

export function connectionString(cluster: TestDatabase["cluster"], role: string): string {
  const { host, port, user, database } = cluster.as(role);
  return `postgresql://${user}@${host}:${port}/${database}`;
}

/** A client with a token. */
export interface TestClient {
  readonly token: string;
  call(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<TestAnswer>;
}

export interface TestAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all routes.
  readonly body: any;
  readonly headers: Headers;
}

export async function createClient(
  { database }: TestDatabase,
  url: string,
  {
    tenant = TENANT,
    scopes = ["read", "write", "admin"],
  }: { readonly tenant?: string; readonly scopes?: readonly Scope[] } = {},
): Promise<TestClient> {
  const created = await createToken(database, tenant, { name: "test", scopes });
  if (!created) throw new Error("no token");
  return clientOf(url, created.token);
}

export function clientOf(url: string, token: string): TestClient {
  return {
    token,
    call: async (method, path, body, headers = {}) => {
      const answer = await fetch(`${url}/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && !(body instanceof Uint8Array) && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body) }),
      });
      const text = await answer.text();
      const isJson =
        /json$|json;/.test(answer.headers.get("content-type") ?? "") &&
        !/ndjson/.test(answer.headers.get("content-type") ?? "");
      return { status: answer.status, body: isJson && text !== "" ? JSON.parse(text) : text, headers: answer.headers };
    },
  };
}
