/** Sends the contexts of random session trees over HTTP to the four protocols. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type AgentMessage,
  type AssistantMessage,
  buildRequest,
  buildSessionContext,
  MemoryStore,
  type Model,
} from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { startServer, type TestServer } from "@pith/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLong } from "../../../context/test/support/test-length.ts";
import { createSignature } from "../../../testkit/src/protocols/signature.ts";
import { endpoints, lastOf, modelOf, modelRequests, tools } from "./protocols.ts";

const TREES = isLong ? 1_000 : 150;
const seed = Number(process.env.PITH_SEED ?? Math.floor(Math.random() * 2 ** 31));
const folder = mkdtempSync(join(tmpdir(), "pith-trees-"));
let server: TestServer;
let models: readonly Model[];

beforeAll(async () => {
  const writer = fileURLToPath(new URL("../../../context/test/properties/run.ts", import.meta.url));
  execFileSync(process.execPath, [writer, "--write", folder, "--runs", String(TREES), "--seed", String(seed)]);
  server = await startServer({ script: () => "ok" });
  models = await Promise.all(endpoints.map((endpoint) => modelOf(endpoint, server)));
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test(`VOI6 ${TREES} random trees are accepted by every protocol`, async () => {
  console.log(`seed ${seed} (repeat with PITH_SEED=${seed})`);
  const files = readdirSync(folder);
  expect(files).toHaveLength(TREES);
  let sent = 0;
  for (const file of files) {
    const store = MemoryStore.open(readFileSync(join(folder, file)), nodeRuntime);
    const { messages, ...context } = buildSessionContext(await store.loadBranch(await store.leaf()));
    for (const model of models) {
      const built = buildRequest(
        { ...context, messages: messages.map((message) => spokenBy(message, models)) },
        { model },
      );
      if (built.messages.every(({ role }) => role === "system")) continue;
      const request = { ...built, tools };
      const end = await lastOf(model.stream(request, {}));
      expect(end, `${file} to ${model.api}: ${JSON.stringify(request)}`).toMatchObject({ type: "reply-ended" });
      sent += 1;
    }
  }
  expect(modelRequests(server).filter(({ outcome }) => outcome !== "said")).toEqual([]);
  expect(sent).toBeGreaterThan(TREES);
});

/**
 * Whoever spoke in the tree is one of the models at hand, so that much of what they read is their own. Thoughts of Claude are
 * signed as the server would have; those of the others, whose signatures hold more than a text, are left out.
 */
function spokenBy(message: AgentMessage, all: readonly Model[]): AgentMessage {
  const by = message.role === "assistant" ? all.find(({ api }) => api === message.api) : undefined;
  if (message.role !== "assistant" || !by) return message;
  const content = message.content.flatMap((block): AssistantMessage["content"] => {
    if (block.type !== "thinking") return [block];
    if (by.api !== "anthropic-messages") return [];
    return [{ ...block, thinkingSignature: createSignature(by.model, block.thinking) }];
  });
  return { ...message, content, provider: by.provider, model: by.model };
}
