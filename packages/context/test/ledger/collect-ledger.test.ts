/** What the ledger takes from entries: files, commands, errors, lines, references and images, each with its entry. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import { ledgerOf } from "../../src/ledger/collect-ledger.ts";
import { emptyLedger, type Ledger, mergedLedgers } from "../../src/ledger/ledger.ts";
import { touchedFiles } from "../../src/ledger/touched-files.ts";
import { blobBlock } from "../../src/session/blobs.ts";
import { story } from "../../src/testing/story.ts";
import { expectLinear } from "../context/linear.ts";
import { bash, compacted, entriesOf, left, ran, said, type Told, text, used } from "../context/tool-work.ts";

test("LED5 each item names the entry it came from", () => {
  const talk = story(
    "user: see https://pith.example/issues/7 and #12",
    "calls: read path=src/a.ts; bash command=./check",
    "result c1: export const a = 1;",
    "fails c2: src/a.ts(1,2): error TS2304: Cannot find name\nCommand exited with code 2",
    "calls: edit path=src/a.ts oldText=x newText=y",
    "result: done, as commit 0a1b2c3",
  );
  expect(ledgerOf(talk)).toEqual({
    ...emptyLedger,
    files: [{ path: "src/a.ts", did: "modified", entryId: "e5" }],
    commands: [{ command: "./check", exitCode: 2, entryId: "e2" }],
    errors: [{ text: "src/a.ts(1,2): error TS2304: Cannot find name", entryId: "e4" }],
    references: [
      { kind: "url", text: "https://pith.example/issues/7", entryId: "e1" },
      { kind: "id", text: "#12", entryId: "e1" },
      { kind: "commit", text: "0a1b2c3", entryId: "e6" },
    ],
  });
});

describe("how a command ended", () => {
  const cases: readonly (readonly [string, Told, number | null])[] = [
    ["its tool says so", { details: { exitCode: 3 }, isError: true }, 3],
    ["its tool says nonsense", { details: { exitCode: "3" } }, 0],
    ["its last line says so", { ...text("boom\n\nCommand exited with code 127\n"), isError: true }, 127],
    ["in other words", text("Exit code: 2"), 2],
    ["in the words of another", text("exit status -1"), -1],
    ["a line before the last does not", text("exit code 2\nand on"), 0],
    ["it failed and nobody knows how", { ...text("aborted"), isError: true }, null],
    ["it did not fail", text("fine"), 0],
  ];
  test.each(cases)("%s", (_, result, exitCode) => {
    expect(ledgerOf(entriesOf(ran("make", result))).commands).toEqual([{ command: "make", exitCode, entryId: "e1" }]);
  });

  test("a command without a result has no exit code, and the user's own is told by itself", () => {
    const work = entriesOf(
      used({ arguments: { cmd: "make" } }),
      bash("ls -l", { exitCode: 4 }),
      bash("sleep", { exitCode: null }),
    );
    expect(ledgerOf(work).commands.map(({ exitCode }) => exitCode)).toEqual([null, 4, null]);
  });
});

test("a long command is cut, stands on one line, and takes the place of the same before it", () => {
  const long = `echo ${"x".repeat(500)}`;
  const work = entriesOf(
    ran("make"),
    ran(long),
    ran("cat <<EOF > a\n\tone\u0007\nEOF"),
    ran("make", { isError: true }),
  );
  const { commands } = ledgerOf(work);
  expect(commands.map(({ command }) => command)).toEqual([`echo ${"x".repeat(194)}…`, "cat <<EOF > a one EOF", "make"]);
  expect(commands.at(-1)).toEqual({ command: "make", exitCode: null, entryId: "e7" });
});

describe("error lines", () => {
  const errors = (...work: readonly (Told | readonly Told[])[]): readonly string[] =>
    ledgerOf(entriesOf(...work)).errors.map((line) => line.text);

  test("come from outputs that look like errors, whether their tool failed or not", () => {
    expect(errors(ran("make", text("ok\nTypeError: x is not a function\n  at a.ts:1")))).toEqual([
      "TypeError: x is not a function",
    ]);
    expect(errors(bash("make", { output: "FAIL test/a.test.ts" }))).toEqual(["FAIL test/a.test.ts"]);
    expect(errors(ran("make", text("0 errors, all well")))).toEqual([]);
  });

  test("of a failure that names none are its last words", () => {
    expect(errors(ran("make", { ...text("one\ntwo\n\nCommand exited with code 1"), isError: true }))).toEqual(["two"]);
    expect(errors(ran("make", { ...text("(no output)\nexit code 1"), isError: true }))).toEqual([]);
  });

  test("are three of an output, and one of a kind", () => {
    const output = ["one", "two", "three", "four"].map((word) => `error: ${word}\nerror: ${word}`).join("\n");
    expect(errors(ran("make", text(output)))).toEqual(["error: one", "error: two", "error: four"]);
    expect(errors(ran("make", text("error: line 1")), ran("make 2", text("error: line 22")))).toEqual([
      "error: line 22",
    ]);
  });

  test("are not taken from what only shows a file, nor from what people and models say", () => {
    const shown = text("Error: this is what the file says");
    expect(errors(ran("cd src && cat a.log | head -5", shown), used({ arguments: { path: "a.log" } }, shown))).toEqual(
      [],
    );
    expect(errors(said({ role: "user", content: "Error: look" }), said({ role: "assistant", ...shown }))).toEqual([]);
    expect(errors(ran("cat a.log > b.log", shown))).toHaveLength(1);
  });
});

test("of a long output the telling lines are kept, of a file that can be read again none", () => {
  const output = [...Array(200).fill("handled 1 request"), "cache rebuilt by hand", "handled 2 requests", "bye"].join(
    "\n",
  );
  const work = entriesOf(ran("serve", text(output)), ran("cat a.log", text(output)), ran("serve 2", text("short")));
  expect(ledgerOf(work).lines.map((line) => line.text)).toContain("cache rebuilt by hand");
  expect(new Set(ledgerOf(work).lines.map(({ entryId }) => entryId))).toEqual(new Set(["e2"]));
});

describe("references", () => {
  const references = (words: string): readonly string[] =>
    ledgerOf(entriesOf(said({ role: "user", content: words }))).references.map((each) => `${each.kind} ${each.text}`);

  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["(see https://a.example/b?c=1).", ["url https://a.example/b?c=1"]],
    ["[here](http://a.example/x),", ["url http://a.example/x"]],
    [
      "at 3f2a9c1 and 0123456789012345678901234567890123456789",
      ["commit 3f2a9c1", "commit 0123456789012345678901234567890123456789"],
    ],
    ["main 0a1b2c3..4d5e6f7", ["commit 0a1b2c3", "commit 4d5e6f7"]],
    ["PITH-42 fixes #7, ada/pith#123", ["id PITH-42", "id #7", "id ada/pith#123"]],
    ["5891b5b5-22d5-4f08-ad0f-f0b110fbd9d2", ["id 5891b5b5-22d5-4f08-ad0f-f0b110fbd9d2"]],
    ["req=req_011CVvAQm5gLufA1cDeHobKh", ["id req_011CVvAQm5gLufA1cDeHobKh"]],
    ["deadbeef 1234567 UTF-8 SHA-256 a-b-c-d-e-f-g-h-i-j-1-2-3-4 #123456", []],
    ["src/0a1b2c3/PITH-42.ts", []],
    ["https://ada:secret@a.example/ https://a.example/?x=1&api_key=2", []],
    ["the key is #7, https://a.example/", ["id #7", "url https://a.example/"]],
    ["key=abcdefghij0123456789 Bearer abcdefghij0123456789", []],
    ["sk-abcdefghij0123456789 ghp_abcdefghij0123456789", []],
  ];
  test.each(cases)("%s", (words, found) => expect(references(words)).toEqual(found));

  test("are looked for at both ends of a long text, and one text brings a dozen at most", () => {
    const filling = "lorem ipsum\n".repeat(5_000);
    expect(references(`#1\n${filling}#2\n${filling}#3`)).toEqual(["id #1", "id #3"]);
    expect(references(Array.from({ length: 50 }, (_, at) => `#${at}`).join(" "))).toHaveLength(12);
  });
});

describe("images (B51)", () => {
  const image = { type: "image", data: `${btoa("GIF89a")}IANYAgAA`, mimeType: "image/gif" };
  const hash = "5".repeat(64);
  const blob = blobBlock({ hash, mimeType: "image/png", bytes: 10, tokens: 1 });
  const noted = { size: null, path: null, caption: null };

  test("leave a handle, a size, a path and a caption", () => {
    const work = entriesOf(
      used(
        { arguments: { path: "shots/home.png" } },
        { content: [{ type: "text", text: "\nThe home page\nof Pith" }, image] },
      ),
      said({ role: "user", content: [blob, { type: "text", text: "x".repeat(100) }] }),
      said({ role: "user", content: [blobBlock({ hash, mimeType: "text/plain", bytes: 10, tokens: 1 }), null, 7] }),
    );
    expect(ledgerOf(work).images).toEqual([
      {
        ...noted,
        handle: "entry:e2",
        size: "800x600",
        path: "shots/home.png",
        caption: "The home page",
        entryId: "e2",
      },
      { ...noted, handle: `blob:${hash}`, caption: `${"x".repeat(79)}…`, entryId: "e3" },
    ]);
  });

  test("are not lost where an edit put a mark in their place", () => {
    const edit = {
      type: "context_edit",
      targetId: "e1",
      replacement: { content: [{ type: "text", text: "[image entry:e1]" }] },
    };
    const work = entriesOf(said({ role: "user", content: [image] }), edit);
    expect(ledgerOf(work).images).toEqual([{ ...noted, handle: "entry:e1", size: "800x600", entryId: "e1" }]);
  });
});

test("what an edit took out of the context does not come back", () => {
  const work = ["user: my key is PITH-42", "calls: bash command=make", "fails: error: PITH-43"];
  const { references, errors } = ledgerOf(story(...work, "edits e1: my key is gone", "drops e3"));
  expect({ references, errors }).toEqual({ references: [], errors: [] });
  expect(ledgerOf(story(...work)).references).toHaveLength(2);
});

test("LED6 a shell line kept from the model is kept out of the ledger", () => {
  const secret = { output: "Error: #42 at https://a.example/b", exitCode: 1, excludeFromContext: true };
  expect(ledgerOf(entriesOf(bash("cat secret > a", secret)))).toEqual(emptyLedger);
  expect(ledgerOf(entriesOf(bash("cat secret > a", { ...secret, excludeFromContext: false })))).not.toEqual(
    emptyLedger,
  );
});

describe("LED2 the ledgers of summaries are taken in", () => {
  const work = [ran("make", text("error: #1")), used({ arguments: { path: "a", content: "x" } }, {}), ran("cat b")];
  const carrying = (...part: readonly (Told | readonly Told[])[]): Told => ({
    pith: { ledger: ledgerOf(entriesOf(...part)) },
  });

  test("LED2 INV40 of a compaction and of a branch that was left alike", () => {
    const whole = withoutOrigin(ledgerOf(entriesOf(...work)));
    expect(withoutOrigin(ledgerOf(entriesOf(compacted(carrying(...work)))))).toEqual(whole);
    expect(withoutOrigin(ledgerOf(entriesOf(left(carrying(...work)))))).toEqual(whole);
    expect(withoutOrigin(ledgerOf(entriesOf(left(carrying(...work)), compacted({}))))).toEqual(whole);
  });

  test("LED2 what a compaction covers is not told twice, what it kept is told once and is newer", () => {
    const details = {
      pith: {
        ledger: { folders: [{ folder: "src", read: 0, modified: 9 }], commands: [{ command: "old", exitCode: 0 }] },
      },
    };
    const branch = entriesOf(ran("old"), ran("kept"), compacted(details, { firstKeptEntryId: "e3" }), ran("new"));
    const { commands, folders } = ledgerOf(branch);
    expect(commands.map(({ command, entryId }) => `${command} ${entryId}`)).toEqual(["old e5", "kept e3", "new e6"]);
    expect(folders).toEqual([{ folder: "src", read: 0, modified: 9 }]);
  });

  test("LED2 pi's lists of files are older than all that is known better", () => {
    const branch = entriesOf(ran("rm a"), compacted({ readFiles: ["a", "b"], modifiedFiles: ["c"] }), ran("cat c"));
    expect(ledgerOf(branch).files).toEqual([
      { path: "b", did: "read", entryId: "e3" },
      { path: "a", did: "modified", entryId: "e1" },
      { path: "c", did: "modified", entryId: "e3" },
    ]);
  });
});

const path = fc.constantFrom("a", "src/b", "src/c", "d e", "/f");
const deed: fc.Arbitrary<readonly Told[]> = fc.oneof(
  path.map((it) => used({ arguments: { path: it } }, {})),
  path.map((it) => used({ arguments: { path: it, content: "x" } }, {})),
  path.map((it) => ran(`rm '${it}'`, { ...text(`error: ${it} is gone, see #${it.length}`), isError: true })),
  path.map((it) => [bash(`wc '${it}'`, { output: `1 https://a.example/${it.length}` })]),
);

test("LED2 INV40 INV41 the ledger is the same however often the branch was compacted or left", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(deed, { maxLength: 4 }), { maxLength: 8 }),
      fc.array(fc.boolean()),
      (parts, kinds) => {
        let summary: readonly Told[] = [];
        parts.forEach((part, at) => {
          const details = { pith: { ledger: ledgerOf(entriesOf(summary, part.flat())) } };
          summary = [kinds[at] ? left(details) : compacted(details)];
        });
        const whole = entriesOf(parts.flat(2));
        const cut = ledgerOf(entriesOf(summary));
        expect(withoutOrigin(cut)).toEqual(withoutOrigin(ledgerOf(whole)));
        const paths = (did: string): readonly string[] =>
          cut.files
            .filter((file) => file.did === did)
            .map((file) => file.path)
            .sort();
        expect({ read: paths("read"), modified: paths("modified") }).toEqual(touchedFiles(whole));
      },
    ),
  );
});

const told: fc.Arbitrary<readonly Told[]> = fc.nat(400).chain((number) =>
  fc.constantFrom<readonly Told[]>(
    ran(`make ${number}`, text(`error: ${"abcdefghij"[number % 10]}${"klmnopqrst"[number % 7]}\nsee #${number}`)),
    ran(`cat ${number}`, text(`Error: shown ${number}`)),
    ran(`serve ${number % 60}`, text(`line ${number % 50}\n`.repeat(300))),
    [bash(`./run ${number % 90}`, { output: "no such file", exitCode: number % 2 })],
    [
      said({
        role: "user",
        content: `https://a.example/${number % 90} and PITH-${number} api_key=0a1b2c3d4e5f60718293`,
      }),
    ],
    [said({ role: "user", content: [{ type: "image", data: "", mimeType: "image/png" }] })],
  ),
);

test("LED3 what is found from the end is what is found in each entry by itself", () => {
  fc.assert(
    fc.property(fc.array(told, { maxLength: 250, size: "max" }), (parts) => {
      const entries = entriesOf(parts.flat());
      const starts = parts.map((_, at) => parts.slice(0, at).flat().length);
      const alone = parts
        .map((part, at) => entries.slice(starts[at], (starts[at] ?? 0) + part.length))
        .map((each) => ledgerOf(each));
      expect(ledgerOf(entries)).toEqual(alone.reduce(mergedLedgers, emptyLedger));
    }),
    { numRuns: 30 },
  );
});

test("LED5 anything at all may stand in an entry, and what is kept names an entry that is there", () => {
  const anything = fc.anything({ withNullPrototype: true, withBigInt: true });
  const content = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(anything, fc.record({ type: fc.constant("text"), text: anything }))),
  );
  const result = fc.record({ content, details: anything, nestedCalls: anything, isError: anything });
  fc.assert(
    fc.property(anything, result, content, anything, (args, answered, words, details) => {
      const work = entriesOf(
        used({ arguments: args }, answered),
        said({ role: "user", content: words }),
        said({ role: "assistant", content: words }),
        bash("make", { output: undefined, exitCode: details }),
        compacted(details),
        left({ pith: { ledger: details } }),
      );
      const items = Object.values(ledgerOf(work)).flat() as readonly { entryId?: string }[];
      for (const { entryId } of items)
        expect(work.some(({ id }) => entryId === undefined || id === entryId)).toBe(true);
    }),
  );
});

describe("LED3 time is linear in the length of what was said", () => {
  const texts = ["error: ", "#1 ", "https://", "a", "/", "Error", "0a1b2c3 ", "exit code 1\n", "'", " ", "\n", "[("];
  test.each(texts)("LED3 %j", (words) => {
    const work = (letters: number): readonly Entry[] =>
      entriesOf(
        ran(words.repeat(letters / 4 / words.length), text(words.repeat(letters / words.length))),
        said({ role: "user", content: words.repeat(letters / words.length) }),
      );
    const [small, large] = [work(250_000), work(1_000_000)];
    expectLinear(
      () => ledgerOf(small),
      () => ledgerOf(large),
    );
  });

  test("LED3 and in the number of entries", () => {
    const talk = (count: number): readonly Entry[] =>
      entriesOf(Array.from({ length: count }, (_, at) => ran(`rm ${at}`, text(`error: ${at}`))).flat());
    const [small, large] = [talk(1_000), talk(4_000)];
    expectLinear(
      () => ledgerOf(small),
      () => ledgerOf(large),
    );
  });
});

/** Ids are made up anew for every list of entries. */
function withoutOrigin(ledger: Ledger): unknown {
  return JSON.parse(JSON.stringify(ledger, (name, value) => (name === "entryId" ? undefined : value)));
}
