/** Tests ledger/ledger.ts: merge, newest items. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ledgerOf } from "../../src/ledger/collect-ledger.ts";
import {
  emptyLedger,
  type Ledger,
  type LedgerCommand,
  type LedgerFile,
  MOST,
  mergedLedgers,
  newestCommands,
  newestFound,
} from "../../src/ledger/ledger.ts";
import { onlyLooks } from "../../src/ledger/shell-command.ts";
import { expectLinear } from "../context/linear.ts";
import { fullLedger, ledgerFrom } from "./ledgers.ts";

describe("merge", () => {
  const word = fc.constantFrom("a", "b", "c d", "src/a", "src/b", "error 1", "error 2", "cat a", "make");
  const ledger = ledgerFrom(word).map((each) => mergedLedgers(emptyLedger, each));
  const file = (path: string, did: LedgerFile["did"], entryId: string): LedgerFile => ({ path, did, entryId });
  const withFiles = (...files: readonly LedgerFile[]): Ledger => ({ ...emptyLedger, files });

  test("LED2 merging is associative while under the bounds, and nothing is its neutral element", () => {
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

  test("LED2 LED5 a file stands at its newest touch, and stays modified with the entry that modified it last", () => {
    const older = withFiles(file("a", "modified", "e1"), file("b", "read", "e2"), file("c", "modified", "e3"));
    const newer = withFiles(file("a", "read", "e4"), file("b", "modified", "e5"));
    expect(mergedLedgers(older, newer).files).toEqual([
      file("c", "modified", "e3"),
      file("a", "modified", "e1"),
      file("b", "modified", "e5"),
    ]);
  });

  test("the same command, error, line or reference again takes the place of the older one", () => {
    const said = (entryId: string, number: number): Ledger => ({
      ...emptyLedger,
      commands: [{ command: "make", exitCode: number, entryId }],
      errors: [{ text: `error: line ${number}`, entryId }],
      lines: [{ text: "done", entryId }],
      references: [{ kind: "id", text: "#1", entryId }],
    });
    expect(mergedLedgers(said("e1", 1), said("e2", 2))).toEqual(said("e2", 2));
  });

  describe("LED3 the ledger is bounded for ever", () => {
    const name = (at: number): string => `word ${[...String(at)].map((digit) => "abcdefghij"[Number(digit)]).join("")}`;

    test("LED3 a hundred full ledgers are no longer than one, and nothing is lost from the count", () => {
      let all = emptyLedger;
      for (let round = 0; round < 100; round++) {
        const files = Array.from({ length: 300 }, (_, at) =>
          file(`src/${round}/${at}.ts`, at % 3 ? "modified" : "read", "e1"),
        );
        all = mergedLedgers(all, { ...fullLedger(100, (at) => name(round * 100 + at)), files, folders: [] });
      }
      const count = (did: LedgerFile["did"]): number =>
        all.files.filter((each) => each.did === did).length + all.folders.reduce((sum, each) => sum + each[did], 0);
      expect({ ...sizes(all), modified: count("modified"), read: count("read") }).toEqual({
        files: MOST.modified + MOST.read,
        folders: MOST.folders,
        commands: MOST.commands,
        errors: MOST.errors,
        lines: MOST.lines,
        references: MOST.references,
        images: MOST.images,
        modified: 20_000,
        read: 10_000,
      });
    });

    test("LED3 the newest are kept, and reading pushes out no file that was modified", () => {
      const read = Array.from({ length: 500 }, (_, at) => file(`read/${at}`, "read", "e2"));
      const { files, folders } = mergedLedgers(withFiles(file("a", "modified", "e1")), withFiles(...read));
      expect(files.map(({ path }) => path)).toEqual(["a", ...read.slice(-MOST.read).map(({ path }) => path)]);
      expect(folders).toEqual([{ folder: "read", read: 500 - MOST.read, modified: 0 }]);
    });

    test("LED3 looking pushes out no command that did something", () => {
      const looks = Array.from({ length: 100 }, (_, at) => ({ command: `cat ${at}`, exitCode: 0, entryId: "e2" }));
      const made = { command: "make", exitCode: 0, entryId: "e1" };
      const { commands } = mergedLedgers({ ...emptyLedger, commands: [made] }, { ...emptyLedger, commands: looks });
      expect(commands).toEqual([made, ...looks.slice(-MOST.looks)]);
    });

    test("LED3 files are rolled up by folder, of either kind of slash, and the oldest folders under the top", () => {
      const old = ["a.ts", "/b.ts", "src\\c.ts", "src/d/e.ts"].map((path) => file(path, "modified", "e1"));
      const newer = Array.from({ length: MOST.modified }, (_, at) => file(`${at}`, "modified", "e2"));
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

  test("an empty session has an empty ledger", () => expect(ledgerOf([])).toEqual(emptyLedger));

  function sizes(each: Ledger): Readonly<Record<string, number>> {
    return Object.fromEntries(Object.entries(each).map(([list, items]) => [list, items.length]));
  }
});

describe("newest items", () => {
  const sources = fc.array(fc.array(fc.nat(12), { maxLength: 4 }), { maxLength: 40 });

  test("LED3 the newest that are found from the end are the newest of all", () => {
    fc.assert(
      fc.property(sources, fc.integer({ min: 1, max: 15 }), (all, most) => {
        const items = all.map((numbers, at) => numbers.map((number, index) => ({ number, at, index })));
        const by = ({ number }: { readonly number: number }): string => String(number);
        const plain = lastOfEach(items.flat(), by).slice(-most);
        expect(newestFound(items, { find: (each) => each, by, most })).toEqual(plain);
      }),
    );
  });

  test("LED3 the newest commands of both kinds are those of all", () => {
    const command = fc
      .tuple(fc.constantFrom("cat", "make"), fc.nat(90), fc.nat(9))
      .map(([program, number, exitCode]) => ({ command: `${program} ${number}`, exitCode, entryId: `e${number}` }));
    fc.assert(
      fc.property(fc.array(fc.array(command, { maxLength: 30 }), { maxLength: 30, size: "max" }), (all) => {
        const each = lastOfEach(all.flat(), ({ command: line }) => line);
        const looks = each.filter(({ command: line }) => onlyLooks(line)).slice(-MOST.looks);
        const deeds = each.filter(({ command: line }) => !onlyLooks(line)).slice(-MOST.commands);
        const plain = each.filter((item) => [...looks, ...deeds].includes(item));
        expect(newestCommands<readonly LedgerCommand[]>(all, (items) => items)).toEqual(plain);
      }),
    );
  });

  test("LED3 what lies before a full list is not looked at", () => {
    const looked: number[] = [];
    const find = (at: number): readonly string[] => {
      looked.push(at);
      return [`a${at}`, `b${at}`];
    };
    const found = newestFound([0, 1, 2, 3, 4], { find, by: (text) => text, most: 3 });
    expect({ found, looked }).toEqual({ found: ["b3", "a4", "b4"], looked: [4, 3] });
  });

  function lastOfEach<Item>(items: readonly Item[], by: (item: Item) => string): readonly Item[] {
    return items.filter((item, at) => items.findLastIndex((other) => by(other) === by(item)) === at);
  }
});
