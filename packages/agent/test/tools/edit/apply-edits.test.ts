/** Tests replacements in a text without files: a loose match gives the same result as an exact one. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { applyEdits } from "../../../src/tools/edit/apply-edits.ts";
import { joinWithSplices, parseTextFile } from "../../../src/tools/edit/text-file.ts";
import { decodeFile, encodeText } from "../../../src/tools/text-encoding.ts";

const { signal } = new AbortController();

async function after(file: string, oldText: string, newText: string): Promise<string> {
  const parts = parseTextFile(file);
  const replaced = await applyEdits(parts.text, [{ oldText, newText }], { signal });
  if (replaced.type === "refused") return replaced.problems.join("\n");
  return joinWithSplices(parts, replaced.splices);
}

const someLine = fc.record({ depth: fc.nat(4), word: fc.constantFrom("if (a) {", "b = “c”;", "}", "d’s e") });
const block = fc.array(someLine, { minLength: 1, maxLength: 6 });

test("FILE6 an edit with other white space and plain quotes gives the same file as the exact edit", async () => {
  await fc.assert(
    fc.asyncProperty(
      block,
      block,
      block,
      fc.constantFrom(2, 4, 8),
      fc.constantFrom("\n", "\r\n"),
      async (before, old, fresh, width, end) => {
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
        const exact = await after(file, there.join("\n"), wanted.join("\n"));
        expect(await after(file, loose, blank(wanted).join("\n"))).toBe(exact);
      },
    ),
    { numRuns: 500 },
  );
});

test("FILE7 any UTF-8 text is decoded and encoded without a changed byte", async () => {
  const anything = fc.string({
    unit: fc.oneof(fc.constantFrom("\r", "\n", "\r\n", "\ufeff", "\0"), fc.string({ unit: "binary", maxLength: 1 })),
  });
  await fc.assert(
    fc.asyncProperty(anything, async (text) => {
      const bytes = new TextEncoder().encode(text);
      const { text: whole, encoding } = (await decodeFile(bytes)) ?? { text: "", encoding: "" };
      const encoded = await encodeText(joinWithSplices(parseTextFile(whole), []), encoding);
      expect(encoded.type === "encoded" && Buffer.from(encoded.bytes).equals(bytes)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

const misses = (count: number) => Array.from({ length: count }, (_, at) => ({ oldText: `none ${at}`, newText: "" }));

test("FILE24 after five edits that are not found, the others are not looked up", async () => {
  const refused = await applyEdits("one\n", misses(50), { signal });
  expect(refused.type === "refused" && refused.problems).toHaveLength(6);
  expect(refused.type === "refused" && refused.problems.at(-1)).toBe("edits[5] and later edits were not checked");
  const fewer = await applyEdits("one\n", misses(5), { signal });
  expect(fewer.type === "refused" && fewer.problems).toHaveLength(5);
});

test("FILE24 looking up edits yields to other work, and can be aborted", async () => {
  const { signal, abort } = controller();
  setImmediate(abort);
  const text = "line\n".repeat(100_000);
  await expect(applyEdits(text, misses(5), { signal })).rejects.toThrow("aborted");
});

function controller(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const one = new AbortController();
  return { signal: one.signal, abort: () => one.abort() };
}

test("FILE24 a long text that repeats itself does not slow the search down", async () => {
  const oldText = `${"a\n".repeat(200_000)}b`;
  const refused = await applyEdits(" a\n".repeat(400_000), [{ oldText, newText: "" }], { signal });
  expect(refused.type).toBe("refused");
});
