/** Tests the file store against the store contract, on a disk in memory and on the real one. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Files, realFiles } from "../../../src/node/files.ts";
import type { JsonlStore, StoreOptions } from "../../../src/node/jsonl/jsonl-store.ts";
import { createStore, openStore } from "../../../src/node/jsonl/open-store.ts";
import { testRuntime } from "../../../src/testing/scripted-model.ts";
import { storeContract } from "../../../src/testing/store-contract.ts";
import { FaultyFiles } from "../../support/faulty-files/faulty-files.ts";

const folder = mkdtempSync(join(tmpdir(), "pith-store-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each<[string, Files, string]>([
  ["in memory", new FaultyFiles(), "/sessions"],
  ["real", realFiles, folder],
])("the store contract on a disk that is %s", (_, files, root) => {
  const parts: StoreOptions = { files, runtime: testRuntime() };
  let count = 0;
  storeContract(
    { test: (name, run) => test(name, run), equal: (actual, expected) => expect(actual).toEqual(expected) },
    {
      create: async () => store(await createStore(join(root, `${++count}.jsonl`), { cwd: "/project" }, parts)),
      reopen: async (open) => {
        const { path } = open as JsonlStore;
        return store(await openStore(path, { ...parts, mode: "follower" }));
      },
      takeOver: async (open) => store(await openStore((open as JsonlStore).path, { ...parts, mode: "takeover" })),
    },
  );
});

function store(opened: Awaited<ReturnType<typeof openStore>>): JsonlStore {
  if (opened.type !== "opened") throw new Error(JSON.stringify(opened));
  return opened.store;
}
