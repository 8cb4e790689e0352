/** Creates ledgers for tests: random, hostile and full ones. */

import fc from "fast-check";
import type { Ledger } from "../../src/ledger/ledger.ts";

/** A random ledger whose items have the given texts. */
export function ledgerFrom(word: fc.Arbitrary<string>): fc.Arbitrary<Ledger> {
  const maybe = fc.option(word);
  const did = fc.constantFrom("read" as const, "modified" as const);
  const few = { maxLength: 6 };
  const check = fc.record({
    kind: fc.constantFrom("test" as const, "build" as const, "check" as const),
    command: word,
    exitCode: fc.option(fc.nat(9)),
    outcome: maybe,
  });
  const kind = fc.constantFrom("command" as const, "file" as const, "tool" as const);
  return fc.record({
    files: fc.uniqueArray(fc.record({ path: word, did }), { ...few, selector: ({ path }) => path }),
    folders: fc.uniqueArray(fc.record({ folder: word, read: fc.nat(9), modified: fc.nat(9) }), {
      ...few,
      selector: ({ folder }) => folder,
    }),
    checks: fc.array(check, { maxLength: 3 }),
    errors: fc.array(fc.record({ kind, source: word, text: word }), few),
    commits: fc.array(fc.record({ hash: fc.constantFrom(null, "0a1b2c3"), subject: word }), few),
    images: fc.array(fc.record({ handle: word, size: maybe, path: maybe, caption: maybe, entryId: word }), few),
  });
}

/** A ledger with this many items in each list; the text of an item is made from its number. */
export function fullLedger(count: number, word: (at: number) => string): Ledger {
  const each = <Item>(item: (text: string) => Item): readonly Item[] =>
    Array.from({ length: count }, (_, at) => item(word(at)));
  return {
    files: [
      ...each((path) => ({ path: `${path}.md`, did: "read" as const })),
      ...each((path) => ({ path: `${path}.ts`, did: "modified" as const })),
    ],
    folders: each((folder) => ({ folder, read: 2, modified: 3 })),
    checks: each((command) => ({ kind: "test" as const, command, exitCode: 0, outcome: "3 passed" })),
    errors: each((source) => ({ kind: "command" as const, source, text: "no such file" })),
    commits: each((subject) => ({ hash: "0a1b2c3", subject })),
    images: each((handle) => ({ handle, size: "8x6", path: "a.png", caption: "a", entryId: "e7" })),
  };
}
