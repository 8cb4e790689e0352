/** Images leave the log before their entry is written, and the log stays small. */

import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { Draft } from "../../../src/entry.ts";
import { readBlob } from "../../../src/node/blobs/blob-folder.ts";
import { spilled } from "../../../src/node/blobs/spill.ts";
import { createSession } from "../../../src/node/sessions/create-session.ts";
import { blobsIn, withInlined } from "../../../src/session/blob-block.ts";
import { Session } from "../../../src/session/session.ts";
import { testPorts } from "../../../src/testing/test-ports.ts";
import { ground, storeIn } from "../sessions/ground.ts";

const image = (bytes: Uint8Array) =>
  ({ type: "image", data: Buffer.from(bytes).toString("base64"), mimeType: "image/png" }) as const;
const draftOf = (...content: readonly unknown[]): Draft =>
  ({ type: "message", message: { role: "user", content, timestamp: 1 } }) as unknown as Draft;
const words = { type: "text", text: "look" } as const;

test("a big image becomes a blob block, a small one stays, and both come back as they were", async () => {
  const { parts } = ground();
  const { path } = storeIn(await createSession({ cwd: "/code", ...parts }));
  const [small, big] = [image(randomBytes(32 * 1024)), image(randomBytes(32 * 1024 + 1))];
  const outcome = await spilled(draftOf(words, small, big), path, parts);
  if (outcome.type !== "spilled") throw new Error(outcome.why);
  const entry = { ...outcome.draft, id: "e1", parentId: null, timestamp: "" } as Parameters<typeof blobsIn>[0];
  const [blob] = blobsIn(entry);
  expect(outcome.blobs).toBe(1);
  expect(blob).toMatchObject({ mimeType: "image/png", bytes: 32 * 1024 + 1 });
  const read = await readBlob(path, blob?.hash ?? "", parts);
  const data = read.type === "read" ? Buffer.from(read.bytes).toString("base64") : null;
  expect(withInlined(entry, () => data)).toMatchObject(draftOf(words, small, big));
});

test("the caller says what an image costs and what is too big", async () => {
  const { parts } = ground();
  const tokens = ({ bytes }: { readonly bytes: number }): number => bytes * 2;
  const outcome = await spilled(draftOf(image(Buffer.alloc(100))), "/s.jsonl", { ...parts, limit: 10, tokens });
  expect(JSON.stringify(outcome)).toContain("about 200 tokens");
});

test("what would not come back letter by letter, and what is no image, stays", async () => {
  const { parts } = ground();
  const odd = [
    { type: "image", data: `${"A".repeat(99)}\n`, mimeType: "image/png" },
    { type: "image", data: "A".repeat(99), mimeType: "image/png" },
    { type: "image", data: 7, mimeType: "image/png" },
    { type: "text", text: "A".repeat(200) },
    null,
  ];
  const draft = draftOf(...odd);
  expect(await spilled(draft, "/s.jsonl", { ...parts, limit: 10 })).toEqual({ type: "spilled", draft, blobs: 0 });
});

test("BLOB2 a full disk refuses the image, and nothing names it", async () => {
  const { files, parts } = ground();
  files.room = 50;
  const outcome = await spilled(draftOf(image(Buffer.alloc(100))), "/s.jsonl", { ...parts, limit: 10 });
  expect(outcome).toMatchObject({ type: "unavailable", code: "ENOSPC" });
});

test("70 compactions of a session full of images grow the file by less than 64 KB each", async () => {
  const { files, parts } = ground();
  const store = storeIn(await createSession({ cwd: "/code", ...parts }));
  const session = await Session.open(store, testPorts());
  const screenshots = Array.from({ length: 4 }, () => image(randomBytes(100 * 1024)));
  const before = files.contents(store.path).length;
  for (let round = 0; round < 70; round++) {
    const seen = await spilled(draftOf(words, ...screenshots), store.path, parts);
    if (seen.type !== "spilled") throw new Error(seen.why);
    const summary = "what was done ".repeat(200);
    await session.append(seen.draft, {
      type: "compaction",
      id: `c${round}`,
      summary,
      firstKeptEntryId: `c${round}`,
      tokensBefore: 9,
    });
  }
  expect(files.contents(store.path).length - before).toBeLessThan(70 * 64 * 1024);
  expect(files.paths().filter((path) => path.includes("/blobs/"))).toHaveLength(4);
});
