/** Tests ledger/ledger.ts: a stored ledger is read back, and nothing in it is trusted. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collectLedger } from "../../src/ledger/collect-ledger.ts";
import {
  emptyLedger,
  MAX_LEDGER_CHARS,
  MAX_LEDGER_ITEMS,
  mergeLedgerPair,
  readLedger,
} from "../../src/ledger/ledger.ts";
import { bashCallEntries, createEntries, messageEntry, text, toolCallEntries } from "../context/tool-work.ts";
import { fullLedger } from "./ledgers.ts";

const detailsWithLedger = (ledger: unknown): unknown => JSON.parse(JSON.stringify({ pith: { ledger } }));

test("LED2 a stored ledger is read back", () => {
  const work = createEntries(
    toolCallEntries({ arguments: { path: "a\n<b>", content: "x" } }, {}),
    bashCallEntries("make", { ...text("error: no\n3 errors"), isError: true }),
    bashCallEntries("git commit -m x", text("[main 0a1b2c3] x")),
    messageEntry({ role: "user", content: [{ type: "image", data: "", mimeType: "image/png" }] }),
  );
  const ledger = collectLedger(work);
  expect(Object.values(ledger).filter((list) => list.length === 0)).toHaveLength(1);
  expect(readLedger(detailsWithLedger(ledger))).toEqual(ledger);
});

test("LED2 without a stored ledger, pi's file lists are read", () => {
  expect(readLedger({ readFiles: ["a", 7, "b"], modifiedFiles: ["b"] }, "e9")).toEqual({
    ...emptyLedger,
    files: [
      { path: "a", did: "read" },
      { path: "b", did: "modified" },
    ],
  });
  expect(readLedger({ modifiedFiles: [] })).toEqual(emptyLedger);
  expect(readLedger({ pith: { ledger: {} }, readFiles: ["a"] })).toEqual(emptyLedger);
});

describe("details without a ledger", () => {
  const cases = [undefined, null, 7, "x", [], {}, { pith: null }, { pith: { ledger: [] } }, { readFiles: "a" }];
  test.each(cases)("are read as no ledger: %j", (details) => expect(readLedger(details)).toBeNull());
});

test("LED10 a ledger of an earlier version keeps the items that still exist", () => {
  const hash = "5".repeat(64);
  const earlier = {
    files: [
      { path: "a.ts", did: "modified", entryId: "e1" },
      { path: "#10", did: "read" },
    ],
    folders: [{ folder: "src", read: 1, modified: 2 }],
    commands: [
      { command: "npm test 2>&1 | tail -3", exitCode: 0, entryId: "e2" },
      { command: "cat a.log", exitCode: 0, entryId: "e3" },
      { command: "make", exitCode: 2, entryId: "e4" },
    ],
    errors: [{ text: "Error: database is locked", entryId: "e5" }],
    lines: [{ text: "cache rebuilt by hand", entryId: "e6" }],
    references: [{ kind: "commit", text: "0a1b2c3", entryId: "e7" }],
    images: [{ handle: `blob:${hash}`, size: null, path: "a.png", caption: null, entryId: "e8" }],
  };
  expect(readLedger(detailsWithLedger(earlier))).toEqual({
    files: [{ path: "a.ts", did: "modified" }],
    folders: [{ folder: "src", read: 1, modified: 2 }],
    checks: [
      { kind: "test", command: "npm test", exitCode: null, outcome: null },
      { kind: "build", command: "make", exitCode: 2, outcome: null },
    ],
    errors: [],
    commits: [],
    images: [{ handle: "blob:55555555", size: null, path: "a.png", caption: null, entryId: "e8" }],
  });
});

test("LED4 invalid items are left out, and texts are sanitized", () => {
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
    checks: [
      { kind: "test", command: "a\n\u001b[31mb", exitCode: "0", outcome: 7 },
      { kind: "rumour", command: "a" },
      { kind: "build", command: "" },
    ],
    errors: [
      { kind: "command", source: "make", text: "x".repeat(999) },
      { kind: "file", source: 7, text: "no" },
      { kind: "rumour", source: "a", text: "no" },
      { kind: "tool", source: "a", text: null },
    ],
    commits: [{ hash: "not a hash", subject: "a\nb" }, { hash: "0a1b2c3" }],
    images: [
      { handle: "file:///etc/passwd" },
      { handle: "#12x" },
      { handle: "#12", size: "big", path: 7, caption: "\n" },
    ],
  };
  expect(readLedger({ pith: { ledger } }, "e9")).toEqual({
    ...emptyLedger,
    folders: [
      { folder: "src", read: 0, modified: 0 },
      { folder: "doc", read: 0, modified: 3 },
    ],
    checks: [{ kind: "test", command: "a b", exitCode: null, outcome: null }],
    errors: [{ kind: "command", source: "make", text: `${"x".repeat(MAX_LEDGER_CHARS.line - 1)}…` }],
    commits: [{ hash: null, subject: "a b" }],
    images: [{ handle: "#12", size: null, path: null, caption: null, entryId: "e9" }],
  });
});

test("LED3 a ledger that is too long is shortened", () => {
  const ledger = readLedger(detailsWithLedger(fullLedger(5_000, (at) => `entry:${at.toString(36)}`)));
  expect(ledger?.checks).toHaveLength(1);
  expect(ledger?.errors).toHaveLength(MAX_LEDGER_ITEMS.errors);
  expect(ledger?.commits).toHaveLength(MAX_LEDGER_ITEMS.commits);
  expect(ledger?.files.length).toBeLessThanOrEqual(MAX_LEDGER_ITEMS.modified + MAX_LEDGER_ITEMS.read);
  expect(ledger?.folders.length).toBeLessThanOrEqual(MAX_LEDGER_ITEMS.folders);
});

test("LED4 LED10 any value gives a valid ledger or none", () => {
  const anything = fc.anything({ withNullPrototype: true, withBigInt: true });
  const lists = ["files", "folders", "checks", "errors", "commits", "images"] as const;
  const word = fc.oneof(anything, fc.string());
  const shapes = fc.record({
    path: word,
    did: fc.constantFrom("read", "modified"),
    text: word,
    command: fc.oneof(word, fc.constantFrom("npm test", "make; ls", "cargo check && x")),
    folder: word,
    handle: fc.oneof(word, fc.constantFrom("#1", "blob:0123456789abcdef", "entry:e1")),
    read: anything,
    entryId: word,
    kind: fc.constantFrom("test", "command", "file", "tool"),
    source: word,
    subject: word,
    hash: word,
    outcome: word,
    exitCode: anything,
  });
  const hostile = fc.record(
    Object.fromEntries(
      [...lists, "commands", "lines", "references"].map((list) => [
        list,
        fc.oneof(anything, fc.array(fc.oneof(anything, shapes))),
      ]),
    ),
  );
  fc.assert(
    fc.property(fc.oneof(hostile, anything), (ledger) => {
      const read = readLedger({ pith: { ledger } });
      if (read === null) return;
      expect(Object.keys(read).sort()).toEqual([...lists].sort());
      expect(readLedger({ pith: { ledger: read } })).toEqual(read);
      expect(mergeLedgerPair(emptyLedger, read)).toEqual(read);
    }),
  );
});
