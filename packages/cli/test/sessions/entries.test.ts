/** Ids that people can type. */

import { MemoryStore, Session } from "@pith/context";
import { story, testRuntime } from "@pith/context/testing";
import { expect, test } from "vitest";
import { findEntry, matchesId, shortId } from "../../src/sessions/entries.ts";

const message = "0123456789abcdef0123";

test("COM9 the short id of a reply differs from that of its message, though their ids begin alike", () => {
  expect(shortId(message)).toBe("01234567");
  expect(shortId(`${message}-1-0`)).toBe("01234567-1-0");
  expect(shortId("e12")).toBe("e12");
  for (const id of [message, `${message}-1`, `${message}-1-0`, "e12", "3f2a9c11"])
    expect(matchesId(shortId(id), id)).toBe(true);
  expect(matchesId("01234567", `${message}-1`)).toBe(false);
  expect(matchesId("01234567-1", message)).toBe(false);
  expect(matchesId("01234567-1", `${message}-1-0`)).toBe(false);
});

test("COM9 the beginning of a UUID matches the id, with any number of dashes", () => {
  const id = "3f2a9c11-8a5b-4a8e-9d7b-0123456789ab";
  expect(shortId(id)).toBe("3f2a9c11");
  for (const written of ["3f2a9c11", "3f2a9c11-8a5b", "3f2a9c11-8", id]) expect(matchesId(written, id)).toBe(true);
  expect(matchesId("3f2a9c11-9", id)).toBe(false);
  expect(shortId("a\nb")).toBe("a\\nb");
});

test("COM9 NUM2 an entry is found by its number on any branch, with or without brackets", async () => {
  const store = MemoryStore.create(testRuntime());
  await store.append(story("user: one", "says: two", "user: three"), { expectedLeaf: null });
  const session = await Session.open(store, testRuntime("n"));
  await session.move("e1");
  for (const name of ["#3", "[#3]", "e3", "entry:e3"])
    expect(await findEntry(name, session)).toMatchObject({ type: "found", entry: { id: "e3" } });
  for (const name of ["#99", "3", "#"]) expect((await findEntry(name, session)).type).not.toBe("found");
});
