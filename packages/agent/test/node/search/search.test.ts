/** Tests node/search/search.ts: list, search. */

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import type { WorkspaceSearch } from "../../../src/ports.ts";
import {
  createSearchFolder,
  engines,
  findNames,
  formatHits,
  grepLines,
  runWithoutRoot,
  type SearchFolder,
  searchOptions,
} from "../../support/file-tools.ts";

describe("list", () => {
  test("SEEK13 lists a folder by name with kinds and sizes, including ignored and hidden names", async () => {
    const { put, at, search } = createSearchFolder();
    put({ ".gitignore": "b", b: "four", "a/x": "", ".git/x": "" });
    symlinkSync("a", at("link"));
    execFileSync("mkfifo", [at("pipe")]);
    expect(await search(null).list(".", searchOptions())).toEqual({
      type: "found",
      items: [
        { name: ".git/", kind: "folder" },
        { name: ".gitignore", kind: "file", bytes: 1 },
        { name: "a/", kind: "folder" },
        { name: "b", kind: "file", bytes: 4 },
        { name: "link", kind: "link" },
        { name: "pipe", kind: "other" },
      ],
      isComplete: true,
    });
  });

  test("SEEK6 lists the first of many names up to the limit", async () => {
    const { put, search } = createSearchFolder();
    put(Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`f${String(1_499 - at).padStart(4, "0")}`, ""])));
    const found = await search(null).list(".", searchOptions(2));
    expect(found).toMatchObject({ items: [{ name: "f0000" }, { name: "f0001" }], isComplete: false });
  });

  test("SEEK10 explains that a path is missing or not a folder", async () => {
    const { put, search } = createSearchFolder();
    put({ "source/x": "" });
    const missing = "sorce does not exist; the folder contains source/";
    expect(await search(null).list("sorce", searchOptions())).toEqual({ type: "missing", message: missing });
    expect(await search(null).list("source/x", searchOptions())).toMatchObject({
      type: "refused",
      message: expect.stringContaining("file, not a folder"),
    });
  });
});

describe("search", () => {
  describe.each(engines)("%s", (_, ripgrep) => {
    const writeFiles = (
      files: Readonly<Record<string, string | Uint8Array>>,
    ): SearchFolder & { readonly here: WorkspaceSearch } => {
      const made = createSearchFolder();
      made.put(files);
      return { ...made, here: made.search(ripgrep) };
    };

    test("TYP11 an unordered search returns files as they are found, up to the limit, without ignored ones", async () => {
      const { here } = writeFiles({ ".gitignore": "out/\n", "a/b.txt": "", "c.txt": "", "out/d.txt": "" });
      const findQuery = { folder: ".", glob: "**", isUnordered: true };
      const all = await here.find(findQuery, searchOptions());
      expect(all).toMatchObject({ type: "found", isComplete: true });
      expect((all.type === "found" ? all.items : []).toSorted()).toEqual([".gitignore", "a/b.txt", "c.txt"]);
      const two = await here.find(findQuery, searchOptions(2));
      expect(two).toMatchObject({ type: "found", isComplete: false });
      expect(two.type === "found" && two.items).toHaveLength(2);
    });

    test("SEEK19 a glob with an exclamation mark excludes the files that match, in grep and in find", async () => {
      const { here } = writeFiles({ "a.ts": "needle", "b.md": "needle", "src/c.ts": "needle", "src/d.md": "needle" });
      expect(await grepLines(here, { glob: "!*.ts" })).toEqual(["b.md:1:needle", "src/d.md:1:needle"]);
      expect(await grepLines(here, { glob: "!src/**" })).toEqual(["a.ts:1:needle", "b.md:1:needle"]);
      expect(await grepLines(here, { glob: "!*.{ts,md}" })).toEqual([]);
      expect(await findNames(here, "!*.ts")).toEqual(["b.md", "src/d.md"]);
    });

    test("SEEK2 both engines return hits in the order of the tree, by name", async () => {
      const files = {
        "b.txt": "needle",
        "a/z.txt": "needle\n\nneedle",
        "a.txt": "needle",
        "B.txt": "needle",
        ".hidden/x": "needle",
      };
      const { here } = writeFiles(files);
      const found = [
        ".hidden/x:1:needle",
        "B.txt:1:needle",
        "a/z.txt:1:needle",
        "a/z.txt:3:needle",
        "a.txt:1:needle",
        "b.txt:1:needle",
      ];
      expect(await grepLines(here, {})).toEqual(found);
    });

    test.each([
      [{ pattern: "f(o+)\\b" }, ["x:1:foo bar", "x:2:foo(1)"]],
      [{ pattern: "foo(1)", isLiteral: true }, ["x:2:foo(1)"]],
      [{ pattern: "FOO", ignoresCase: true }, ["x:1:foo bar", "x:2:foo(1)", "x:4:FOOÄ"]],
      [{ pattern: "(?i)fooä" }, ["x:4:FOOÄ"]],
      [{ pattern: "^[[:upper:]]+" }, ["x:4:FOOÄ"]],
      [{ pattern: "\\bärger\\w\\b" }, ["x:8:der ärgerß?"]],
      [{ pattern: "[\\w]ß\\?" }, ["x:8:der ärgerß?"]],
      [{ pattern: "o\\W\\d" }, ["x:2:foo(1)"]],
      [{ pattern: '\\-t\\s?s|\\"' }, ["x:7:-ts"]],
      [{ pattern: "end$" }, ["x:5:crlf end"]],
      [{ pattern: "\\.ts" }, ["x:6:a.ts"]],
      [{ pattern: "-ts" }, ["x:7:-ts"]],
      [{ pattern: "[^\\n]ts" }, ["x:6:a.ts", "x:7:-ts"]],
      [{ pattern: "nowhere" }, []],
    ])("SEEK2 %o finds the same lines in both engines", async (query, found) => {
      const { here } = writeFiles({ x: "foo bar\nfoo(1)\n\nFOOÄ\ncrlf end\r\na.ts\n-ts\nder ärgerß?\n" });
      expect(await grepLines(here, query)).toEqual(found);
    });

    test("SEEK2 context lines are shown once, and end with the file", async () => {
      const { here } = writeFiles({ x: "1\n2\nneedle\n4\nneedle\n6\n7\n8\nneedle\n", y: "no\n" });
      const found = ["x-2-2", "x:3:needle", "x-4-4", "x:5:needle", "x-6-6", "x-8-8", "x:9:needle"];
      expect(await grepLines(here, { contextLines: 1 })).toEqual(found);
      expect(await grepLines(here, { contextLines: 1 }, 1)).toEqual(["x-2-2", "x:3:needle", "x-4-4", "more"]);
      expect(await grepLines(here, { contextLines: 1 }, 2)).toEqual([...found.slice(0, 5), "more"]);
    });

    test("SEEK3 ignored files and .git are left out, hidden files are searched", async () => {
      const { here } = writeFiles({
        ".gitignore": "*.log\n/build/\n!keep.log\n",
        ".git/config": "needle",
        ".github/x.yml": "needle",
        "a.log": "needle",
        "keep.log": "needle",
        "build/x": "needle",
        "sub/build/x": "needle",
        "sub/.gitignore": "secret\n!b.log\n",
        "sub/secret": "needle",
        "sub/b.log": "needle",
        secret: "needle",
      });
      const paths = [".github/x.yml", "keep.log", "secret", "sub/b.log", "sub/build/x"];
      expect(await grepLines(here, {})).toEqual(paths.map((path) => `${path}:1:needle`));
      expect([...(await findNames(here, "*"))].sort()).toEqual([
        ".github/x.yml",
        ".gitignore",
        "keep.log",
        "secret",
        "sub/.gitignore",
        "sub/b.log",
        "sub/build/x",
      ]);
    });

    test("SEEK3 a named path is searched even if ignored; rules of its parents still apply", async () => {
      const { here } = writeFiles({
        ".gitignore": "*.log\nbuild/\n",
        "build/a.log": "needle",
        "build/in/x": "needle",
        "sub/y.log": "needle",
        "sub/y": "needle",
      });
      expect(await grepLines(here, { path: "build" })).toEqual(["a.log:1:needle", "in/x:1:needle"]);
      expect(await grepLines(here, { path: "build/in" })).toEqual(["x:1:needle"]);
      expect(await grepLines(here, { path: "sub" })).toEqual(["y:1:needle"]);
      expect(await grepLines(here, { path: "sub/y.log" })).toEqual(["y.log:1:needle"]);
    });

    test("SEEK4 links are not followed unless named", async () => {
      const { here, at } = writeFiles({ "a/x": "needle" });
      symlinkSync("..", at("a/round"));
      symlinkSync("/", at("out"));
      symlinkSync("a", at("link"));
      symlinkSync("a/x", at("one"));
      expect(await grepLines(here, {})).toEqual(["a/x:1:needle"]);
      expect(await findNames(here, "*")).toEqual(["a/x"]);
      expect(await grepLines(here, { path: "link" })).toEqual(["x:1:needle"]);
      expect(await grepLines(here, { path: "one" })).toEqual(["one:1:needle"]);
    });

    test("SEEK4 unreadable files are skipped, and reported if named", async () => {
      const { here, at, root } = writeFiles({ "closed/x": "needle", "open/x": "needle", "open/secret": "needle" });
      chmodSync(root, 0o755);
      chmodSync(at("closed"), 0o000);
      chmodSync(at("open/secret"), 0o000);
      await runWithoutRoot(async () => {
        expect(await grepLines(here, {})).toEqual(["open/x:1:needle"]);
        expect(await findNames(here, "x")).toEqual(["open/x"]);
        expect(await grepLines(here, { path: "closed" })).toEqual([
          expect.stringContaining("closed cannot be read: permission denied"),
        ]);
        expect(await grepLines(here, { path: "open/secret" })).toEqual([expect.stringContaining("permission denied")]);
      });
      chmodSync(at("closed"), 0o755);
    });

    test("SEEK4 file names may contain line breaks or invalid UTF-8", async () => {
      const { here, at } = writeFiles({ "two\nlines/-x": "needle", "[a]": "needle" });
      const odd = Buffer.concat([Buffer.from(at("odd")), Buffer.from([0xff])]);
      mkdirSync(odd);
      writeFileSync(Buffer.concat([odd, Buffer.from("/y")]), "needle");
      expect(await grepLines(here, {})).toEqual(["[a]:1:needle", "odd\uFFFD/y:1:needle", "two\nlines/-x:1:needle"]);
      expect(new Set(await findNames(here, "*"))).toEqual(new Set(["[a]", "odd\uFFFD/y", "two\nlines/-x"]));
      expect(await grepLines(here, { path: "two\nlines/-x" })).toEqual(["-x:1:needle"]);
    });

    test("SEEK5 a binary file has no hits, wherever its first NUL is; UTF-16 and odd bytes are text", async () => {
      const late = `needle\n${"x".repeat(99)}\n`.repeat(3_000);
      const { here } = writeFiles({
        early: "needle\0\nneedle\n",
        late: `${late}\0`,
        wide: Buffer.from("\uFEFFfirst\nneedle ä\n", "utf16le"),
        marked: "\uFEFFneedle\n",
        odd: Buffer.from([...Buffer.from("needle "), 0xff, 0xe4]),
      });
      expect(await grepLines(here, {}, 100_000)).toEqual([
        "marked:1:needle",
        "odd:1:needle \uFFFD\uFFFD",
        "wide:2:needle ä",
      ]);
      expect(await grepLines(here, { pattern: "^needle", path: "marked" })).toEqual(["marked:1:needle"]);
      expect(await grepLines(here, { path: "early" })).toEqual([]);
    });

    test.each([0, 400, 20_000, 3_000_000])(
      "SEEK5 for a long line, the part around the hit is returned, here at %i",
      async (place) => {
        const { here } = writeFiles({ x: `short\n${"ä".repeat(place)}needle${"z".repeat(3_000_000)}\nafter\n` });
        const found = await here.grep({ pattern: "needle", path: ".", contextLines: 1 }, searchOptions());
        if (found.type !== "found") throw new Error(found.message);
        expect(found.items.map(({ line, isContext }) => [line, isContext])).toEqual([
          [1, true],
          [2, false],
          [3, true],
        ]);
        const text = found.items[1]?.text ?? "";
        expect(text.length).toBeLessThanOrEqual(500);
        expect(text).toMatch(place === 0 ? /^needlez+\[…\]$/ : /ä{150}needlez+\[…\]$/);
      },
    );

    test("SEEK5 a line of many megabytes does not take that much memory", async () => {
      const { here, at } = writeFiles({ x: "" });
      const file = openSync(at("x"), "w");
      for (let megabyte = 0; megabyte < 160; megabyte += 1) writeSync(file, "y".repeat(1024 * 1024));
      writeSync(file, "needle");
      closeSync(file);
      const before = process.memoryUsage.rss();
      expect(await grepLines(here, { path: "x" })).toEqual([expect.stringMatching(/^x:1:\[…\]y+needle$/)]);
      expect(await grepLines(here, {})).toEqual([]);
      truncateSync(at("x"), 48 * 1024 * 1024);
      expect(await grepLines(here, { pattern: "y", glob: "x" })).toEqual([expect.stringMatching(/^x:1:y+\[…\]$/)]);
      expect(process.memoryUsage.rss() - before).toBeLessThan(128 * 1024 * 1024);
    });

    test("SEEK6 a search stops at the limit and reports that there is more", async () => {
      const { here } = writeFiles({ a: "needle\n".repeat(3), b: "needle\n".repeat(100_000), c: "needle" });
      const all = ["a:1:needle", "a:2:needle", "a:3:needle", "b:1:needle", "b:2:needle"];
      expect(await grepLines(here, {}, 5)).toEqual([...all, "more"]);
      expect(await grepLines(here, {}, 3)).toEqual([...all.slice(0, 3), "more"]);
      expect(await grepLines(here, { path: "a" }, 3)).toEqual(all.slice(0, 3));
    });

    test("SEEK7 an aborted search throws, also if aborted before it starts", async () => {
      const { here } = writeFiles(
        Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`d${at}/x`, "needle\n".repeat(1_000)])),
      );
      const before = { signal: AbortSignal.abort(new Error("no more")), maxResults: 9 };
      await expect(here.grep({ pattern: "x", path: "." }, before)).rejects.toThrow("no more");
      await expect(here.find({ folder: ".", glob: "*" }, before)).rejects.toThrow("no more");
      await expect(here.list(".", before)).rejects.toThrow("no more");
      const stop = new AbortController();
      const grep = here.grep({ pattern: "needle", path: "." }, { signal: stop.signal, maxResults: 1_000_000 });
      setImmediate(() => stop.abort(new Error("enough")));
      await expect(grep).rejects.toThrow("enough");
    });

    test.each([
      ["*.ts", ["a.ts", ".b.ts", "src/c.ts", "src/in/d.test.ts"]],
      ["src/*.ts", ["src/c.ts"]],
      ["./src/**/*.ts", ["src/c.ts", "src/in/d.test.ts"]],
      ["**/in/**", ["src/in/d.test.ts"]],
      ["src/", ["src/c.ts", "src/in/d.test.ts"]],
      ["*.{md,tsx}", ["e.tsx", "F.md"]],
      ["{src/*.ts,F.*}", ["src/c.ts", "F.md"]],
      ["f.md", []],
      ["?.ts", ["a.ts", "src/c.ts"]],
      ["[!a].ts", ["src/c.ts"]],
    ])(
      "SEEK12 %s matches the same files in both engines, newest first, and grep searches only those",
      async (glob, fitting) => {
        const files = {
          "a.ts": "needle",
          ".b.ts": "needle",
          "src/c.ts": "needle",
          "src/in/d.test.ts": "needle",
          "e.tsx": "needle",
          "F.md": "needle",
        };
        const { here } = writeFiles(files);
        expect(await findNames(here, glob)).toEqual(fitting);
        expect(new Set(await grepLines(here, { glob }))).toEqual(new Set(fitting.map((path) => `${path}:1:needle`)));
      },
    );

    test("SEEK12 a named file is searched, whatever the glob", async () => {
      const { here } = writeFiles({ "src/a.ts": "needle" });
      expect(await grepLines(here, { path: "src/a.ts", glob: "src/**/*.js" })).toEqual(["a.ts:1:needle"]);
    });

    test("SEEK12 a glob does not include ignored files", async () => {
      const { here } = writeFiles({ ".gitignore": "*.min.js\n", "a.min.js": "needle", "a.js": "needle" });
      expect(await findNames(here, "*.js")).toEqual(["a.js"]);
      expect(await grepLines(here, { glob: "*.js" })).toEqual(["a.js:1:needle"]);
    });

    test("SEEK10 explains that a path is missing, not a folder, or a pattern is invalid", async () => {
      const { here } = writeFiles({ "readme.md": "x" });
      expect(await grepLines(here, { path: "README.txt" })).toEqual([
        "missing: README.txt does not exist; the folder contains readme.md",
      ]);
      expect(await findNames(here, "*", "readme.md")).toEqual(["refused: readme.md is a file, not a folder"]);
      expect(await findNames(here, "{a,b}".repeat(20))).toEqual([
        "refused: the glob expands to too many patterns; use fewer braces",
      ]);
      expect(await grepLines(here, { pattern: "a(" })).toEqual([
        expect.stringMatching(
          /^refused: pattern is not a valid regular expression: .+ group; to search for plain text, set literal$/i,
        ),
      ]);
      expect(await grepLines(here, { pattern: "a\\nb" })).toEqual([expect.stringContaining("contains a line break")]);
      expect(await grepLines(here, { path: "a\0b" })).toEqual([expect.stringMatching(/^refused/)]);
    });
  });

  describe("without ripgrep", () => {
    test("SEEK11 an ignore rule with many stars is dropped", async () => {
      const fixture = createSearchFolder();
      const name = "a".repeat(250);
      fixture.put({ ".gitignore": `${"*a".repeat(30)}b\nother\n`, [name]: "needle", other: "needle" });
      expect(await grepLines(fixture.search(null), {})).toEqual([`${name}:1:needle`]);
    });

    test("SEEK11 a pattern that would take forever is aborted", async () => {
      const fixture = createSearchFolder();
      fixture.put({ x: `${"a".repeat(40)}b` });
      const found = await fixture.search(null).grep({ pattern: "^(a+)+$", path: "." }, searchOptions());
      expect(formatHits(found)).toEqual([expect.stringContaining("stopped in x: the pattern takes too long")]);
    });

    // Only /proc has files that can be opened but not read.
    test.runIf(process.platform === "linux")("SEEK4 a file that cannot be read does not end the search", async () => {
      const found = await createSearchFolder()
        .search(null)
        .grep({ pattern: "^Name:", path: "/proc/self" }, searchOptions());
      expect(formatHits(found)).toContainEqual(expect.stringMatching(/^status:1:Name:/));
    });
  });
});
