/** Tests ledger/touched-files.ts: the files of tool calls, shell lines and summaries. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import { decodeSession } from "../../src/format/session-file.ts";
import { collectFileLists, type FileLists, fileTouches } from "../../src/ledger/touched-files.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { story } from "../../src/testing/story.ts";
import {
  bashCallEntries,
  branchSummaryEntry,
  compactionEntry,
  createEntries,
  type EntryFields,
  messageEntry,
  toolCallEntries,
  userBashEntry,
} from "../context/tool-work.ts";
import { expectLinearTime } from "../support/expect-speed.ts";

const read = (...paths: readonly string[]): FileLists => ({ read: paths, modified: [] });
const modified = (...paths: readonly string[]): FileLists => ({ read: [], modified: paths });
const nothing: FileLists = { read: [], modified: [] };

test("LED1 files are in the order of the calls, each with its entry", () => {
  const entries = story(
    "user: fix it",
    "calls: read path=a.ts; peek file=b.ts",
    "result: x",
    "result: y",
    "calls: write path=a.ts content=z",
  );
  expect(fileTouches(entries)).toEqual([
    { path: "a.ts", did: "read", entryId: "e2" },
    { path: "b.ts", did: "read", entryId: "e2" },
    { path: "a.ts", did: "modified", entryId: "e5" },
  ]);
});

describe("LED1 files are found by the arguments of a call, not by the name of the tool", () => {
  const cases: readonly (readonly [string, EntryFields, FileLists])[] = [
    ["a path is read", { path: "a" }, read("a")],
    ["so is a file_path", { file_path: "a", offset: 1, limit: 2 }, read("a")],
    ["however it is spelled", { filePath: "a" }, read("a")],
    ["of a notebook too", { notebook_path: "a.ipynb" }, read("a.ipynb")],
    ["and each of several", { paths: ["b", "a", 7, null] }, read("a", "b")],
    ["beside content it is modified", { path: "a", content: "" }, modified("a")],
    ["beside edits too", { path: "a", edits: [] }, modified("a")],
    ["beside old and new text too", { file: "a", oldText: "x", newText: "" }, modified("a")],
    ["in other words too", { file_path: "a", old_string: "x", new_string: "y" }, modified("a")],
    ["beside a patch too", { filename: "a", patch: "@@" }, modified("a")],
    ["what is inserted too", { path: "a", insert_line: 3, insert_text: "x" }, modified("a")],
    ["content that is null is none", { path: "a", content: null }, read("a")],
    ["beside a pattern it is where to search", { path: "src", pattern: "x" }, nothing],
    ["a folder is no file", { path: "src/" }, nothing],
    ["nor is here", { path: "." }, nothing],
    ["nor is an address", { path: "https://pith.example/a" }, nothing],
    ["nor is a handle", { path: "entry:e5" }, nothing],
    ["nor is the number of an entry", { path: "#10" }, nothing],
    ["but a name that begins like one is", { path: "#10.md" }, read("#10.md")],
    ["a command beside a path is no shell line", { command: "view", path: "a" }, read("a")],
    ["a command alone is one", { command: "cat a" }, read("a")],
    ["so is a script", { script: "cat a > b" }, { read: ["a"], modified: ["b"] }],
    ["a path of 1,001 letters is none", { path: "a".repeat(1001) }, nothing],
    ["a blank one is none", { path: " \n" }, nothing],
    ["a number is none", { path: 7, command: 8 }, nothing],
  ];
  test.each(cases)("LED1 %s", (_, args, files) => {
    expect(collectFileLists(createEntries(toolCallEntries({ name: "zzz", arguments: args }, {})))).toEqual(files);
  });
});

test("LED1 a declared tool role takes precedence over the argument names", () => {
  const roles = { ls: {}, copy: { reads: ["path"], modifies: ["to"] }, sh: { runs: ["line"] } };
  const work = createEntries(
    toolCallEntries({ name: "ls", arguments: { path: "src" } }, {}),
    toolCallEntries({ name: "copy", arguments: { path: "a", to: ["b", "c"] } }, {}),
    toolCallEntries({ name: "sh", arguments: { line: "touch d", path: "e" } }, {}),
    toolCallEntries({ name: "constructor", arguments: { path: "f" } }, {}),
  );
  expect(collectFileLists(work, roles)).toEqual({ read: ["a", "f"], modified: ["b", "c", "d"] });
});

test("LED1 the files that a tool reports take precedence over everything, even if it failed halfway", () => {
  const touched = (it: unknown): EntryFields => ({ details: { pith: { touched: it } } });
  const write = { name: "write", arguments: { path: "a", content: "x" } };
  const work = createEntries(
    toolCallEntries(write, touched({ read: ["b"], modified: ["c"] })),
    toolCallEntries(write, touched({})),
    toolCallEntries(write, { ...touched({ modified: ["d", 7] }), isError: true }),
    toolCallEntries({ name: "write", arguments: { path: "e", content: "x" } }, touched("all")),
  );
  expect(collectFileLists(work)).toEqual({ read: ["b"], modified: ["c", "d", "e"] });
});

describe("LED1 files are found in common shell commands", () => {
  const cases: readonly (readonly [string, FileLists])[] = [
    ["cat a.ts 'b c.ts' \"d.ts\"", read("a.ts", "b c.ts", "d.ts")],
    ["head -n 20 a; tail -5 b | less c", read("a", "b", "c")],
    ["sed -n '1,20p' a", read("a")],
    ["sed -i 's/x/y/' a && sed -i '' -e s/x/y/ b", modified("a", "b")],
    ["sed --in-place=.bak s/x/y/ a", modified("a")],
    ["grep -n -A 3 x a b", read("a", "b")],
    ["grep -e x a", read("a")],
    ["grep -rn x src", nothing],
    ["npm test > out.log 2> err.log", modified("err.log", "out.log")],
    ["npm test >> out.log 2>&1", modified("out.log")],
    ["npm test &> out.log < in.txt", { read: ["in.txt"], modified: ["out.log"] }],
    ["npm test > /dev/null 2>/dev/null", nothing],
    ["make | tee -a log", modified("log")],
    ["mv a b; rm -f c; touch d", modified("b", "d")],
    ["mv a b into/; mv c .", modified("c", "into/a", "into/b")],
    ["git mv a b && git rm c", modified("b")],
    ["git commit -m 'rm a > b'", nothing],
    ["cp a b", { read: ["a"], modified: ["b"] }],
    ["cp -r a b", nothing],
    ["patch -p1 a < b.diff", { read: ["b.diff"], modified: ["a"] }],
    ["sudo LANG=C /bin/touch -- -a", modified("-a")],
    ["if true; then touch a; fi", modified("a")],
    ["cat > a <<'EOF'\nrm b > c\nEOF\ntouch d", modified("a", "d")],
    ["cat <<-EOF > a\n\trm b\n\tEOF\ntouch c", modified("a", "c")],
    ["cat <<$END > a\nrm b", nothing],
    ["cat <<< a", nothing],
    ["cat *.ts $A `c` $(d) e?.ts {f,g} [h] i", read("i")],
    ["echo $(cat a) rm b", read("a")],
    ["cat a $(rm b > c", nothing],
    ["case x in y) cat a;; esac", read("a")],
    ['cat "$A" "x\\"y"', read('x"y')],
    ["cat # a", nothing],
    ["echo 'rm a' \"> b\"", nothing],
    ["cat a\\ b \\\n c", read("a b", "c")],
    ["cd src && touch a; cat ./b /c ~/d", { read: ["/c", "src/b", "~/d"], modified: ["src/a"] }],
    ["cd src; cd parts; cat a", read("src/parts/a")],
    ["(cd src && cat a); cat b", read("b", "src/a")],
    ["cd $HERE && cat a /b", read("/b")],
    ["cd - && cat a", nothing],
    ["cat 'a", nothing],
    ['rm a > "b', nothing],
    ["xargs rm", nothing],
  ];
  test.each(cases)("LED1 %s", (line, files) => {
    expect(collectFileLists(createEntries(bashCallEntries(line)))).toEqual(files);
    expect(collectFileLists(createEntries(userBashEntry(line)))).toEqual(files);
  });
});

describe("LED12 a deleted or moved file leaves the lists", () => {
  const files = ["/tmp/a.mjs", "/tmp/a-1.json", "/tmp/.a", "src/b.ts", "src/c/d.ts", "e.ts"];
  const made = files.map((path) => toolCallEntries({ arguments: { path, content: "x" } }, {}));
  const readEntries = toolCallEntries({ arguments: { path: "f.md" } }, {});
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["rm /tmp/a.mjs", ["/tmp/.a", "/tmp/a-1.json", "e.ts", "src/b.ts", "src/c/d.ts"]],
    ["rm -f /tmp/a*", ["/tmp/.a", "e.ts", "src/b.ts", "src/c/d.ts"]],
    ["rm -f /tmp/*", ["/tmp/.a", "e.ts", "src/b.ts", "src/c/d.ts"]],
    ["rm -f /tmp/*-*.json", ["/tmp/.a", "/tmp/a.mjs", "e.ts", "src/b.ts", "src/c/d.ts"]],
    ["rm -rf src/", ["/tmp/.a", "/tmp/a-1.json", "/tmp/a.mjs", "e.ts"]],
    ["rm -rf */c", ["/tmp/.a", "/tmp/a-1.json", "/tmp/a.mjs", "e.ts", "src/b.ts"]],
    ["cd src && rm -r c ./b.ts", ["/tmp/.a", "/tmp/a-1.json", "/tmp/a.mjs", "e.ts"]],
    ["unlink ./e.ts; git rm -rq src", ["/tmp/.a", "/tmp/a-1.json", "/tmp/a.mjs"]],
    ["git rm --cached e.ts; git rm -n src/b.ts", files],
    ["rm $A '/tmp/a*' /tmp/a? srcs", files],
    ["mv e.ts src", ["/tmp/.a", "/tmp/a-1.json", "/tmp/a.mjs", "src/b.ts", "src/c/d.ts", "src/e.ts"]],
    ["git mv src lib", ["/tmp/.a", "/tmp/a-1.json", "/tmp/a.mjs", "e.ts", "lib/b.ts", "lib/c/d.ts"]],
    ["rm e.ts; echo x > e.ts", files],
    ["rm -rf /tmp src e.ts f.md", []],
  ];
  test.each(cases)("LED12 %s", (line, expected) => {
    const { read: looks, modified: changes } = collectFileLists(
      createEntries(...made, readEntries, bashCallEntries(line)),
    );
    expect([changes, looks]).toEqual([expected.toSorted(), line.includes("f.md") ? [] : ["f.md"]]);
  });

  test("LED12 but stays if the call failed", () => {
    const failed = bashCallEntries("rm -rf src", { isError: true });
    expect(collectFileLists(createEntries(...made, failed)).modified).toEqual(files.toSorted());
  });
});

test("LED1 a call that failed modified nothing", () => {
  const work = createEntries(
    toolCallEntries({ arguments: { path: "a", content: "x" } }, { isError: true }),
    bashCallEntries("cat b > c", { isError: true }),
    userBashEntry("cat d > e", { exitCode: 1 }),
    userBashEntry("cat f > g", { cancelled: true }),
    toolCallEntries({ arguments: { path: "h", content: "x" } }),
  );
  expect(collectFileLists(work)).toEqual({ read: ["b", "d", "f"], modified: ["h"] });
});

test("LED1 calls of a reply that failed or was stopped do not count", () => {
  const call = { type: "toolCall", id: "c1", name: "write", arguments: { path: "a", content: "x" } };
  for (const stopReason of ["error", "aborted"])
    expect(collectFileLists(createEntries(messageEntry({ role: "assistant", content: [call], stopReason })))).toEqual(
      nothing,
    );
});

test("LED1 a result belongs to the newest call with its id", () => {
  const write = (path: string): EntryFields => ({ id: "same", arguments: { path, content: "x" } });
  const answer = { toolCallId: "same" };
  const work = createEntries(
    toolCallEntries(write("a"), answer),
    toolCallEntries(write("b"), { ...answer, isError: true }),
    toolCallEntries(write("c"), answer),
  );
  expect(collectFileLists(work)).toEqual(modified("a", "c"));
});

test("LED1 calls that a tool made on its own count as calls", () => {
  const nestedCalls = [
    { name: "read", arguments: { path: "a" } },
    { name: "write", arguments: { path: "b", content: "x" } },
    { name: "bash", arguments: { command: "touch c" } },
    null,
    7,
    { arguments: "x" },
  ];
  expect(collectFileLists(createEntries(toolCallEntries({ name: "code", arguments: {} }, { nestedCalls })))).toEqual({
    read: ["a"],
    modified: ["b", "c"],
  });
});

test("LED6 a shell line that is excluded from the context adds no files", () => {
  expect(collectFileLists(createEntries(userBashEntry("cat secret > a", { excludeFromContext: true })))).toEqual(
    nothing,
  );
});

test("LED2 INV40 modified files are not in the read list, and both lists are sorted", () => {
  const entries = story(
    "calls: read path=b; read path=a; read path=c; write path=b content=x",
    "calls: edit path=a oldText=x newText=y; read path=a; read path=c",
  );
  expect(collectFileLists(entries)).toEqual({ read: ["c"], modified: ["a", "b"] });
});

test("LED2 INV40 the file lists of compactions and branch summaries count, whichever program wrote them", () => {
  const work = createEntries(
    compactionEntry({ readFiles: ["a", "b"], modifiedFiles: ["c"] }, { fromHook: true }),
    branchSummaryEntry({ readFiles: ["d", 7], modifiedFiles: ["b"] }),
    toolCallEntries({ arguments: { path: "c" } }, {}),
    compactionEntry(null),
    branchSummaryEntry({ readFiles: "a" }),
  );
  expect(collectFileLists(work)).toEqual({ read: ["a", "d"], modified: ["b", "c"] });
});

const file = fc.constantFrom("a", "b", "src/c", "src/d", "/e", "f g");
const randomWork: fc.Arbitrary<readonly EntryFields[]> = fc.oneof(
  file.map((path) => toolCallEntries({ arguments: { path } }, {})),
  fc
    .tuple(file, fc.boolean())
    .map(([path, isError]) => toolCallEntries({ arguments: { path, content: "x" } }, { isError })),
  file.map((path) => bashCallEntries(`rm '${path}'`)),
  file.map((path) => [userBashEntry(`cat '${path}'`)]),
);

test("LED2 INV40 INV41 the lists are the same however often the branch was compacted or left", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(randomWork, { maxLength: 5 }), { maxLength: 8 }),
      fc.array(fc.boolean()),
      (parts, kinds) => {
        let work: readonly EntryFields[] = [];
        parts.forEach((part, at) => {
          const { read: readFiles, modified: modifiedFiles } = collectFileLists(createEntries(work, part.flat()));
          const details = { readFiles, modifiedFiles };
          work = [kinds[at] ? branchSummaryEntry(details) : compactionEntry(details)];
        });
        expect(collectFileLists(createEntries(work))).toEqual(collectFileLists(createEntries(parts.flat(2))));
      },
    ),
  );
});

const fixtures = join(import.meta.dirname, "../../../../../shared/fixtures/pi-sessions");

/** Files that the session deleted or moved later, by `rm` and `mv`. pi still names them. */
const goneFiles = {
  "before-compaction": [
    "src/tui/tui-renderer.ts",
    "docs/refactor.md",
    "src/messages.ts",
    "src/session-manager.ts",
    "src/main-new.ts",
    "src/cli-new.ts",
    "src/utils/config.ts",
  ].map((path) => `/Users/badlogic/workspaces/pi-mono/packages/coding-agent/${path}`),
  "large-session": ["~/.pi/agent/themes/nord.json"],
};

test.skipIf(!existsSync(fixtures)).each(["before-compaction", "large-session"] as const)(
  "LED1 LED2 LED12 for a real session of pi, all existing files that pi lists are listed, and more: %s",
  (name) => {
    const { lines } = decodeSession(readFileSync(join(fixtures, `${name}.jsonl`)), testRuntime());
    const entries = lines.map(({ entry }) => entry);
    const { read: readPaths, modified: changed } = collectFileLists(entries);
    const known = new Set<unknown>([...readPaths, ...changed]);
    const byPi = new Set(entries.flatMap(pathsForPi));
    expect([...byPi].filter((path) => !known.has(path))).toEqual(goneFiles[name]);
    expect(known.size).toBeGreaterThan(byPi.size);
  },
);

/** pi goes by the names of three tools. It also reads half a path from a reply that was stopped, which does not count here. */
function pathsForPi(entry: Entry): readonly unknown[] {
  if (entry.type !== "message" || entry.message.role !== "assistant" || entry.message.stopReason === "aborted")
    return [];
  return entry.message.content.flatMap((block) =>
    block.type === "toolCall" && ["read", "write", "edit"].includes(block.name) ? [block.arguments.path] : [],
  );
}

test("LED1 a call, a result and details may contain any value", () => {
  const anything = fc.anything({ withNullPrototype: true, withBigInt: true });
  const call = fc.record({
    arguments: fc.oneof(anything, fc.record({ path: anything, command: fc.string(), edits: anything })),
  });
  const result = fc.record({ details: anything, nestedCalls: anything, content: anything });
  fc.assert(
    fc.property(call, result, anything, (toolCall, answered, details) => {
      const work = createEntries(
        toolCallEntries(toolCall, answered),
        compactionEntry(details),
        branchSummaryEntry(details),
        messageEntry({ role: "assistant", content: details }),
      );
      expect(fileTouches(work).every(({ path }) => typeof path === "string" && path.length <= 1000)).toBe(true);
    }),
  );
});

test("LED1 any text is accepted as a shell line", () => {
  const shellish = fc.array(fc.constantFrom(..."ab 'c\"$()<>|&;#\\\n-{}=", "cat ", "rm ", "<<EOF\n", "cd ", "sed -i "));
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        shellish.map((letters) => letters.join("")),
      ),
      (line) => {
        expect(() => collectFileLists(createEntries(bashCallEntries(line)))).not.toThrow();
      },
    ),
  );
});

describe("LED1 time is linear in the length of a shell line", () => {
  const pieces = [
    "'",
    '"',
    "\\",
    "$(",
    "<<A ",
    "<<A\n",
    ">a ",
    "rm a;",
    "a ",
    "-x ",
    "(",
    "&",
    "cd a;",
    "=",
    "cat -- - ",
  ];
  test.each(pieces)("LED1 %j", (piece) => {
    const [small, large] = [100_000, 400_000].map((letters) =>
      createEntries(bashCallEntries(`rm ${piece.repeat(letters / piece.length)}`)),
    );
    expectLinearTime(
      () => collectFileLists(small as readonly Entry[]),
      () => collectFileLists(large as readonly Entry[]),
    );
  });
});
