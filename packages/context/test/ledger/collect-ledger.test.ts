/** Tests ledger/collect-ledger.ts: files, the last checks, open errors, commits and images. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import { collectLedger } from "../../src/ledger/collect-ledger.ts";
import { emptyLedger, MAX_LEDGER_ITEMS } from "../../src/ledger/ledger.ts";
import { collectFileLists } from "../../src/ledger/touched-files.ts";
import { createBlobBlock } from "../../src/session/blobs.ts";
import { story } from "../../src/testing/story.ts";
import {
  bashCallEntries,
  branchSummaryEntry,
  compactionEntry,
  createEntries,
  type EntryFields,
  messageEntry,
  text,
  toolCallEntries,
  userBashEntry,
} from "../context/tool-work.ts";
import { expectLinearTime } from "../support/expect-speed.ts";

test("LED5 the ledger has files, the last checks, open errors and commits, and no ids, URLs or output lines", () => {
  const entries = story(
    "user: see https://pith.example/issues/7 and #12",
    "calls: read path=src/a.ts; bash command=./deploy",
    "result c1: export const a = 1;",
    "fails c2: Error: no route to host\nCommand exited with code 2",
    "calls: edit path=src/a.ts oldText=x newText=y",
    "result: done, as commit 0a1b2c3",
    "bash: npm test -> 3 passed, 1 failed",
    "bash: git commit -m Fix -> [main 3c2b1a0] Fix the lock",
    `bash: ./serve -> ${"handled one request\n".repeat(300)}cache rebuilt by hand`,
  );
  expect(collectLedger(entries)).toEqual({
    ...emptyLedger,
    files: [{ path: "src/a.ts", did: "modified" }],
    checks: [{ kind: "test", command: "npm test", exitCode: 0, outcome: "3 passed, 1 failed" }],
    errors: [{ kind: "command", source: "./deploy", text: "Error: no route to host" }],
    commits: [{ hash: "3c2b1a0", subject: "Fix the lock" }],
  });
});

describe("LED5 the exit code of a check", () => {
  const cases: readonly (readonly [string, EntryFields, number | null])[] = [
    ["from the details of the tool", { details: { exitCode: 3 }, isError: true }, 3],
    ["zero if the details of the tool are invalid", { details: { exitCode: "3" } }, 0],
    ["unknown if the tool reports none", { details: { exitCode: null } }, null],
    ["from the last line", { ...text("boom\n\nCommand exited with code 127\n"), isError: true }, 127],
    ['from the last line "Exit code: 2"', text("Exit code: 2"), 2],
    ['from the last line "exit status -1"', text("exit status -1"), -1],
    ["not from a line before the last", text("exit code 2\nand on"), 0],
    ["unknown for a failure without a code", { ...text("aborted"), isError: true }, null],
    ["zero for a success", text("fine"), 0],
  ];
  test.each(cases)("LED5 is recorded: %s", (_, result, exitCode) => {
    expect(collectLedger(createEntries(bashCallEntries("make", result))).checks).toMatchObject([
      { command: "make", exitCode },
    ]);
  });

  test("LED5 the last check of each kind counts, also one that the user ran; a call without a result does not", () => {
    const work = createEntries(
      bashCallEntries("npm test", { ...text("9 failed"), isError: true }),
      bashCallEntries("make", text("2 warnings")),
      userBashEntry("npm test -- a", { exitCode: 4, output: "1 failed" }),
      toolCallEntries({ arguments: { cmd: "pytest" } }),
      bashCallEntries("cat a.log", text("7 passed")),
    );
    expect(collectLedger(work).checks).toEqual([
      { kind: "build", command: "make", exitCode: 0, outcome: "2 warnings" },
      { kind: "test", command: "npm test -- a", exitCode: 4, outcome: "1 failed" },
    ]);
  });

  test("LED5 two checks of one line share its output: the last one has the outcome", () => {
    expect(
      collectLedger(createEntries(bashCallEntries("npm run lint && npm test", text("5 passed")))).checks,
    ).toMatchObject([
      { kind: "check", exitCode: 0, outcome: null },
      { kind: "test", exitCode: 0, outcome: "5 passed" },
    ]);
  });
});

describe("LED5 commits", () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["git commit -m x", "[main 0a1b2c3] Fix the lock\n 1 file changed", ["0a1b2c3 Fix the lock"]],
    ["git add . && git commit -qm 'Fix the lock\n\nIt was broken.'", "", ["null Fix the lock"]],
    ["git -C repo commit --message='Fix it'", "", ["null Fix it"]],
    ["git commit -m x", "[detached HEAD 0a1b2c3] One\n[a/b (root-commit) 3c2b1a0] Two", ["0a1b2c3 One", "3c2b1a0 Two"]],
    ["git cherry-pick 9f8e7d6", "[main 0a1b2c3] Picked", ["0a1b2c3 Picked"]],
    ["git commit -qm 'Fix it' && git log --oneline | head -1", "0a1b2c3 Fix it", ["0a1b2c3 Fix it"]],
    ["git commit -qm 'Fix it'; git log --oneline -2", "0a1b2c3 (HEAD -> main) Fix it\n3c2b1a0 One", ["0a1b2c3 Fix it"]],
    ["git commit -qm 'Fix it'; git status --short", "", []],
    ["git commit -qm 'Fix it' | cat", "nothing to commit", []],
    ["git commit -F message.txt", "", []],
    ["git commit", "nothing to commit", []],
    ["git log", "[main 0a1b2c3] Fix the lock", []],
    ["cat log", "[main 0a1b2c3] Fix the lock", []],
  ];
  test.each(cases)("LED5 are collected from: %s", (line, output, expected) => {
    const { commits } = collectLedger(createEntries(bashCallEntries(line, text(output))));
    expect(commits.map(({ hash, subject }) => `${hash} ${subject}`)).toEqual(expected);
  });

  test("LED5 a failed commit does not count, an amended one replaces the first, and the newest are kept", () => {
    expect(
      collectLedger(createEntries(bashCallEntries("git commit -m x", { ...text("no"), isError: true }))).commits,
    ).toEqual([]);
    const amended = [
      bashCallEntries("git commit -m x", text("[main 0a1b2c3] x")),
      bashCallEntries("git commit --amend", text("[main 3c2b1a0] x")),
    ];
    expect(collectLedger(createEntries(...amended)).commits).toEqual([{ hash: "3c2b1a0", subject: "x" }]);
    const many = Array.from({ length: 30 }, (_, at) =>
      bashCallEntries("git commit", text(`[main ${1_000_000 + at}] ${at}`)),
    );
    expect(collectLedger(createEntries(...many)).commits.map(({ subject }) => subject)).toEqual(
      Array.from({ length: MAX_LEDGER_ITEMS.commits }, (_, at) => `${30 - MAX_LEDGER_ITEMS.commits + at}`),
    );
  });
});

test("LED5 a commit counts if a later command of its line failed", () => {
  const failed = (line: string, output: string): readonly EntryFields[] =>
    bashCallEntries(line, { ...text(`${output}\nexit code 1`), isError: true });
  const commits = (line: string, output: string): readonly unknown[] =>
    collectLedger(createEntries(failed(line, output))).commits;
  expect(commits("git commit -qm x && npm test", "npm error code ELIFECYCLE")).toEqual([{ hash: null, subject: "x" }]);
  expect(commits("git commit -qm x && git push", "fatal: no remote")).toEqual([]);
  expect(commits("git commit -m x && git push", "[main 0a1b2c3] x\nfatal: no remote")).toHaveLength(1);
});

test("LED5 an amended, reset or rebased commit is not listed as it was", () => {
  const commit = (subject: string, hash: string): readonly EntryFields[] =>
    bashCallEntries(`git commit -m ${subject}`, text(`[main ${hash}] ${subject}`));
  const commits = (line: string, output = ""): readonly string[] =>
    collectLedger(
      createEntries(commit("one", "1111111"), commit("two", "2222222"), bashCallEntries(line, text(output))),
    ).commits.map(({ hash, subject }) => `${hash} ${subject}`);
  expect(commits("git commit -q --amend --no-edit")).toEqual(["1111111 one", "null two"]);
  expect(commits("git commit -q --amend --no-edit; git log --oneline -1", "3333333 two")).toEqual([
    "1111111 one",
    "3333333 two",
  ]);
  expect(commits("git commit --amend -m three", "[main 3333333] three")).toEqual(["1111111 one", "3333333 three"]);
  expect(commits("git reset --hard HEAD~1")).toEqual(["1111111 one"]);
  expect(commits("git reset -q HEAD^^")).toEqual([]);
  expect(commits("git reset --hard 1111111")).toEqual(["1111111 one"]);
  expect(commits("git reset a.ts")).toEqual(["1111111 one", "2222222 two"]);
  expect(commits("git rebase main")).toEqual(["null one", "null two"]);
  expect(commits("git log --oneline", "4444444 two\n3333333 one")).toEqual(["3333333 one", "4444444 two"]);
});

test("LED12 the count of a deleted folder is dropped", () => {
  const folders = [
    { folder: "src", read: 0, modified: 9 },
    { folder: "src/a", read: 1, modified: 0 },
    { folder: "srcs", read: 1, modified: 0 },
  ];
  const before = { ...emptyLedger, folders };
  expect(collectLedger(createEntries(bashCallEntries("rm -rf src")), {}, before).folders).toEqual(folders.slice(2));
});

describe("images (B51)", () => {
  const image = { type: "image", data: `${btoa("GIF89a")}IANYAgAA`, mimeType: "image/gif" };
  const hash = "5".repeat(64);
  const blob = createBlobBlock({ hash, mimeType: "image/png", bytes: 10, tokens: 1 });
  const noted = { size: null, path: null, caption: null };

  test("KEEP8 are listed with a reference, a size, a path and a caption", () => {
    const shown = createEntries(
      toolCallEntries(
        { arguments: { path: "shots/home.png" } },
        { content: [{ type: "text", text: "\nThe home page\nof Pith" }, image] },
      ),
      messageEntry({ role: "user", content: [blob, { type: "text", text: "x".repeat(100) }] }),
      messageEntry({
        role: "user",
        content: [createBlobBlock({ hash, mimeType: "text/plain", bytes: 10, tokens: 1 }), null, 7],
      }),
    );
    expect(collectLedger(shown).images).toEqual([
      {
        ...noted,
        handle: "entry:e2",
        size: "800x600",
        path: "shots/home.png",
        caption: "The home page",
        entryId: "e2",
      },
      { ...noted, handle: `blob:${hash.slice(0, 8)}`, caption: `${"x".repeat(79)}…`, entryId: "e3" },
    ]);
  });

  test("KEEP8 in an entry with a number are referenced by it", () => {
    const [entry] = createEntries({ number: 412, ...messageEntry({ role: "user", content: [image] }) });
    expect(collectLedger([entry as Entry]).images).toMatchObject([{ handle: "#412", entryId: "e1" }]);
  });

  test("KEEP8 are listed even if an edit replaced them by a mark", () => {
    const edit = {
      type: "context_edit",
      targetId: "e1",
      replacement: { content: [{ type: "text", text: "[image entry:e1]" }] },
    };
    const work = createEntries(messageEntry({ role: "user", content: [image] }), edit);
    expect(collectLedger(work).images).toEqual([{ ...noted, handle: "entry:e1", size: "800x600", entryId: "e1" }]);
  });
});

test("LED6 content that an edit removed does not return through the ledger", () => {
  const work = ["calls: bash command=make", "fails: error: PITH-43\nexit code 1", "bash: npm test -> 7 passed"];
  const { errors, checks } = collectLedger(story(...work, "drops e2", "drops e3"));
  expect({ errors, checks }).toEqual({ errors: [], checks: [] });
  expect(collectLedger(story(...work))).toMatchObject({ errors: [{ source: "make" }], checks: [{}, {}] });
});

test("LED6 a shell line that is excluded from the context is not in the ledger", () => {
  const secret = { output: "Error: no", exitCode: 1, excludeFromContext: true };
  expect(collectLedger(createEntries(userBashEntry("./deploy secret > a", secret)))).toEqual(emptyLedger);
  expect(
    collectLedger(createEntries(userBashEntry("./deploy secret > a", { ...secret, excludeFromContext: false }))),
  ).not.toEqual(emptyLedger);
});

const work = [
  bashCallEntries("make", { ...text("error: no"), isError: true }),
  toolCallEntries({ arguments: { path: "a", content: "x" } }, {}),
  bashCallEntries("cat b"),
];

function compactionWithLedger(...part: readonly (EntryFields | readonly EntryFields[])[]): EntryFields {
  return { pith: { ledger: collectLedger(createEntries(...part)) } };
}

test("LED8 a branch summary does not add to the ledger", () => {
  expect(
    collectLedger(
      createEntries(branchSummaryEntry(compactionWithLedger(...work)), branchSummaryEntry({ modifiedFiles: ["a"] })),
    ),
  ).toEqual(emptyLedger);
  expect(
    collectLedger(createEntries(branchSummaryEntry(compactionWithLedger(...work)), bashCallEntries("cat c"))).files,
  ).toEqual([{ path: "c", did: "read" }]);
});

describe("LED2 the ledger of a compaction", () => {
  test("LED2 INV40 is collected unchanged", () => {
    expect(collectLedger(createEntries(compactionEntry(compactionWithLedger(...work))))).toEqual(
      collectLedger(createEntries(...work)),
    );
  });

  test("LED2 does not count covered entries twice, and counts kept entries once, as newer", () => {
    const folders = [{ folder: "src", read: 0, modified: 9 }];
    const details = { pith: { ledger: { folders, files: [{ path: "old", did: "read" }] } } };
    const branch = createEntries(
      bashCallEntries("cat old"),
      bashCallEntries("cat kept"),
      compactionEntry(details, { firstKeptEntryId: "e3" }),
      bashCallEntries("cat new"),
    );
    const ledger = collectLedger(branch);
    expect(ledger.files.map(({ path }) => path)).toEqual(["old", "kept", "new"]);
    expect(ledger.folders).toEqual(folders);
  });

  test("LED2 ranks pi's file lists as older than every other source", () => {
    const branch = createEntries(
      bashCallEntries("rm a"),
      compactionEntry({ readFiles: ["a", "b"], modifiedFiles: ["c"] }),
      bashCallEntries("cat c"),
    );
    expect(collectLedger(branch).files).toEqual([
      { path: "b", did: "read" },
      { path: "c", did: "modified" },
    ]);
  });
});

const path = fc.constantFrom("a", "src/b", "src/c", "d e", "/f");
const randomWork: fc.Arbitrary<readonly EntryFields[]> = fc.oneof(
  path.map((it) => toolCallEntries({ arguments: { path: it } }, {})),
  path.map((it) => toolCallEntries({ arguments: { path: it, content: "x" } }, {})),
  path.map((it) =>
    toolCallEntries({ arguments: { path: it, content: "x" } }, { ...text(`${it} is gone`), isError: true }),
  ),
  path.map((it) => bashCallEntries(`rm '${it}'`, { ...text(`error: ${it} is gone\nexit code 1`), isError: true })),
  path.map((it) => bashCallEntries(`rm '${it}'`)),
  path.map((it) => bashCallEntries(`npm test '${it}' | tail`, text(`${it.length} passed`))),
  path.map((it) => bashCallEntries("git commit", text(`[main 0a1b2c3] change ${it}`))),
  path.map((it) => [userBashEntry(`wc '${it}'`, { output: "1" })]),
  fc.constant([messageEntry({ role: "user", content: [{ type: "image", data: "", mimeType: "image/png" }] })]),
);

test("LED2 LED7 INV40 INV41 gives the same result however often the branch was compacted", () => {
  fc.assert(
    fc.property(fc.array(fc.array(randomWork, { maxLength: 4 }), { maxLength: 8 }), (parts) => {
      const whole = createEntries(parts.flat(2));
      let at = 0;
      let summary: readonly Entry[] = [];
      for (const part of parts) {
        const entries = whole.slice(at, at + part.flat().length);
        at += entries.length;
        const details = { pith: { ledger: collectLedger([...summary, ...entries]) } };
        summary = createEntries(compactionEntry(JSON.parse(JSON.stringify(details))));
      }
      const cut = collectLedger(summary);
      expect(cut).toEqual(collectLedger(whole));
      const paths = (did: string): readonly string[] =>
        cut.files
          .filter((file) => file.did === did)
          .map((file) => file.path)
          .sort();
      expect({ read: paths("read"), modified: paths("modified") }).toEqual(collectFileLists(whole));
    }),
  );
});

test("LED4 an entry may contain any value", () => {
  const anything = fc.anything({ withNullPrototype: true, withBigInt: true });
  const content = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(anything, fc.record({ type: fc.constant("text"), text: anything }))),
  );
  const result = fc.record({ content, details: anything, nestedCalls: anything, isError: anything });
  fc.assert(
    fc.property(anything, result, content, anything, (args, answered, words, details) => {
      const entries = createEntries(
        toolCallEntries({ arguments: args }, answered),
        messageEntry({ role: "user", content: words }),
        messageEntry({ role: "assistant", content: words }),
        userBashEntry("make", { output: undefined, exitCode: details }),
        compactionEntry(details),
        branchSummaryEntry({ pith: { ledger: details } }),
      );
      const { images, ...lists } = collectLedger(entries);
      for (const { entryId } of images) expect(entries.some(({ id }) => id === entryId)).toBe(true);
      expect(Object.keys(lists)).toEqual(["files", "folders", "checks", "errors", "commits"]);
    }),
  );
});

describe("LED3 the time to collect a ledger is linear", () => {
  const texts = ["error: ", "#1 ", "https://", "a", "/", "Error", "0a1b2c3 ", "exit code 1\n", "'", " ", "\n", "[("];
  test.each(texts)("LED3 in the length of a text with many %j", (words) => {
    const entries = (letters: number): readonly Entry[] =>
      createEntries(
        bashCallEntries(words.repeat(letters / 4 / words.length), text(words.repeat(letters / words.length))),
        messageEntry({ role: "user", content: words.repeat(letters / words.length) }),
      );
    const [small, large] = [entries(250_000), entries(1_000_000)];
    expectLinearTime(
      () => collectLedger(small),
      () => collectLedger(large),
    );
  });

  test("LED3 in the number of entries", () => {
    const entries = (count: number): readonly Entry[] =>
      createEntries(Array.from({ length: count }, (_, at) => bashCallEntries(`rm ${at}`, text(`error: ${at}`))).flat());
    const [small, large] = [entries(1_000), entries(4_000)];
    expectLinearTime(
      () => collectLedger(small),
      () => collectLedger(large),
    );
  });
});
