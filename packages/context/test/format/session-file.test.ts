/** Tests that a file of any version is read without a change, and appended to without losing unknown bytes. */

import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import { withTrailer } from "../../src/format/line-checksum.ts";
import { addHeaderMark, encodeSession } from "../../src/format/session-file.ts";
import { forkBranch } from "../../src/session/fork.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { story } from "../../src/testing/story.ts";
import {
  blanked,
  bytesOf,
  chain,
  checksum,
  damageIn,
  entriesIn,
  file,
  idsIn,
  inUtf16,
  note,
  numbered,
  ourHeader,
  piHeader,
  read,
  textOf,
  texts,
  withTrailers,
} from "./specimen.ts";

const firstHeader = piHeader.replace('"version":3,', "").replace("}", ',"branchedFrom":"a\\/b","n":1.0}');
const secondHeader = piHeader.replace('"version":3', '"version":2.0');
const entries = story(
  "user: one",
  "says: two",
  "calls: read path=a.ts",
  "result: text",
  "compacts: so far, keeps e2",
  "labels e1: start",
  "user: three",
);

// Everything that a parser and a writer of JSON would change: numbers, escapes, order, space, doubled names.
const odd =
  '"z":1.0,"thousand":1e3,"big":12345678901234567890,"path":"a\\/b\\u0041","nested":{"id":"x","b":[1.50, {"parentId":null}],"a":{}},"a":-0,"batch":[1,2]}';
const unknown = `{"type":"of_tomorrow","id":"e2","parentId":"e1","timestamp":1767225600000,${odd}`;
const known = `{"type":"message","id":"e3","message":{"role":"user","content":"hi","later":1.0,"timestamp":1},"parentId":"e2", "timestamp":"t",${odd}`;
const strange = [note("e1", null), unknown, known];
// The number stands behind the timestamp where the head of a line is as we write it, else in front.
const strangeWithNumbers = [
  note("e1", null).replace('Z"', 'Z","number":1'),
  unknown.replace("{", '{"number":2,'),
  known.replace("{", '{"number":3,'),
];

describe("LOG6 unknown fields and entry types", () => {
  test.each([
    ["a file of pi's", file(piHeader, strange)],
    ["a file of pi's with CR LF", bytesOf([piHeader, ...strange, ""].join("\r\n"))],
    ["a file of ours", file(withTrailers(ourHeader, ...strange))],
  ])("LOG6 stay byte for byte: %s", (_, bytes) => {
    const found = read(bytes);
    expect(found.lines.map((line) => line.text())).toEqual(strange);
    expect(entriesIn(found)[1]).toEqual({
      type: "unknown",
      kind: "of_tomorrow",
      id: "e2",
      parentId: "e1",
      timestamp: "",
      number: 2,
      value: JSON.parse(unknown),
    });
    expect(entriesIn(found)[2]).toEqual({ ...JSON.parse(known), number: 3 });
    expect(found.damage).toEqual([]);
  });

  test("LOG6 LOG5 stay byte for byte in a migration", async () => {
    const store = await withAppended(file(secondHeader, strange));
    const written = textOf(store.bytes()).split("\n").slice(1, 4);
    expect(written).toEqual(withTrailers(...strangeWithNumbers));
    expect(
      read(store.bytes())
        .lines.slice(0, 3)
        .map((line) => line.text()),
    ).toEqual(strangeWithNumbers);
  });

  test("LOG6 LOG5 stay byte for byte in a migration that assigns ids", async () => {
    const bare = `{"type":"of_tomorrow",${odd}`;
    const store = await withAppended(file(firstHeader, bare, bare));
    const [one, two] = [bytesOf(firstHeader).length + 1, bytesOf(firstHeader).length + bytesOf(bare).length + 2];
    expect(
      read(store.bytes())
        .lines.slice(0, 2)
        .map((line) => line.text()),
    ).toEqual([
      `{"number":1,"id":"at-${one}","parentId":null,${bare.slice(1)}`,
      `{"number":2,"id":"at-${two}","parentId":"at-${one}",${bare.slice(1)}`,
    ]);
  });

  test("LOG6 stay byte for byte in a fork", async () => {
    for (const bytes of [file(piHeader, strange), file(withTrailers(ourHeader, ...strange))]) {
      const fork = read(await forkBranch(MemoryStore.open(bytes, testRuntime()), { leaf: "e3" }, testRuntime()));
      expect(fork.lines.map((line) => line.text())).toEqual(strangeWithNumbers);
    }
  });

  test("LOG6 stay byte for byte, except the parent, in a fork that omits a label", async () => {
    const label = '{"type":"label","id":"l","parentId":"e1","timestamp":"t","targetId":"e1"}';
    const behind = unknown.replace('"parentId":"e1"', '"parentId" : "l"');
    const fork = await forkBranch(
      MemoryStore.open(file(piHeader, note("e1", null), label, behind), testRuntime()),
      { leaf: "e2" },
      testRuntime(),
    );
    expect(read(fork).lines.map((line) => line.text())).toEqual([
      strangeWithNumbers[0],
      behind.replace('"l"', '"e1"').replace("{", '{"number":3,'),
    ]);
  });

  test("LOG6 of a header stay byte for byte in a migration", async () => {
    const store = await withAppended(file(firstHeader, note("e1", null)));
    expect(read(store.bytes()).headerText).toBe(`{"version":3,"pith":{"format":1},${firstHeader.slice(1)}`);
    expect(addHeaderMark(secondHeader)).toBe(secondHeader.replace("2.0", "3").replace("{", '{"pith":{"format":1},'));
  });
});

describe("LOG2 a checksum", () => {
  test("LOG2 that is wrong makes the line a gap", () => {
    const lines = withTrailers(ourHeader, ...chain(3)).map((line) =>
      line.replace('"e2","parentId":"e1","timestamp":"2026', '"e2","parentId":"e1","timestamp":"2025'),
    );
    const found = read(file(lines));
    expect([idsIn(entriesIn(found)), damageIn(found)]).toEqual(["e1 (e2) e3", "wrong-checksum@3"]);
  });

  test("LOG2 that is absent leaves the line unverified, and the line is accepted", () => {
    const found = read(
      file(withTrailers(ourHeader, note("e1", null)), note("e2", "e1"), withTrailers(note("e3", "e2"))),
    );
    expect([idsIn(entriesIn(found)), damageIn(found)]).toEqual(["e1 e2 e3", ""]);
  });

  test("LOG2 HARM3 that was cut off with part of the text makes the line damaged", () => {
    const lines = withTrailers(ourHeader, ...texts(entries));
    const cut = lines.map((line, at) => (at === 1 || at === 7 ? withCut(line, at === 1 ? "on" : "thr") : line));
    const found = read(file(cut));
    expect(cut.map((line) => JSON.parse(line).crc === undefined)).toEqual(lines.map((_, at) => at === 1 || at === 7));
    expect(damageIn(found)).toBe("wrong-checksum@2 wrong-checksum@8");
    expect(entriesIn(found).map(({ type, number }) => [type === "gap", number])).toEqual(
      entries.map(({ number }, at) => [at === 0 || at === 6, number]),
    );
  });

  test("LOG2 HARM4 overwriting the mark and the trailer of the header does not disable the other checksums", () => {
    const [header = "", ...lines] = withTrailers(ourHeader, ...chain(3));
    const bytes = file(blanked(header), lines[0]?.replace('"note"', '"vote"') ?? "", lines.slice(1));
    const found = read(bytes);
    expect(JSON.parse(blanked(header))).not.toHaveProperty("pith");
    expect([found.isPithFormat, found.header, idsIn(entriesIn(found)), damageIn(found)]).toEqual([
      true,
      null,
      "(e1) e2 e3",
      "damaged-header@1 wrong-checksum@2",
    ]);
  });

  test("LOG2 lines of Pith in a fork by pi, whose header names the original session, are unverified", () => {
    const fork = piHeader.replace("}", ',"parentSession":"/home/ada/origin.jsonl"}');
    const found = read(
      file(
        fork,
        withTrailers(...chain(2)),
        withTrailer(note("e3", "e2"), {}, () => 0),
      ),
    );
    expect([found.isPithFormat, idsIn(entriesIn(found)), damageIn(found)]).toEqual([false, "e1 e2 e3", ""]);
  });

  test("LOG2 trailers after a second header do not affect the first header", () => {
    const found = read(file(piHeader, note("e1", null), withTrailers(ourHeader, note("e2", "e1"))));
    expect([found.isPithFormat, found.header?.id, damageIn(found)]).toEqual([false, "s1", "second-header@3"]);
  });

  test("LOG2 is ignored in a file without the pith mark", () => {
    const foreign = note("e1", null, ',"crc":"00000000"');
    const found = read(file(piHeader, foreign));
    expect(entriesIn(found)).toEqual(numbered([JSON.parse(foreign)]));
    expect([found.isPithFormat, found.lines[0]?.text(), damageIn(found)]).toEqual([false, foreign, ""]);
  });

  test("LOG2 is verified if the header is lost and the lines have trailers", () => {
    const lines = [...withTrailers(note("e1", null)), withTrailer(note("e2", "e1"), {}, () => 0)];
    const bytes = file("garbage", lines);
    const found = read(bytes);
    expect([found.isPithFormat, idsIn(entriesIn(found), bytes), damageIn(found)]).toEqual([
      true,
      "e1 (gap-2)",
      "damaged-header@1 wrong-checksum@3",
    ]);
  });

  test("HARM4 the content of a damaged header is not used", () => {
    const found = read(
      file(withTrailers(ourHeader)[0]?.replace("/home/ada", "/home/bob") ?? "", withTrailers(note("e1", null))),
    );
    expect(found.header).toBeNull();
    expect([found.isPithFormat, idsIn(entriesIn(found)), damageIn(found)]).toEqual([true, "e1", "damaged-header@1"]);
  });

  test("LOG2 a file in Pith format is read back unchanged", () => {
    const found = read(encodeSession([ourHeader, ...texts(entries)], checksum));
    expect({ ...found, lines: entriesIn(found) }).toEqual({
      header: JSON.parse(ourHeader),
      headerText: ourHeader,
      lines: entries,
      damage: [],
      isPithFormat: true,
      end: encodeSession([ourHeader, ...texts(entries)], checksum).length,
      needsRewrite: false,
    });
  });
});

/** Without the bytes from behind these letters of its text to the end of its checksum. */
function withCut(line: string, kept: string): string {
  const from = line.indexOf(`"${kept}`) + kept.length + 1;
  const open = line.slice(0, from);
  const closing = line.includes("[{") ? '"}]' : '"';
  return `${open}${closing}${"}".repeat(open.split("{").length - open.split("}").length - (closing === '"' ? 0 : 1))}`;
}

/** As pi writes it. */
function withoutNumber(line: string): string {
  return line.replace(/,"number":\d+/, "");
}

const outdated: readonly [string, Uint8Array][] = [
  ["version 1", file(firstHeader, oldSessionLines('"firstKeptEntryIndex":2'), strange.map(withoutPlace))],
  [
    "version 2",
    file(
      secondHeader,
      texts(entries),
      strange.map((line) => line.replaceAll('"e', '"f')),
    ),
  ],
  ["document 003", file(oldSessionLines('"keepLastMessages":2'))],
  ["UTF-16", inUtf16([piHeader, ...texts(entries)].join("\n"))],
  ["lone CR", bytesOf([piHeader, ...texts(entries)].join("\r"))],
  ["a header behind the first entry", file(texts(entries).slice(0, 1), piHeader, texts(entries).slice(1))],
  ["version 3 with a line that has no id", file(piHeader, texts(entries), withoutPlace(note("x", null)))],
];
const current: readonly [string, Uint8Array][] = [
  ["pi's version 3", file(piHeader, texts(entries))],
  ["pi's version 3 with byte order mark and CR LF", bytesOf(`\ufeff${[piHeader, ...texts(entries), ""].join("\r\n")}`)],
  ["pi's version 3 without line end", file(piHeader, texts(entries)).subarray(0, -1)],
  ["ours", file(withTrailers(ourHeader, ...texts(entries)))],
  ["ours without line end", file(withTrailers(ourHeader, ...texts(entries))).subarray(0, -1)],
  ["ours with lines of pi's behind it", file(withTrailers(ourHeader), texts(entries).map(withoutNumber))],
];

describe("LOG5 a file is migrated at the first append", () => {
  test.each([...outdated, ...current])("LOG5 and not by opening it: %s", async (_, bytes) => {
    const copy = Uint8Array.from(bytes);
    const store = MemoryStore.open(bytes, testRuntime());
    await store.branchEntries(await store.leaf());
    await forkBranch(store, { leaf: await store.leaf() }, testRuntime());
    expect([store.bytes(), bytes]).toEqual([copy, copy]);
  });

  test.each(outdated)("LOG5 to version 3 in Pith format, with the same entries: %s", async (_, bytes) => {
    const store = await withAppended(bytes);
    const found = read(store.bytes());
    expect(found.header).toMatchObject({ version: 3, pith: { format: 1 } });
    expect({ damage: found.damage, isPithFormat: found.isPithFormat, needsRewrite: found.needsRewrite }).toEqual({
      damage: [],
      isPithFormat: true,
      needsRewrite: false,
    });
    expect(entriesIn(found).slice(0, -1)).toEqual(entriesIn(read(bytes)));
    expect(entriesIn(found).at(-1)?.id).toBe("appended");
  });

  test.each(current)("LOG1 and a file of version 3 stays unchanged before the new lines: %s", async (_, bytes) => {
    const ended = bytes.at(-1) === 0x0a ? bytes : Uint8Array.from([...bytes, 0x0a]);
    const store = await withAppended(bytes);
    expect(store.bytes().subarray(0, ended.length)).toEqual(ended);
    const [line = "", ...more] = textOf(store.bytes().subarray(ended.length)).split("\n");
    const text = JSON.stringify(after(entries.at(-1)?.id ?? null));
    expect([line, more]).toEqual([read(bytes).isPithFormat ? withTrailer(text, {}, checksum) : text, [""]]);
    expect(entriesIn(read(store.bytes()))).toEqual([...entriesIn(read(bytes)), { ...after("e7"), number: 8 }]);
  });
});

function oldSessionLines(keeps: string): readonly string[] {
  return texts(entries).map((line) => withoutPlace(line).replace('"firstKeptEntryId":"e2"', keeps));
}

function withoutPlace(line: string): string {
  return line.replace(/"id":"\w+",/, "").replace(/"parentId":(?:"\w+"|null),? ?/, "");
}

async function withAppended(bytes: Uint8Array): Promise<MemoryStore> {
  const store = MemoryStore.open(bytes, testRuntime());
  const leaf = await store.leaf();
  await store.append([after(leaf)], { expectedLeaf: leaf });
  return store;
}

function after(parentId: string | null): Entry {
  return { type: "custom", id: "appended", parentId, timestamp: "2026-01-02T00:00:00.000Z", customType: "note" };
}
