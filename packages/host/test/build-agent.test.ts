/** Tests buildAgent as a server uses it: keys and answers from elsewhere, nothing from the process. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentEvent,
  type AskPermission,
  createMemoryBlobs,
  type PermissionAnswer,
  type PermissionQuestion,
  type RunEnd,
} from "@pith/agent";
import { MemoryStore } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { type Step, startServer, type TestServer } from "@pith/testkit";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { type BuildAgentOptions, type BuiltAgent, buildAgent } from "../src/build-agent.ts";
import { openLocalWorkspace } from "../src/sandbox/local-workspace.ts";
import { createVault } from "../src/settings/secrets.ts";
import type { Settings } from "../src/settings/settings.ts";

/** It looks like nothing in particular, so only its place says that it is a key. */
const KEY = "plain-words-of-a-tenant";
const keys = { location: "the table of keys", read: async () => ({ type: "read", keys: { anthropic: KEY } }) as const };

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-host-"));
  mkdirSync(join(folder, "work"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

async function serve(...script: readonly Step[]): Promise<TestServer> {
  const server = await startServer({ script });
  onTestFinished(() => server.close());
  return server;
}

const store = (): MemoryStore => MemoryStore.create(nodeRuntime);

type HostOptions = Partial<Omit<BuildAgentOptions, "settings">> & { readonly settings?: Settings };

async function build(server: TestServer, { settings, ...options }: HostOptions = {}) {
  const context = {
    ...{ cwd: join(folder, "work"), home: join(folder, "pith"), userHome: join(folder, "home"), environment: {} },
    settings: {
      model: "anthropic/claude-sonnet-4-5",
      baseUrl: `${server.url}/v1`,
      sandbox: "off",
      ...settings,
    } as const,
  };
  const workspace = openLocalWorkspace(context);
  onTestFinished(() => workspace.close());
  return await buildAgent({
    ...{ ...context, workspace, keys, vault: await createVault({ ...context, keys }) },
    storage: { store: store(), blobs: createMemoryBlobs() },
    ...options,
  });
}

async function buildOrFail(server: TestServer, options: HostOptions = {}): Promise<BuiltAgent> {
  const built = await build(server, options);
  if (built.type === "failed") throw new Error(built.message);
  onTestFinished(() => built.close());
  return built;
}

async function finish(run: AsyncGenerator<AgentEvent, RunEnd>): Promise<RunEnd> {
  for (;;) {
    const { done, value } = await run.next();
    if (done) return value;
  }
}

const write = { type: "call", name: "write", arguments: { path: "stock.txt", content: "12 lamps\n" } } as const;

test("HOST7 a question is answered later: the run is suspended, and another agent of the session asks again and goes on", async () => {
  const server = await serve({ parts: [write] }, "Written.");
  const storage = { store: store(), blobs: createMemoryBlobs() };
  const settings = { permissionMode: "ask" } as const;
  const questions: PermissionQuestion[] = [];
  let stored: PermissionAnswer | null = null;
  const ask: AskPermission = async (question, { mayAnswerLater }) => {
    expect(mayAnswerLater).toBe(true);
    questions.push(question);
    return stored ?? { type: "later" };
  };
  const first = await buildOrFail(server, { storage, settings, user: { ask } });
  expect(await finish(first.agent.prompt("Note the stock."))).toEqual({ type: "suspended", waitsFor: "answer" });
  await first.close();
  expect(existsSync(join(folder, "work/stock.txt"))).toBe(false);
  stored = { type: "yes" };
  const second = await buildOrFail(server, { storage, settings, user: { ask } });
  expect(await finish(second.agent.resume())).toEqual({ type: "done" });
  expect(readFileSync(join(folder, "work/stock.txt"), "utf8")).toBe("12 lamps\n");
  expect(questions).toHaveLength(2);
  expect(questions[1]).toEqual(questions[0]);
  expect(server.requests).toHaveLength(2);
});

test("HOST8 requests are made with a key that was passed in, and the model never sees it", async () => {
  const show = { type: "call", name: "bash", arguments: { command: `echo ${KEY}` } } as const;
  const server = await serve({ parts: [show] }, "Done.");
  const { agent } = await buildOrFail(server, { settings: { permissionMode: "all" } });
  expect(await finish(agent.prompt("Show it."))).toEqual({ type: "done" });
  expect(JSON.stringify(server.requests[1]?.body)).toContain("PITH_SECRET_");
  expect(JSON.stringify(agent.session.branch.entries)).not.toContain(KEY);
  expect(existsSync(join(folder, "pith/keys.json"))).toBe(false);
});

test("HOST8 without a key the agent is not built, and the error names where keys were looked for", async () => {
  const server = await serve();
  const unknown = {
    location: "the table of keys",
    read: async () => ({ type: "read", keys: { anthropik: KEY } }) as const,
  };
  expect(await build(server, { keys: unknown, settings: { model: undefined as never } })).toEqual({
    type: "failed",
    message: expect.stringContaining("the table of keys has no key for any of these providers"),
    isUsageError: true,
  });
});

test("HOST9 without someone to ask, a call that needs a question is refused", async () => {
  const server = await serve({ parts: [write] }, "Not written.");
  const { agent } = await buildOrFail(server, { settings: { permissionMode: "ask" } });
  expect(await finish(agent.prompt("Note the stock."))).toEqual({ type: "done" });
  expect(existsSync(join(folder, "work/stock.txt"))).toBe(false);
  expect(JSON.stringify(server.requests[1]?.body)).toContain("not permitted");
});
