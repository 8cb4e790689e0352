/** Tests tools/edit/edit.ts: edit, preview. */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { FileReadResult } from "../../../src/ports.ts";
import { previewChange } from "../../../src/tools/edit/edit.ts";
import { createFileTools, outputText } from "../../support/file-tools.ts";
import { type EditCase, editCases } from "./edit-cases.ts";

describe("edit", () => {
  for (const [group, cases] of editCases) {
    describe(group, () => {
      for (const one of cases) test(`FILE6 edit has the expected result: ${one.name}`, () => holds(one));
    });
  }

  test("FILE6 the corpus has at least a hundred cases, each with its own name", () => {
    const names = editCases.flatMap(([, cases]) => cases.map(({ name }) => name));
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(100);
  });

  async function holds({ file, edits, becomes, refused, message: says }: EditCase): Promise<void> {
    const { root, put, run } = createFileTools();
    put("file.txt", file);
    const output = await run("edit", {
      path: "file.txt",
      edits: edits.map(([oldText, newText]) => ({ oldText, newText })),
    });
    const words = outputText(output);
    if (refused) expect(words).toMatch(refused);
    else expect(words).toMatch(/^Edited file\.txt: /);
    expect(output.isError === true).toBe(refused !== undefined);
    if (says) expect(words).toMatch(says);
    // Whole files are compared as bytes: a difference of a megabyte is not worth printing.
    const wanted = Buffer.from(becomes ?? file);
    const there = readFileSync(join(root, "file.txt"));
    expect(wanted.length < 1_000 ? there.toString() : there.equals(wanted)).toEqual(
      wanted.length < 1_000 ? wanted.toString() : true,
    );
    expect(words.length).toBeLessThan(6_000);
  }

  const body = fc.string({
    unit: fc.constantFrom("a", "b", "\t", " ", "😀", "é", "“", '"', "$&", "\\", "{", "}"),
    maxLength: 8,
  });
  const someFile = fc.record({
    /** Every line begins with its number, so that each is there once. */
    lines: fc.array(fc.record({ body, isWindows: fc.boolean() }), { minLength: 1, maxLength: 30 }),
    style: fc.constantFrom("plain", "windows", "mixed"),
    hasMark: fc.boolean(),
    endsWithBreak: fc.boolean(),
  });
  const someChanges = fc.array(
    fc.record({
      line: fc.nat(29),
      lines: fc.integer({ min: 1, max: 4 }),
      cut: fc.nat(3),
      instead: fc.array(body, { maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 6 },
  );

  interface Kept {
    /** What stands before, between and behind the replacements: one piece more than there are edits. */
    readonly outside: readonly string[];
    readonly edits: readonly { readonly oldText: string; readonly newText: string }[];
  }

  test("FILE7 for random texts and edits the result is a plain splice, and no other byte changes", async () => {
    const { put, text, run } = createFileTools();
    let made = 0;
    await fc.assert(
      fc.asyncProperty(someFile, someChanges, fc.boolean(), async (file, changes, isBackwards) => {
        const { outside, edits } = cutOut(rawLines(file), changes);
        if (edits.length === 0) return;
        put("file.txt", outside.flatMap((piece, at) => [piece, edits[at]?.oldText ?? ""]).join(""));
        await run("read", { path: "file.txt" });
        const output = await run("edit", { path: "file.txt", edits: isBackwards ? edits.toReversed() : edits });
        expect(outputText(output)).toMatch(/^Edited/);
        // One line without an end says nothing about how the next should end.
        const style = !outside.concat(oldTexts(edits)).some(hasBreak) ? "mixed" : file.style;
        const ends = { plain: "\n", windows: "\r\n", mixed: "(?:\n|\r\n)" }[style];
        const wanted = outside.flatMap((piece, at) => [
          escaped(piece),
          escaped(edits[at]?.newText ?? "").replaceAll("\n", ends),
        ]);
        expect(text("file.txt")).toMatch(new RegExp(`^${wanted.join("")}$`));
        made += edits.length;
      }),
      { numRuns: 400 },
    );
    expect(made).toBeGreaterThan(400);
  });

  function rawLines({ lines, style, hasMark, endsWithBreak }: SomeFile): readonly string[] {
    return lines.map(({ body, isWindows }, at) => {
      const end = style === "windows" || (style === "mixed" && isWindows) ? "\r\n" : "\n";
      const isLast = at === lines.length - 1;
      return `${hasMark && at === 0 ? "\ufeff" : ""}@${at}:${body}${isLast && !endsWithBreak ? "" : end}`;
    });
  }

  type SomeFile = typeof someFile extends fc.Arbitrary<infer Value> ? Value : never;
  type SomeChanges = typeof someChanges extends fc.Arbitrary<infer Value> ? Value : never;

  /** Stretches of whole lines, the last of them perhaps cut short. */
  function cutOut(lines: readonly string[], changes: SomeChanges): Kept {
    const outside: string[] = [];
    const edits: { oldText: string; newText: string }[] = [];
    let done = 0;
    let rest = "";
    const placedChanges = changes.map((change) => ({ ...change, line: change.line % lines.length }));
    for (const { line, lines: count, cut, instead } of placedChanges.sort((one, other) => one.line - other.line)) {
      if (line < done) continue;
      const last = Math.min(line + count, lines.length) - 1;
      const [mark = "", ...stretch] =
        /^(\ufeff?)([\s\S]*?)(\r?\n)?$/.exec(lines.slice(line, last + 1).join(""))?.slice(1) ?? [];
      const whole = stretch[0] ?? "";
      const name = whole.lastIndexOf(":") + 1;
      const oldText = whole.slice(0, name) + [...whole.slice(name)].slice(0, cut).join("");
      outside.push(rest + lines.slice(done, line).join("") + mark);
      edits.push({ oldText, newText: instead.join("\n") });
      rest = whole.slice(oldText.length) + (stretch[1] ?? "");
      done = last + 1;
    }
    return { outside: [...outside, rest + lines.slice(done).join("")], edits };
  }

  function oldTexts(edits: Kept["edits"]): string[] {
    return edits.map(({ oldText }) => oldText);
  }

  function hasBreak(text: string): boolean {
    return text.includes("\n");
  }

  function escaped(text: string): string {
    return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  }

  function isOnce(text: string, part: string): boolean {
    const first = text.indexOf(part);
    return part !== "" && first >= 0 && text.indexOf(part, first + 1) < 0;
  }

  describe("a file", () => {
    const edits = [{ oldText: "a", newText: "b" }];

    test("FILE8 that changed since it was read is edited if oldText occurs exactly once, and the result notes the change", async () => {
      const { put, text, run } = createFileTools();
      put("file.txt", "const a=1\nconst b=2\n");
      await run("read", { path: "file.txt" });
      // A formatter, for example.
      put("file.txt", "const a = 1;\nconst b=2\n");
      const edited = await run("edit", { path: "file.txt", edits: [{ oldText: "const b=2", newText: "const b=3" }] });
      expect(edited.isError).not.toBe(true);
      expect(outputText(edited)).toContain(
        "The file has changed since it was read; lines that you have not seen may differ.",
      );
      expect(text("file.txt")).toBe("const a = 1;\nconst b=3\n");
      // The model still does not know the whole file.
      expect(await run("write", { path: "file.txt", content: "all of it\n" })).toMatchObject({ isError: true });
    });

    test.each([
      [
        "occurs several times",
        "a changed\n",
        "oldText occurs 2 times, in lines 1, 1; add surrounding lines until it occurs once",
      ],
      ["is gone", "else\n", "oldText was not found, and no similar lines exist"],
    ])(
      "FILE8 that changed since it was read is not edited if oldText %s, and the error asks to read it again",
      async (_, now, why) => {
        const { put, text, run } = createFileTools();
        put("file.txt", "a\n");
        await run("read", { path: "file.txt" });
        put("file.txt", now);
        const refused = await run("edit", { path: "file.txt", edits });
        expect(refused).toMatchObject({ isError: true });
        const advice = "The file has changed since it was read; read it again.";
        expect(outputText(refused)).toBe(`file.txt was not changed: ${why}\n${advice}`);
        expect(text("file.txt")).toBe(now);
      },
    );

    test("FILE8 that changed since it was read is not edited if oldText only resembles its text", async () => {
      const { put, text, run } = createFileTools();
      put("file.txt", "say('x')\n");
      await run("read", { path: "file.txt" });
      put("file.txt", "say(\u2018x\u2019)\n");
      const refused = await run("edit", { path: "file.txt", edits: [{ oldText: "say('x')", newText: "c()" }] });
      expect(outputText(refused)).toBe(
        "file.txt was not changed: edits[0].oldText matches only if typographic characters are ignored.\nThe file has changed since it was read; read it again.",
      );
      expect(text("file.txt")).toBe("say(\u2018x\u2019)\n");
    });

    test("FILE8 that the model itself wrote or edited does not count as changed", async () => {
      const { text, run } = createFileTools();
      await run("write", { path: "file.txt", content: "a\n" });
      await run("edit", { path: "./file.txt", edits });
      await run("edit", { path: "file.txt", edits: [{ oldText: "b", newText: "c" }] });
      expect(text("file.txt")).toBe("c\n");
    });

    test("FILE8 that was never read is edited if oldText occurs in it", async () => {
      const { put, text, run } = createFileTools();
      put("file.txt", "a\n");
      expect(outputText(await run("edit", { path: "file.txt", edits }))).toBe(
        "Edited file.txt: 1 replacement at line 1; +1 -1.",
      );
      expect(text("file.txt")).toBe("b\n");
    });
  });

  test("FILE9 that gets several edits at once is edited one after the other", async () => {
    const { put, text, run } = createFileTools();
    const letters = [..."abcdefghijklmnopqrst"];
    put("file.txt", letters.join("\n"));
    const outputs = await Promise.all(
      letters.map((letter) =>
        run("edit", { path: "file.txt", edits: [{ oldText: letter, newText: letter.toUpperCase() }] }),
      ),
    );
    expect(outputs.every(({ isError }) => isError !== true)).toBe(true);
    expect(text("file.txt")).toBe(letters.join("\n").toUpperCase());
  });

  describe("the result", () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`).join("");

    test("FILE10 has a unified diff and the hashes of both versions in its details", async () => {
      const { root, put, run } = createFileTools();
      put("file.txt", lines);
      const edits = [
        { oldText: "line 5\n", newText: "" },
        { oldText: "line 9\n", newText: "line 9\nline 9.5\n" },
        { oldText: "line 30\n", newText: "LINE 30\n" },
      ];
      const output = await run("edit", { path: "file.txt", edits });
      expect(outputText(output)).toBe("Edited file.txt: 3 replacements at lines 5, 10, 30; +2 -2.");
      const { diff, pith } = output.details as { readonly diff: string; readonly pith: unknown };
      expect(pith).toEqual({
        path: join(root, "file.txt"),
        before: "abf1f49fd0950dcb863dd5555604f8fb05035e5c03393da0ead0616d32bd6578",
        after: "cc8371d3d5d8c7aa6308cbeb1c8068f106d586866f2709b7a4bb9a9d732e7fcf",
      });
      expect({ diff }).toMatchInlineSnapshot(`
      {
        "diff": "--- file.txt
      +++ file.txt
      @@ -2,11 +2,11 @@
       line 2
       line 3
       line 4
      -line 5
       line 6
       line 7
       line 8
       line 9
      +line 9.5
       line 10
       line 11
       line 12
      @@ -27,7 +27,7 @@
       line 27
       line 28
       line 29
      -line 30
      +LINE 30
       line 31
       line 32
       line 33
      ",
      }
    `);
    });

    test("FILE10 has a diff that turns the old file into the new one with another program", async () => {
      const { root, put, text, run } = createFileTools();
      const words = fc.array(fc.constantFrom("a", "b", "c", "d", "e f", ""), { minLength: 1, maxLength: 40 });
      const ending = fc.constantFrom("", "\n");
      await fc.assert(
        fc.asyncProperty(
          words,
          ending,
          fc.array(fc.nat(39), { minLength: 1, maxLength: 3 }),
          words,
          async (old, end, at, instead) => {
            const numbered = old.map((word, line) => `${line}. ${word}`);
            const edits = [...new Set(at)]
              .filter((line) => line < old.length)
              .map((line) => ({ oldText: numbered[line] ?? "", newText: instead.slice(0, 5).join("\n") }))
              .filter(({ oldText }) => isOnce(numbered.join("\n"), oldText));
            if (edits.length === 0) return;
            put("file.txt", numbered.join("\n") + end);
            put("old.txt", numbered.join("\n") + end);
            await run("read", { path: "file.txt" });
            const { details } = await run("edit", { path: "file.txt", edits });
            writeFileSync(join(root, "diff"), String((details as { diff: string }).diff));
            execFileSync("patch", ["-s", "--posix", "old.txt", "diff"], { cwd: root });
            expect(text("old.txt")).toBe(text("file.txt"));
          },
        ),
        { numRuns: 40 },
      );
    });

    test("FILE10 marks only the two differing lines of ten replaced lines as changed", async () => {
      const { put, run } = createFileTools();
      put("file.txt", lines);
      const oldText = Array.from({ length: 10 }, (_, at) => `line ${at + 11}`).join("\n");
      const newText = oldText.replace("line 12", "LINE 12").replace("line 19", "LINE 19");
      const output = await run("edit", { path: "file.txt", edits: [{ oldText, newText }] });
      expect(outputText(output)).toBe("Edited file.txt: 1 replacement at lines 12, 19; +2 -2.");
      const { diff } = output.details as { readonly diff: string };
      expect(diff.split("\n").filter((line) => /^[-+](?![-+])/.test(line))).toEqual([
        ...["-line 12", "+LINE 12", "-line 19", "+LINE 19"],
      ]);
    });

    test("FILE10 shows a small change in a huge file, and a change of very many lines as a whole", async () => {
      const { put, run } = createFileTools();
      const huge = Array.from({ length: 400_000 }, (_, at) => `line ${at} of a long file\n`).join("");
      put("file.txt", huge);
      const edits = [
        { oldText: "line 7 of a long file", newText: "LINE 7" },
        { oldText: "line 399990 of a long file", newText: "LINE 399990" },
      ];
      const few = await run("edit", { path: "file.txt", edits });
      expect(outputText(few)).toBe("Edited file.txt: 2 replacements at lines 8, 399991; +2 -2.");
      const oldText = huge.slice(huge.indexOf("line 1000 "), huge.indexOf("line 60000 "));
      const { createUnifiedDiff } = await import("../../../src/tools/edit/unified-diff.ts");
      const splices = [{ start: 0, end: oldText.length, text: oldText.replaceAll("long", "very long") }];
      const many = await createUnifiedDiff({ path: "file.txt", text: oldText, splices });
      // Compared line by line, they would alternate. So many are not compared, which is what bounds the time.
      expect(many).toMatchObject({ added: 59_000, removed: 59_000, changedLines: [1] });
    });

    test("FILE10 has the same diff on a slow machine", async () => {
      const { put, run } = createFileTools();
      put("file.txt", lines);
      const edit = { path: "file.txt", oldText: "line 12", newText: "LINE 12" };
      let now = 0;
      const clock = vi.spyOn(Date, "now").mockImplementation(() => (now += 1_000));
      onTestFinished(() => clock.mockRestore());
      const output = await run("edit", edit);
      expect(outputText(output)).toBe("Edited file.txt: 1 replacement at line 12; +1 -1.");
    });

    test("FILE10 has a diff of limited size for a large change", async () => {
      const { put, run } = createFileTools();
      put("file.txt", "a\n");
      const { details } = await run("edit", {
        path: "file.txt",
        edits: [{ oldText: "a", newText: "b\n".repeat(50_000) }],
      });
      expect(String((details as { diff: string }).diff).length).toBeLessThan(17_000);
    });
  });

  describe("arguments", () => {
    test.each([
      ["a list in a JSON string", { edits: JSON.stringify([{ oldText: "a", newText: "b" }]) }],
      ["one edit without a list", { edits: { oldText: "a", newText: "b" } }],
      ["oldText and newText beside the path", { oldText: "a", newText: "b" }],
    ])("FILE11 edits given as %s are accepted", async (_, input) => {
      const { put, text, run } = createFileTools();
      put("file.txt", "a\n");
      await run("edit", { path: "file.txt", ...input });
      expect(text("file.txt")).toBe("b\n");
    });

    test.each([
      [{ edits: [{ oldText: "a", newText: "b" }] }, "path is missing: give the path of a file"],
      [{ path: "file.txt" }, "edits is empty: give at least one { oldText, newText }"],
      [{ path: "file.txt", edits: Array(101).fill({}) }, "edits has 101 entries; the limit is 100 in one call"],
      [{ path: "file.txt", edits: "[oops" }, "edits[0] must be { oldText, newText }, both text"],
      [{ path: "file.txt", edits: [{ oldText: "a" }] }, "edits[0] must be { oldText, newText }, both text"],
      [{ path: "gone.txt", edits: [{ oldText: "a", newText: "b" }] }, "gone.txt does not exist"],
      [{ path: ".", edits: [{ oldText: "a", newText: "b" }] }, /is a folder; it contains file\.txt$/],
    ])("FILE11 the input %j is refused with a message about the wrong argument", async (input, words) => {
      const { put, run } = createFileTools();
      put("file.txt", "a\n");
      const output = await run("edit", input);
      expect(output.isError).toBe(true);
      expect(outputText(output)).toEqual(typeof words === "string" ? words : expect.stringMatching(words));
    });
  });
});

describe("preview", () => {
  const texts: Readonly<Record<string, string | Uint8Array>> = {
    "/w/a.ts": "one\r\ntwo\r\nthree\r\n",
    "/w/picture.png": new Uint8Array([0xff, 0xfe, 0x00]),
  };

  const files = {
    resolve: (path: string) => `/w/${path}`,
    read: async (path: string): Promise<FileReadResult> => {
      const text = texts[path];
      if (text === undefined) return { type: "missing", message: "there is none" };
      return { type: "read", bytes: typeof text === "string" ? new TextEncoder().encode(text) : text };
    },
  };

  const previewed = (tool: string, input: Readonly<Record<string, unknown>>) =>
    previewChange({ tool, arguments: input, signal: new AbortController().signal }, { files });

  describe("MAN2 a preview computes the change without writing it", () => {
    test("for an edit", async () => {
      const edits = [
        { oldText: "three", newText: "3" },
        { oldText: "one\ntwo", newText: "one\nand two" },
      ];
      expect(await previewed("edit", { path: "a.ts", edits })).toEqual({
        path: "a.ts",
        before: "one\ntwo\nthree\n",
        after: "one\nand two\n3\n",
      });
    });

    test("for a whole file, new or existing", async () => {
      expect(await previewed("write", { path: "a.ts", content: "all new\n" })).toMatchObject({ after: "all new\n" });
      expect(await previewed("write", { path: "b.ts", content: "new\n" })).toEqual({
        path: "b.ts",
        before: null,
        after: "new\n",
      });
    });

    test("and is null if the change would fail or the file is not text", async () => {
      const edits = [{ oldText: "nowhere", newText: "x" }];
      expect(await previewed("edit", { path: "a.ts", edits })).toBe(null);
      expect(await previewed("edit", { path: "b.ts", edits })).toBe(null);
      expect(await previewed("edit", { path: "picture.png", edits })).toBe(null);
      expect(await previewed("write", { path: "a.ts" })).toBe(null);
      expect(await previewed("other", { path: "a.ts" })).toBe(null);
      expect(await previewed("edit", {})).toBe(null);
    });
  });
});
