/** Creates a tenant with one of everything that the API shows, each with a marker in its texts. */

import { randomUUID } from "node:crypto";
import { startServer as startModel } from "@pith/testkit";
import { onTestFinished } from "vitest";
import { eraseTenant } from "../../src/index.ts";
import type { TestDatabase } from "../support/database.ts";
import { createClient, startTestServer, type TestAnswer, type TestClient, type TestService } from "../support/serve.ts";
import type { Values } from "./operations.ts";

/** A tenant and what it has. */
export interface Things {
  readonly tenant: string;
  readonly client: TestClient;
  /** In every text of the tenant. */
  readonly marker: string;
  /** For requests about the things. */
  readonly values: Values;
}

export interface ThingsOptions {
  readonly marker: string;
  /** For its ids. Two tenants may use the same. */
  readonly name?: string;
}

/** A server without a worker, so that what was accepted stays. */
export async function startApi(
  postgres: TestDatabase,
  options: Parameters<typeof startTestServer>[1] = {},
): Promise<TestService> {
  const model = await startModel({ script: [] });
  onTestFinished(() => model.close());
  return await startTestServer(postgres, { worker: false, modelUrl: model.url, ...options });
}

export async function createThings(
  postgres: TestDatabase,
  url: string,
  { marker, name = marker }: ThingsOptions,
): Promise<Things> {
  const tenant = randomUUID();
  // A worker of a later test would run its session.
  onTestFinished(async () => void (await eraseTenant(postgres.database, tenant)));
  const client = await createClient(postgres, url, { tenant });
  const session = `session-${name}`;
  const call = async (method: string, path: string, body: unknown, headers = {}): Promise<TestAnswer> => {
    const answer = await client.call(method, path, body, headers);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  };
  await call("POST", "/sessions/import", createFile({ session, name, marker }), FILE_TYPE);
  await call("PUT", `/sessions/${session}/name`, { id: `command-${name}`, name: marker });
  await call("POST", `/sessions/${session}/messages`, { id: `message-${name}`, content: `message of ${marker}` });
  await call("PUT", "/settings", { instructions: `instructions of ${marker}` });
  await call("PUT", "/keys/anthropic", { key: `sk-key-of-${marker}` });
  const token = (await call("POST", "/tokens", { name: `token of ${marker}`, scopes: ["read"] })).body;
  await call("POST", `/sessions/${session}/tokens`, { name: `browser of ${marker}` });
  await askQuestion(postgres, { tenant, session, id: `question-${name}`, marker });
  return {
    ...{ tenant, client, marker },
    values: {
      ...{ session, entry: `entry-${name}`, command: `command-${name}`, question: `question-${name}` },
      ...{
        token: token.id,
        provider: "anthropic",
        entryId: `entry-${name}`,
        file: createFile({ session: `imported-${name}`, name, marker }),
      },
      ...{ query: "lamps", content: `content of ${marker}`, name: `name of ${marker}`, label: `label of ${marker}` },
      ...{ answer: "no", reason: `reason of ${marker}`, scopes: ["read"], key: `sk-other-key-of-${marker}` },
    },
  };
}

export const FILE_TYPE = { "content-type": "application/x-ndjson" };

interface FileOptions {
  readonly session: string;
  readonly name: string;
  readonly marker: string;
}

/** A session file: a question, its answer, a compaction and a name. */
export function createFile({ session, name, marker }: FileOptions): Uint8Array {
  const at = { timestamp: "2026-01-01T00:00:00.000Z" };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: NO_COST };
  const model = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" };
  const reply = {
    role: "assistant",
    content: [{ type: "text", text: `reply of ${marker}: 12 lamps` }],
    ...model,
    usage,
  };
  const lines = [
    { type: "session", version: 3, id: session, ...at, cwd: `/work/${marker}` },
    {
      ...{ type: "message", id: `entry-${name}`, parentId: null, ...at },
      message: { role: "user", content: `prompt of ${marker}: how many lamps?`, timestamp: 1 },
    },
    {
      ...{ type: "message", id: `reply-${name}`, parentId: `entry-${name}`, ...at },
      message: { ...reply, stopReason: "stop", timestamp: 2 },
    },
    {
      ...{ type: "compaction", id: `compaction-${name}`, parentId: `reply-${name}`, ...at },
      ...{ summary: `summary of ${marker}`, firstKeptEntryId: `reply-${name}`, tokensBefore: 100 },
    },
    { type: "session_info", id: `name-${name}`, parentId: `compaction-${name}`, ...at, name: `name of ${marker}` },
  ];
  return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** As a worker asks it. */
async function askQuestion(
  { cluster }: TestDatabase,
  { tenant, session, id, marker }: { tenant: string; session: string; id: string; marker: string },
): Promise<void> {
  const body = JSON.stringify({ tool: "bash", arguments: { command: marker }, text: `question of ${marker}` });
  await cluster.runAsSuperuser(
    `insert into pith.question (session, id, tenant, body, expires)
      select key, '${id}', tenant, '${body}', now() + interval '1 day' from pith.session where tenant = '${tenant}' and id = '${session}'`,
  );
}
