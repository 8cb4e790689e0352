/** Tests the blobs of a session in PostgreSQL against the contract of blob stores. */

import { testRuntime } from "@pith/context/testing";
import { beforeAll, expect, test } from "vitest";
import { blobsContract } from "../../../agent/test/blobs-contract.ts";
import { createSession, eraseSession, PostgresBlobs, type SessionRef } from "../../src/index.ts";
import { TENANT } from "../support/database.ts";
import { useDatabase } from "../support/use-database.ts";

const server = useDatabase();
const runtime = testRuntime();
let session: SessionRef;
beforeAll(async () => {
  session = (await createSession(server.database, TENANT, { cwd: "", id: "blobs", runtime })).session;
});

blobsContract("in PostgreSQL", () => new PostgresBlobs(server.database, session, { quota: 10 }));

test("PG12 a range of a large blob is read, and its hash is found by its first digits", async () => {
  const blobs = new PostgresBlobs(server.database, session);
  const bytes = Buffer.alloc(3_000_000, "0123456789");
  const kept = await blobs.keep(bytes);
  const hash = kept.type === "kept" ? kept.hash : "";
  expect(await blobs.read(hash, { start: 2_000_003, end: 2_000_006 })).toEqual({
    type: "read",
    bytes: new Uint8Array(Buffer.from("345")),
    size: bytes.length,
  });
  expect(await blobs.findByPrefix(hash.slice(0, 8))).toEqual({ type: "found", blobs: [{ hash, bytes: bytes.length }] });
  expect(await blobs.findByPrefix("%")).toEqual({ type: "found", blobs: [] });
});

test("PG7 the blobs of an erased session are gone; another session has its own copies", async () => {
  const other = (await createSession(server.database, TENANT, { cwd: "", id: "other", runtime })).session;
  const [erased, kept] = [new PostgresBlobs(server.database, session), new PostgresBlobs(server.database, other)];
  const result = await erased.keep(Buffer.from("shared"));
  await kept.keep(Buffer.from("shared"));
  const hash = result.type === "kept" ? result.hash : "";
  await eraseSession(server.database, TENANT, "blobs");
  expect(await erased.read(hash, { start: 0, end: 9 })).toMatchObject({ type: "none" });
  expect(await erased.findByPrefix("")).toEqual({ type: "found", blobs: [] });
  expect(await kept.read(hash, { start: 0, end: 9 })).toMatchObject({ type: "read", size: 6 });
  // A blob is never kept for a session that does not exist.
  expect(await erased.keep(Buffer.from("late"))).toMatchObject({ type: "unavailable" });
});
