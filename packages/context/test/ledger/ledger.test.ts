/** Tests ledger/ledger.ts: how ledgers are merged, and how long they may become. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ledgerOf } from "../../src/ledger/collect-ledger.ts";
import { emptyLedger, type Ledger, type LedgerFile, MOST, mergedLedgers } from "../../src/ledger/ledger.ts";
import { expectLinear } from "../context/linear.ts";
import { fullLedger, ledgerFrom } from "./ledgers.ts";

const word = fc.constantFrom("a", "b", "c d", "src/a", "src/b", "error 1", "error 2", "cat a", "make");
const ledger = ledgerFrom(word).map((each) => mergedLedgers(emptyLedger, each));
const file = (path: string, did: LedgerFile["did"]): LedgerFile => ({ path, did });
const withFiles = (...files: readonly LedgerFile[]): Ledger => ({ ...emptyLedger, files });

test("LED2 merging is associative while under the bounds, and an empty ledger changes nothing", () => {
  fc.assert(
    fc.property(ledger, ledger, ledger, (one, two, three) => {
      const inOrder = mergedLedgers(mergedLedgers(one, two), three);
      expect(mergedLedgers(one, mergedLedgers(two, three))).toEqual(inOrder);
      expect(mergedLedgers(emptyLedger, one)).toEqual(one);
      expect(mergedLedgers(one, emptyLedger)).toEqual(one);
    }),
  );
});

test("LED2 INV41 ten merges give the files that one merge gives", () => {
  fc.assert(
    fc.property(fc.array(ledgerFrom(word), { maxLength: 10 }), (parts) => {
      const steps = parts.reduce(mergedLedgers, emptyLedger);
      const once = mergedLedgers(emptyLedger, withFiles(...parts.flatMap(({ files }) => files)));
      expect(steps.files).toEqual(once.files);
    }),
  );
});

test("LED2 a file stands at its newest touch, and a modified file stays modified", () => {
  const older = withFiles(file("a", "modified"), file("b", "read"), file("c", "modified"));
  const newer = withFiles(file("a", "read"), file("b", "modified"));
  expect(mergedLedgers(older, newer).files).toEqual([
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
  expect(mergedLedgers(make(1, "0a1b2c3"), make(2, "3c2b1a0"))).toEqual(make(2, "3c2b1a0"));
});

describe("LED3 the ledger is bounded", () => {
  const name = (at: number): string => `word ${[...String(at)].map((digit) => "abcdefghij"[Number(digit)]).join("")}`;

  test("LED3 a hundred full ledgers are no longer than one, and no file is lost from the count", () => {
    let all = emptyLedger;
    for (let round = 0; round < 100; round++) {
      const files = Array.from({ length: 300 }, (_, at) => file(`src/${round}/${at}.ts`, at % 3 ? "modified" : "read"));
      all = mergedLedgers(all, { ...fullLedger(100, (at) => name(round * 100 + at)), files, folders: [] });
    }
    const count = (did: LedgerFile["did"]): number =>
      all.files.filter((each) => each.did === did).length + all.folders.reduce((sum, each) => sum + each[did], 0);
    expect({ ...sizes(all), modified: count("modified"), read: count("read") }).toEqual({
      files: MOST.modified + MOST.read,
      folders: MOST.folders,
      checks: 1,
      errors: MOST.errors,
      commits: MOST.commits,
      images: MOST.images,
      modified: 20_000,
      read: 10_000,
    });
  });

  test("LED3 sixty modified files are listed one by one; of more the newest, and reading pushes out none", () => {
    const modified = Array.from({ length: 60 }, (_, at) => file(`src/${at}`, "modified"));
    const read = Array.from({ length: 500 }, (_, at) => file(`read/${at}`, "read"));
    const { files, folders } = mergedLedgers(withFiles(...modified), withFiles(...read));
    expect(files).toEqual([...modified, ...read.slice(-MOST.read)]);
    expect(folders).toEqual([{ folder: "read", read: 500 - MOST.read, modified: 0 }]);
    const more = mergedLedgers(withFiles(...modified), withFiles(file("new", "modified")));
    expect(more.files).toEqual([...modified.slice(1), file("new", "modified")]);
    expect(more.folders).toEqual([{ folder: "src", read: 0, modified: 1 }]);
  });

  test("LED3 files are rolled up by folder, of either kind of slash, and the oldest folders under the top", () => {
    const old = ["a.ts", "/b.ts", "src\\c.ts", "src/d/e.ts"].map((path) => file(path, "modified"));
    const newer = Array.from({ length: MOST.modified }, (_, at) => file(`${at}`, "modified"));
    expect(mergedLedgers(withFiles(...old), withFiles(...newer)).folders.map(({ folder }) => folder)).toEqual([
      ".",
      "/",
      "src",
      "src/d",
    ]);
    const many = Array.from({ length: 100 }, (_, at) => ({ folder: `${at}`, read: 1, modified: 0 }));
    const { folders } = mergedLedgers({ ...emptyLedger, folders: many }, emptyLedger);
    expect([folders.length, folders[0], folders.at(-1)?.folder]).toEqual([
      60,
      { folder: ".", read: 41, modified: 0 },
      "99",
    ]);
  });

  test("LED3 counts stay numbers", () => {
    let all: Ledger = { ...emptyLedger, folders: [{ folder: ".", read: 999_999_999, modified: 1 }] };
    for (let at = 0; at < 3; at++) all = mergedLedgers(all, all);
    expect(all.folders).toEqual([{ folder: ".", read: 999_999_999, modified: 8 }]);
  });

  test("LED3 merging takes time in proportion to what is merged", () => {
    const [small, large] = [fullLedger(1_000, name), fullLedger(4_000, name)];
    expectLinear(
      () => mergedLedgers(small, small),
      () => mergedLedgers(large, large),
    );
  });
});

test("LED5 an empty session has an empty ledger", () => expect(ledgerOf([])).toEqual(emptyLedger));

function sizes(each: Ledger): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(each).map(([list, items]) => [list, items.length]));
}
