/** Tests that every command of the `bench context` and `bench plan` worker runs with the built package. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installBuiltContext } from "../src/built-package.ts";
import { startContextWorker } from "../src/context/start-context.ts";
import { writeLongSession } from "../src/made-up-session.ts";
import type { Worker } from "../src/peers/worker.ts";

const folder = mkdtempSync(join(tmpdir(), "pith-bench-"));
let worker: Worker;
let file: string;

beforeAll(async () => {
  const { folder: home } = await installBuiltContext(folder);
  file = writeLongSession(join(folder, "short.jsonl"), 1, SETTINGS);
  worker = startContextWorker(home);
}, 120_000);

afterAll(() => {
  worker?.stop();
  rmSync(folder, { recursive: true });
});

test.each(["open", "openFile"])("a session opened with %s can be measured, planned and appended to", async (op) => {
  await worker.request({ op, name: op, file });
  expect(await worker.request({ op: "measure", name: op })).toMatchObject({ total: expect.any(Number) });
  expect(await worker.request({ op: "meter", name: op })).toMatchObject({ ms: expect.any(Number) });
  expect(await worker.request({ op: "plan", name: op })).toMatchObject({ covered: expect.any(Number) });
  if (op === "openFile") return;
  expect(await worker.request({ op: "append", name: op, message })).toEqual({});
  const { messages } = (await worker.request({ op: "step", name: op, message })) as { readonly messages: number };
  expect(messages).toBeGreaterThan(2);
});

const SETTINGS = { quick: true, seed: 1, corpus: undefined, facts: undefined, log: (): void => {} };

const message = { role: "user", content: "one more", timestamp: 0 };
