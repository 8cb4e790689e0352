/** Tests check-docs: links without a target and code that differs from its example are reported. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkDocs } from "../check-docs.ts";
import { type FileTree, runScript, writeTree } from "./run-script.ts";

const fence = (code: string): string => `<!-- examples/one.ts#screen -->\n\`\`\`ts\n${code}\`\`\`\n`;
const clean: FileTree = {
  "README.md": `see [words](docs/words.md), [home](https://example.org), [part](docs/words.md#part)\n${fence("const a = 1;\n")}`,
  "docs/words.md": "back to [readme](../README.md)",
  "packages/context/README.md": "[up](../../README.md)",
  "examples/one.ts": "before\n// #region screen\nconst a = 1;\n// #endregion\n",
};
const faultsOf = (tree: FileTree): readonly string[] =>
  checkDocs(writeTree(tree)).faults.map(({ path, line, sentence }) => `${path}:${line} ${sentence}`);

test("check-docs reports no fault in a clean tree", () => {
  const root = writeTree(clean);
  expect(checkDocs(root)).toEqual({ pages: 3, faults: [] });
  expect(runScript("check-docs.ts", root)).toEqual({ status: 0, lines: ["docs: 3 pages, 0 faults"] });
});

test.each([
  [
    "a link to a file that is gone",
    { "docs/words.md": "\n[x](rules.md)" },
    "docs/words.md:2 the link to rules.md has no target",
  ],
  [
    "code that differs from its example",
    { "README.md": fence("const a = 2;\n") },
    "README.md:1 differs from examples/one.ts, region screen; run `pnpm write-docs`",
  ],
  ["a region that is gone", { "examples/one.ts": "" }, "README.md:2 examples/one.ts has no region screen"],
])("check-docs reports %s with its line", (_, change, fault) => {
  const tree = { ...clean, ...change } as FileTree;
  expect(faultsOf(tree)).toEqual([fault]);
  expect(runScript("check-docs.ts", writeTree(tree)).status).toBe(1);
});

test("--write replaces code that differs from its example, also from an indented region", () => {
  const root = writeTree({
    ...clean,
    "README.md": fence("const a = 2;\n"),
    "examples/one.ts": "{\n  // #region screen\n  const a = 1;\n\n  {\n  }\n  // #endregion\n}\n",
  });
  expect(runScript("check-docs.ts", "--write", root)).toEqual({ status: 0, lines: ["wrote README.md"] });
  expect(readFileSync(join(root, "README.md"), "utf8")).toBe(fence("const a = 1;\n\n{\n}\n"));
  expect(checkDocs(root).faults).toEqual([]);
});

test("check-docs reports a missing path that a page names, except in decisions", () => {
  const tree = {
    "README.md":
      "Run `pnpm test packages/context/test/gone.test.ts`, see packages/context/src/there.ts.\nNot context/src/lost.ts, but context/src/there.ts.\n",
    "docs/decisions/0001-old.md": "It was in packages/context/src/gone.ts.\n",
    "packages/context/src/there.ts": "/** A file. */\n",
  };
  expect(checkDocs(writeTree(tree)).faults.filter(({ sentence }) => sentence.includes("exist"))).toEqual([
    { path: "README.md", line: 1, sentence: "packages/context/test/gone.test.ts does not exist" },
    { path: "README.md", line: 2, sentence: "context/src/lost.ts does not exist" },
  ]);
});
