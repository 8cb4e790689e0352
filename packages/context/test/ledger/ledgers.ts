/** Ledgers for tests: random ones, whole or hostile, and one that is as full as can be. */

import fc from "fast-check";
import type { Ledger } from "../../src/ledger/ledger.ts";

/** Of items that are made from the given texts. */
export function ledgerFrom(word: fc.Arbitrary<string>): fc.Arbitrary<Ledger> {
  const maybe = fc.option(word);
  const did = fc.constantFrom("read" as const, "modified" as const);
  const kind = fc.constantFrom("url" as const, "commit" as const, "id" as const);
  const few = { maxLength: 6 };
  const line = fc.record({ text: word, entryId: word });
  return fc.record({
    files: fc.uniqueArray(fc.record({ path: word, did, entryId: word }), { ...few, selector: ({ path }) => path }),
    folders: fc.uniqueArray(fc.record({ folder: word, read: fc.nat(9), modified: fc.nat(9) }), {
      ...few,
      selector: ({ folder }) => folder,
    }),
    commands: fc.array(fc.record({ command: word, exitCode: fc.option(fc.nat(9)), entryId: word }), few),
    errors: fc.array(line, few),
    lines: fc.array(line, few),
    references: fc.array(fc.record({ kind, text: word, entryId: word }), few),
    images: fc.array(fc.record({ handle: word, size: maybe, path: maybe, caption: maybe, entryId: word }), few),
  });
}

/** So many of everything; the word of an item is made from its number. */
export function fullLedger(count: number, word: (at: number) => string): Ledger {
  const each = <Item>(item: (text: string) => Item): readonly Item[] =>
    Array.from({ length: count }, (_, at) => item(word(at)));
  return {
    files: [
      ...each((path) => ({ path: `${path}.md`, did: "read" as const, entryId: "e1" })),
      ...each((path) => ({ path: `${path}.ts`, did: "modified" as const, entryId: "e2" })),
    ],
    folders: each((folder) => ({ folder, read: 2, modified: 3 })),
    commands: each((command) => ({ command, exitCode: 0, entryId: "e3" })),
    errors: each((text) => ({ text, entryId: "e4" })),
    lines: each((text) => ({ text, entryId: "e5" })),
    references: each((text) => ({ kind: "id" as const, text, entryId: "e6" })),
    images: each((handle) => ({ handle, size: "8x6", path: "a.png", caption: "a", entryId: "e7" })),
  };
}
