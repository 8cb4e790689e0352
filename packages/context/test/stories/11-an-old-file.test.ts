/** Story 11: a file of pi's first version, a year old. It opens as it is, and becomes one of ours only when something is said. */

import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { Session } from "../../src/session/session.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { show } from "../../src/testing/story.ts";

const old = [
  '{"type":"session","id":"old","timestamp":"2025-11-01T00:00:00.000Z","cwd":"/p","provider":"anthropic","modelId":"opus"}',
  '{"type":"message","timestamp":"2025-11-01T00:00:01.000Z","message":{"role":"user","content":"one","timestamp":1}}',
  '{"type":"message","timestamp":"2025-11-01T00:00:02.000Z","message":{"role":"user","content":"two","timestamp":2}}',
  '{"type":"compaction","timestamp":"2025-11-01T00:00:03.000Z","summary":"one","firstKeptEntryIndex":2,"tokensBefore":9}',
].join("\n");

test("LOG5 LOG6 LOG9 a file of version 1 is opened, read and continued, and its unknown fields are kept", async () => {
  const ports = testRuntime();
  const bytes = new TextEncoder().encode(`${old}\n`);
  const store = MemoryStore.open(bytes, ports);
  const session = await Session.open(store, ports);
  expect(show(buildSessionContext(session.branch).messages)).toBe("0 summary   one\n1 user      two");
  expect(store.bytes()).toEqual(bytes);

  await session.append({ type: "message", message: { role: "user", content: "three", timestamp: 3 } });
  const [header = "", ...lines] = new TextDecoder().decode(store.bytes()).trimEnd().split("\n");
  expect(JSON.parse(header)).toMatchObject({
    version: 3,
    id: "old",
    provider: "anthropic",
    modelId: "opus",
    pith: { format: 1 },
  });
  expect(lines.map((line) => JSON.parse(line)).map(({ id, parentId }) => [typeof id, typeof parentId])).toEqual([
    ["string", "object"],
    ["string", "string"],
    ["string", "string"],
    ["string", "string"],
  ]);
  const again = await Session.open(MemoryStore.open(store.bytes(), ports), ports);
  expect(show(buildSessionContext(again.branch).messages)).toBe("0 summary   one\n1 user      two\n2 user      three");
});
