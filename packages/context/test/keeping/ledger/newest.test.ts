/** Proves that looking from the end finds what looking at all finds, and looks no further than it must. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { type LedgerCommand, MOST } from "../../../src/keeping/ledger/ledger.ts";
import { newestFound } from "../../../src/keeping/ledger/newest.ts";
import { newestCommands } from "../../../src/keeping/ledger/newest-commands.ts";
import { onlyLooks } from "../../../src/reading/tools/shell-files.ts";

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
