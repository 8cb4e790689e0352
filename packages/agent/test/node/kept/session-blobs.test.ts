/** Blobs beside a session's file. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sessionBlobs } from "../../../src/node/kept/session-blobs.ts";
import { blobsContract } from "../../blobs-contract.ts";

function newSession(): string {
  const folder = mkdtempSync(join(tmpdir(), "pith-session-blobs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "a.jsonl");
}

blobsContract("beside a session", () => sessionBlobs(newSession(), { quota: 10 }));

test("BLOB5 where nothing can be written, keeping ends as a value", async () => {
  const file = newSession();
  writeFileSync(file, "");
  const blobs = sessionBlobs(join(file, "below.jsonl"));
  const draft = blobs.begin();
  draft.write(new Uint8Array(9));
  const unavailable = { type: "unavailable", why: expect.stringContaining("cannot be kept") };
  expect(await draft.keep()).toMatchObject(unavailable);
  expect(await blobs.keep(new Uint8Array(9))).toMatchObject(unavailable);
});
