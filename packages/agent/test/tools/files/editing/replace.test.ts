/** Replacements in a text, without a disk: what is asked for loosely comes out as if it had been asked for exactly. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { replace } from "../../../../src/tools/files/editing/replace.ts";
import { bytesWith, textFile } from "../../../../src/tools/files/editing/text-file.ts";

function after(file: string, oldText: string, newText: string): string {
  const parts = textFile(new TextEncoder().encode(file));
  if (!parts) throw new Error("it is no text");
  const replaced = replace(parts.text, [{ oldText, newText }]);
  if (replaced.type === "refused") return replaced.objections.join("\n");
  return Buffer.from(bytesWith(parts, replaced.splices)).toString();
}

const someLine = fc.record({ depth: fc.nat(4), word: fc.constantFrom("if (a) {", "b = “c”;", "}", "d’s e") });
const block = fc.array(someLine, { minLength: 1, maxLength: 6 });

test("FILE6 lines asked for with other white space and plain signs become what the exact edit makes of them", () => {
  fc.assert(
    fc.property(
      block,
      block,
      block,
      fc.constantFrom(2, 4, 8),
      fc.constantFrom("\n", "\r\n"),
      (before, old, fresh, width, end) => {
        const tabbed = (lines: typeof old, name: string) =>
          lines.map(({ depth, word }, at) => `${"\t".repeat(depth)}${word} // ${name}${at}`);
        const blank = (lines: readonly string[]) =>
          lines.map((line) => line.replace(/^\t+/, (tabs) => " ".repeat(width * tabs.length)));
        // Its indentation is the only sign of how wide a tab is meant to be.
        const there = tabbed([{ depth: 1, word: "if (a) {" }, ...old], "old");
        const wanted = tabbed(fresh, "new");
        const file = [...tabbed(before, "before"), ...there, "last", ""].join(end);
        const loose = blank(there)
          .map((line) => `${line}  `)
          .join("\n")
          .replace(/[“”]/g, '"')
          .replace(/’/g, "'");
        expect(after(file, loose, blank(wanted).join("\n"))).toBe(after(file, there.join("\n"), wanted.join("\n")));
      },
    ),
    { numRuns: 500 },
  );
});

test("FILE7 any UTF-8 comes back byte for byte", () => {
  const anything = fc.string({
    unit: fc.oneof(fc.constantFrom("\r", "\n", "\r\n", "\ufeff", "\0"), fc.string({ unit: "binary", maxLength: 1 })),
  });
  fc.assert(
    fc.property(anything, (text) => {
      const bytes = new TextEncoder().encode(text);
      const file = textFile(bytes);
      expect(file && Buffer.from(bytesWith(file, [])).equals(bytes)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
