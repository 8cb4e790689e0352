/** Tests ledger/ledger.ts: merging, and the limits of the lists. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { collectLedger } from "../../src/ledger/collect-ledger.ts";
import {
  emptyLedger,
  type Ledger,
  type LedgerFile,
  MAX_LEDGER_ITEMS,
  mergeLedgerPair,
} from "../../src/ledger/ledger.ts";
import { expectLinearTime } from "../support/expect-speed.ts";
import { fullLedger, ledgerFrom } from "./ledgers.ts";

const word = fc.constantFrom("a", "b", "c d", "src/a", "src/b", "error 1", "error 2", "cat a", "make");
const ledger = ledgerFrom(word).map((each) => mergeLedgerPair(emptyLedger, each));
const file = (path: string, did: LedgerFile["did"]): LedgerFile => ({ path, did });
const withFiles = (...files: readonly LedgerFile[]): Ledger => ({ ...emptyLedger, files });

test("LED2 merging is associative within the limits, and an empty ledger changes nothing", () => {
  fc.assert(
    fc.property(ledger, ledger, ledger, (one, two, three) => {
      const inOrder = mergeLedgerPair(mergeLedgerPair(one, two), three);
      expect(mergeLedgerPair(one, mergeLedgerPair(two, three))).toEqual(inOrder);
      expect(mergeLedgerPair(emptyLedger, one)).toEqual(one);
      expect(mergeLedgerPair(one, emptyLedger)).toEqual(one);
    }),
  );
});

test("LED2 INV41 ten merges give the files that one merge gives", () => {
  fc.assert(
    fc.property(fc.array(ledgerFrom(word), { maxLength: 10 }), (parts) => {
      const steps = parts.reduce(mergeLedgerPair, emptyLedger);
      const once = mergeLedgerPair(emptyLedger, withFiles(...parts.flatMap(({ files }) => files)));
      expect(steps.files).toEqual(once.files);
    }),
  );
});

test("LED2 a file is at the position of its newest touch, and a modified file stays modified", () => {
  const older = withFiles(file("a", "modified"), file("b", "read"), file("c", "modified"));
  const newer = withFiles(file("a", "read"), file("b", "modified"));
  expect(mergeLedgerPair(older, newer).files).toEqual([
    file("c", "modified"),
    file("a", "modified"),
    file("b", "modified"),
  ]);
});

test("LED5 the newest check of a kind, error of a command and commit of a subject replaces the older one", () => {
  const make = (number: number, hash: string): Ledger => ({
    ...emptyLedger,
    checks: [{ kind: "build", command: `make ${number}`, exitCode: number, outcome: null }],
    errors: [{ kind: "command", source: "make", text: `error: line ${number}` }],
    commits: [{ hash, subject: "Fix the lock" }],
  });
  expect(mergeLedgerPair(make(1, "0a1b2c3"), make(2, "3c2b1a0"))).toEqual(make(2, "3c2b1a0"));
});

describe("LED3 the ledger is bounded", () => {
  const name = (at: number): string => `word ${[...String(at)].map((digit) => "abcdefghij"[Number(digit)]).join("")}`;

  test("LED3 a hundred full ledgers merge into the size of one, and every file is counted", () => {
    let all = emptyLedger;
    for (let round = 0; round < 100; round++) {
      const files = Array.from({ length: 300 }, (_, at) => file(`src/${round}/${at}.ts`, at % 3 ? "modified" : "read"));
      all = mergeLedgerPair(all, { ...fullLedger(100, (at) => name(round * 100 + at)), files, folders: [] });
    }
    const count = (did: LedgerFile["did"]): number =>
      all.files.filter((each) => each.did === did).length + all.folders.reduce((sum, each) => sum + each[did], 0);
    expect({ ...sizes(all), modified: count("modified"), read: count("read") }).toEqual({
      files: MAX_LEDGER_ITEMS.modified + MAX_LEDGER_ITEMS.read,
      folders: MAX_LEDGER_ITEMS.folders,
      checks: 1,
      errors: MAX_LEDGER_ITEMS.errors,
      commits: MAX_LEDGER_ITEMS.commits,
      images: MAX_LEDGER_ITEMS.images,
      modified: 20_000,
      read: 10_000,
    });
  });

  test("LED3 the newest sixty modified files are listed, and read files do not displace them", () => {
    const modified = Array.from({ length: 60 }, (_, at) => file(`src/${at}`, "modified"));
    const read = Array.from({ length: 500 }, (_, at) => file(`read/${at}`, "read"));
    const { files, folders } = mergeLedgerPair(withFiles(...modified), withFiles(...read));
    expect(files).toEqual([...modified, ...read.slice(-MAX_LEDGER_ITEMS.read)]);
    expect(folders).toEqual([{ folder: "read", read: 500 - MAX_LEDGER_ITEMS.read, modified: 0 }]);
    const more = mergeLedgerPair(withFiles(...modified), withFiles(file("new", "modified")));
    expect(more.files).toEqual([...modified.slice(1), file("new", "modified")]);
    expect(more.folders).toEqual([{ folder: "src", read: 0, modified: 1 }]);
  });

  test('LED3 files are rolled up by folder, with slashes or backslashes, and the oldest folders under "."', () => {
    const old = ["a.ts", "/b.ts", "src\\c.ts", "src/d/e.ts"].map((path) => file(path, "modified"));
    const newer = Array.from({ length: MAX_LEDGER_ITEMS.modified }, (_, at) => file(`${at}`, "modified"));
    expect(mergeLedgerPair(withFiles(...old), withFiles(...newer)).folders.map(({ folder }) => folder)).toEqual([
      ".",
      "/",
      "src",
      "src/d",
    ]);
    const many = Array.from({ length: 100 }, (_, at) => ({ folder: `${at}`, read: 1, modified: 0 }));
    const { folders } = mergeLedgerPair({ ...emptyLedger, folders: many }, emptyLedger);
    expect([folders.length, folders[0], folders.at(-1)?.folder]).toEqual([
      60,
      { folder: ".", read: 41, modified: 0 },
      "99",
    ]);
  });

  test("LED3 counts stay safe integers", () => {
    let all: Ledger = { ...emptyLedger, folders: [{ folder: ".", read: 999_999_999, modified: 1 }] };
    for (let at = 0; at < 3; at++) all = mergeLedgerPair(all, all);
    expect(all.folders).toEqual([{ folder: ".", read: 999_999_999, modified: 8 }]);
  });

  test("LED3 merging takes linear time", () => {
    const [small, large] = [fullLedger(1_000, name), fullLedger(4_000, name)];
    expectLinearTime(
      () => mergeLedgerPair(small, small),
      () => mergeLedgerPair(large, large),
    );
  });
});

test("LED5 an empty session has an empty ledger", () => expect(collectLedger([])).toEqual(emptyLedger));

function sizes(each: Ledger): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(each).map(([list, items]) => [list, items.length]));
}
