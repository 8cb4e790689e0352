/** A small workspace without a fault or a question, and the places where tests add one. */

import { PROGRAM_NAME } from "../build/packages.ts";
import type { Tree } from "./plant.ts";

export const context = "packages/context/src";

export const clean: Tree = {
  "ARCHITECTURE.md": architecture([
    "packages/agent/src/compact.ts",
    `${context}/compaction/compact.ts`,
    `${context}/session/session.ts`,
  ]),
  "packages/context/package.json": manifest("@pith/context", {
    ".": "./src/index.ts",
    "./node": "./src/node/index.ts",
    "./package.json": "./package.json",
  }),
  [`${context}/index.ts`]: file(
    `export { compact } from "./compaction/compact.ts";\nexport { role } from "./message.ts";\nexport type * from "./entry.ts";`,
  ),
  [`${context}/message.ts`]: file(`export const role = "Date.now"; // Date.now`),
  [`${context}/entry.ts`]: file(`import { role } from "./message.ts";\n\nexport const parent = role;`),
  [`${context}/session/session.ts`]: file(`import { parent } from "../entry.ts";\n\nexport class Session {}\nparent;`),
  ...others(`${context}/session`),
  [`${context}/compaction/compact.ts`]: file(
    `import type { Session } from "../session/session.ts";\n\nexport const compact: Session[] = [];`,
  ),
  ...others(`${context}/compaction`),
  ...others(`${context}/node`),
  [`${context}/node/index.ts`]: file(`export { parent, parent as role } from "../entry.ts";`),
  [`${context}/node/clock.ts`]: `#!/usr/bin/env node\n${file(`import "node:fs";\n\nDate.now();`)}`,
  "packages/context/test/entry.test.ts": file(`import "../../models/src/convert.ts";`),
  "packages/agent/package.json": manifest("@pith/agent", { ".": "./src/index.ts" }),
  "packages/agent/src/compact.ts": file(`import { compact } from "@pith/context";\n\nexport const all = compact({});`),
  "packages/models/package.json": manifest("@pith/models", { ".": "./src/index.ts", "./convert": "./src/convert.ts" }),
  "packages/models/src/convert.ts": file(
    `import { role } from "@pith/context";\nimport "ai";\n\nexport const request = role;`,
  ),
  "packages/cli/package.json": manifest(PROGRAM_NAME, "./src/index.ts"),
  "bench/package.json": manifest("@pith/bench", { "./suite": "./src/suite.ts" }),
  "bench/src/suite.ts": file(
    `import "${PROGRAM_NAME}";\nimport "@pith/models";\nimport "../../packages/context/test/support/story.ts";`,
  ),
  "evals/package.json": manifest("@pith/evals", {}),
  "evals/src/run.ts": file(`import "@pith/bench/suite";`),
  "examples/01-tree.ts": file(`import "@pith/context/node";`),
};

function manifest(name: string, exports: string | Readonly<Record<string, string>>): string {
  return JSON.stringify({ name, exports });
}

/** ARCHITECTURE.md with a list of the files of a compaction; the first item is on line 4. */
export function architecture(files: readonly string[]): string {
  const items = files.map((path) => `- \`${path}\`: does its part.`);
  return ["# Architecture", "", "<!-- compaction path -->", ...items, "<!-- end of compaction path -->", ""].join("\n");
}

/** Two more files for a folder, so that its size is no question. */
export function others(folder: string): Tree {
  return { [`${folder}/second.ts`]: file(""), [`${folder}/third.ts`]: file("") };
}

/** A file with an opening sentence; the text begins on its third line. */
export function file(text: string): string {
  return `/** A file. */\n\n${text}\n`;
}

/** Files with one fault, and where it is, as `path:line`. */
export interface Place {
  readonly files: Tree;
  readonly at: string;
}

export function inMessage(text: string): Place {
  return {
    files: { [`${context}/message.ts`]: `${file(text)}export const role = "";\n` },
    at: `${context}/message.ts:3`,
  };
}

export function inConvert(text: string): Place {
  return { files: { "packages/models/src/convert.ts": file(text) }, at: "packages/models/src/convert.ts:3" };
}
