/** A small workspace without a fault or a question, and the places where tests add one. */

import { PROGRAM_NAME } from "../packages.ts";
import type { FileTree } from "./run-script.ts";

export const CONTEXT_SOURCES = "packages/context/src";

export const cleanWorkspace: FileTree = {
  "ARCHITECTURE.md": architecturePage([
    "packages/agent/src/compact.ts",
    `${CONTEXT_SOURCES}/compaction/compact.ts`,
    `${CONTEXT_SOURCES}/session/session.ts`,
  ]),
  "packages/context/package.json": formatManifest("@pith/context", {
    ".": "./src/index.ts",
    "./node": "./src/node/index.ts",
    "./package.json": "./package.json",
  }),
  [`${CONTEXT_SOURCES}/index.ts`]: sourceFile(
    `export { compact } from "./compaction/compact.ts";\nexport { role } from "./message.ts";\nexport type * from "./entry.ts";`,
  ),
  [`${CONTEXT_SOURCES}/message.ts`]: sourceFile(`export const role = "Date.now"; // Date.now`),
  [`${CONTEXT_SOURCES}/entry.ts`]: sourceFile(`import { role } from "./message.ts";\n\nexport const parent = role;`),
  [`${CONTEXT_SOURCES}/session/session.ts`]: sourceFile(
    `import { parent } from "../entry.ts";\n\nexport class Session {}\nparent;`,
  ),
  ...twoMoreFiles(`${CONTEXT_SOURCES}/session`),
  [`${CONTEXT_SOURCES}/compaction/compact.ts`]: sourceFile(
    `import type { Session } from "../session/session.ts";\n\nexport const compact: Session[] = [];`,
  ),
  ...twoMoreFiles(`${CONTEXT_SOURCES}/compaction`),
  ...twoMoreFiles(`${CONTEXT_SOURCES}/node`),
  [`${CONTEXT_SOURCES}/node/index.ts`]: sourceFile(`export { parent, parent as role } from "../entry.ts";`),
  [`${CONTEXT_SOURCES}/node/clock.ts`]: `#!/usr/bin/env node\n${sourceFile(`import "node:fs";\n\nDate.now();`)}`,
  "packages/context/test/entry.test.ts": sourceFile(`import "../../models/src/convert.ts";`),
  "packages/agent/package.json": formatManifest("@pith/agent", { ".": "./src/index.ts" }),
  "packages/agent/src/compact.ts": sourceFile(`import { compact } from "@pith/context";\n\ncompact({});`),
  "packages/models/package.json": formatManifest("@pith/models", {
    ".": "./src/index.ts",
    "./convert": "./src/convert.ts",
  }),
  "packages/models/src/convert.ts": sourceFile(
    `import { role } from "@pith/context";\nimport "ai";\n\nexport const request = role;`,
  ),
  "packages/cli/package.json": formatManifest(PROGRAM_NAME, "./src/index.ts"),
  "bench/package.json": formatManifest("@pith/bench", { "./*": "./src/*.ts" }),
  "bench/src/suite.ts": sourceFile(
    `import "${PROGRAM_NAME}";\nimport "@pith/models";\nimport "../../packages/context/test/support/story.ts";`,
  ),
  "evals/package.json": formatManifest("@pith/evals", {}),
  "evals/src/run.ts": sourceFile(`import "@pith/bench/suite";`),
  "examples/01-tree.ts": sourceFile(`import "@pith/context/node";`),
};

function formatManifest(name: string, exports: string | Readonly<Record<string, string>>): string {
  return JSON.stringify({ name, exports });
}

/** ARCHITECTURE.md with its three lists of files; the first item of the compaction path is on line 4. */
export function architecturePage(compactionFiles: readonly string[], turnFiles: readonly string[] = []): string {
  const formatList = (name: string, files: readonly string[]): readonly string[] => [
    `<!-- ${name} -->`,
    ...files.map((path) => `- \`${path}\`: does its part.`),
    `<!-- end of ${name} -->`,
    "",
  ];
  return [
    "# Architecture",
    "",
    ...formatList("compaction path", compactionFiles),
    ...formatList("turn path", turnFiles),
    ...formatList("bash path", []),
    ...formatList("compact command path", []),
    ...formatList("print path", []),
  ].join("\n");
}

/** Two more files for a folder, so that its size is no question. */
export function twoMoreFiles(folder: string): FileTree {
  return { [`${folder}/second.ts`]: sourceFile(""), [`${folder}/third.ts`]: sourceFile("") };
}

/** A file with an opening sentence; the text begins on its third line. */
export function sourceFile(text: string): string {
  return `/** A file. */\n\n${text}\n`;
}

/** Files with one fault, and where it is, as `path:line`. */
export interface FaultyFiles {
  readonly files: FileTree;
  readonly at: string;
}

export function faultInMessage(text: string): FaultyFiles {
  return {
    files: { [`${CONTEXT_SOURCES}/message.ts`]: `${sourceFile(text)}export const role = "";\n` },
    at: `${CONTEXT_SOURCES}/message.ts:3`,
  };
}

export function faultInConvert(text: string): FaultyFiles {
  return { files: { "packages/models/src/convert.ts": sourceFile(text) }, at: "packages/models/src/convert.ts:3" };
}
