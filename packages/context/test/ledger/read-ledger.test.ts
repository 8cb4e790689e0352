/** The ledger that a summary carries: taken back as it was written, and believed in nothing. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ledgerOf } from "../../src/ledger/collect-ledger.ts";
import { emptyLedger, LETTERS, MOST, mergedLedgers } from "../../src/ledger/ledger.ts";
import { ledgerIn } from "../../src/ledger/read-ledger.ts";
import { entriesOf, ran, said, text, used } from "../context/tool-work.ts";
import { fullLedger } from "./ledgers.ts";

const carrying = (ledger: unknown): unknown => JSON.parse(JSON.stringify({ pith: { ledger } }));

test("LED2 what was written is taken back", () => {
  const work = entriesOf(
    used({ arguments: { path: "a\n<b>", content: "x" } }, {}),
    ran("make", { ...text(`error: see #1 at https://a.example/\n${"filling\n".repeat(300)}`), isError: true }),
    said({ role: "user", content: [{ type: "image", data: "", mimeType: "image/png" }] }),
  );
  const ledger = ledgerOf(work);
  expect(Object.values(ledger).filter((list) => list.length === 0)).toHaveLength(1);
  expect(ledgerIn(carrying(ledger))).toEqual(ledger);
});

test("LED2 without one of ours, pi's lists of files are taken, and who carries them is their origin", () => {
  expect(ledgerIn({ readFiles: ["a", 7, "b"], modifiedFiles: ["b"] }, "e9")).toEqual({
    ...emptyLedger,
    files: [
      { path: "a", did: "read", entryId: "e9" },
      { path: "b", did: "modified", entryId: "e9" },
    ],
  });
  expect(ledgerIn({ modifiedFiles: [] })).toEqual(emptyLedger);
  expect(ledgerIn({ pith: { ledger: {} }, readFiles: ["a"] })).toEqual(emptyLedger);
});

describe("where there is none", () => {
  const cases = [undefined, null, 7, "x", [], {}, { pith: null }, { pith: { ledger: [] } }, { readFiles: "a" }];
  test.each(cases)("%j", (details) => expect(ledgerIn(details)).toBeNull());
});

test("LED4 items that are none are left out, and the texts of others are put right", () => {
  const ledger = {
    files: [
      { path: "a", did: "burnt" },
      { path: 7, did: "read" },
      { path: " ", did: "read" },
      { path: "x".repeat(1001), did: "read" },
      null,
    ],
    folders: [
      { folder: "src", read: -1, modified: 1e300 },
      { folder: null, read: 1 },
      { folder: "doc", read: 2.5, modified: 3 },
    ],
    commands: [{ command: "a\n\u001b[31mb", exitCode: "0", entryId: 7 }, { command: "" }],
    errors: [{ text: "x".repeat(999), entryId: "" }, { text: null }],
    lines: "lines",
    references: [
      { kind: "rumour", text: "#1" },
      { kind: "id", text: "#2", entryId: "e".repeat(999) },
    ],
    images: [{ handle: "file:///etc/passwd" }, { handle: "entry:e1", size: "big", path: 7, caption: "\n" }],
  };
  expect(ledgerIn({ pith: { ledger } }, "e9")).toEqual({
    ...emptyLedger,
    folders: [
      { folder: "src", read: 0, modified: 0 },
      { folder: "doc", read: 0, modified: 3 },
    ],
    commands: [{ command: "a b", exitCode: null, entryId: "e9" }],
    errors: [{ text: `${"x".repeat(LETTERS.line - 1)}…`, entryId: "e9" }],
    references: [{ kind: "id", text: "#2", entryId: "e9" }],
    images: [{ handle: "entry:e1", size: null, path: null, caption: null, entryId: "e9" }],
  });
});

test("LED3 one that was made too long is bounded", () => {
  const ledger = ledgerIn(carrying(fullLedger(5_000, (at) => `entry:${at.toString(36)}`)));
  expect(ledger?.commands).toHaveLength(MOST.commands);
  expect(ledger?.files.length).toBeLessThanOrEqual(MOST.modified + MOST.read);
  expect(ledger?.folders.length).toBeLessThanOrEqual(MOST.folders);
});

test("LED4 anything at all may stand in its place, and what comes of it is a ledger", () => {
  const anything = fc.anything({ withNullPrototype: true, withBigInt: true });
  const lists = ["files", "folders", "commands", "errors", "lines", "references", "images"] as const;
  const shapes = fc.record({
    path: anything,
    did: fc.constantFrom("read", "modified"),
    text: anything,
    command: anything,
    folder: anything,
    handle: anything,
    read: anything,
    entryId: anything,
    kind: fc.constant("id"),
    exitCode: anything,
  });
  const hostile = fc.record(
    Object.fromEntries(lists.map((list) => [list, fc.oneof(anything, fc.array(fc.oneof(anything, shapes)))])),
  );
  fc.assert(
    fc.property(fc.oneof(hostile, anything), (ledger) => {
      const taken = ledgerIn({ pith: { ledger } });
      if (taken === null) return;
      expect(Object.keys(taken).sort()).toEqual([...lists].sort());
      expect(ledgerIn({ pith: { ledger: taken } })).toEqual(taken);
      expect(mergedLedgers(emptyLedger, taken)).toEqual(taken);
    }),
  );
});
