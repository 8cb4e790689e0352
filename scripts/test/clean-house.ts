/** A small house without a fault, and the places in it where a test plants one. */

import { PROGRAM_NAME } from "../build/packages.ts";
import type { Tree } from "./plant.ts";

export const clean: Tree = {
  "packages/context/package.json": manifest("@pith/context", {
    ".": "./src/index.ts",
    "./node": "./src/node/index.ts",
  }),
  "packages/context/src/index.ts": file(`export { role } from "./message.ts";\nexport type * from "./entry.ts";`),
  "packages/context/src/message.ts": file(`export const role = "Date.now"; // Date.now`),
  "packages/context/src/entry.ts": file(`import { role } from "./message.ts";\n\nexport const parent = role;`),
  "packages/context/src/session/tree.ts": file(`import { parent } from "../entry.ts";\n\nexport const tree = parent;`),
  ...others("packages/context/src/session"),
  ...others("packages/context/src/node"),
  "packages/context/src/node/clock.ts": `#!/usr/bin/env node\n${file(`import "node:fs";\n\nDate.now();`)}`,
  "packages/context/test/entry.test.ts": file(`import "../../models/src/convert.ts";`),
  "packages/models/package.json": manifest("@pith/models", { ".": "./src/index.ts", "./convert": "./src/convert.ts" }),
  "packages/models/src/convert.ts": file(
    `import { role } from "@pith/context";\nimport "ai";\n\nexport const request = role;`,
  ),
  "packages/ai-sdk/package.json": manifest("@pith/ai-sdk", {}),
  "packages/ai-sdk/src/index.ts": file(`export { request } from "@pith/models/convert";`),
  "packages/cli/package.json": manifest(PROGRAM_NAME, "./src/index.ts"),
  "bench/package.json": manifest("@pith/bench", { "./suite": "./src/suite.ts" }),
  "bench/src/suite.ts": file(`import "${PROGRAM_NAME}";\nimport "@pith/models";`),
  "evals/package.json": manifest("@pith/evals", {}),
  "evals/src/run.ts": file(`import "@pith/bench/suite";`),
  "examples/01-tree.ts": file(`import "@pith/context/node";`),
};

function manifest(name: string, exports: string | Readonly<Record<string, string>>): string {
  return JSON.stringify({ name, exports });
}

/** Two more files for a folder, so that nobody asks whether it is needed. */
export function others(folder: string): Tree {
  return { [`${folder}/second.ts`]: file(""), [`${folder}/third.ts`]: file("") };
}

/** A file that begins as it should; the text begins on its third line. */
export function file(text: string): string {
  return `/** A file. */\n\n${text}\n`;
}

/** Files that carry a line to be found, and where it stands, as `path:line`. */
export interface Place {
  readonly files: Tree;
  readonly at: string;
}

export const context = "packages/context/src";

export function inMessage(text: string): Place {
  return {
    files: { [`${context}/message.ts`]: `${file(text)}export const role = "";\n` },
    at: `${context}/message.ts:3`,
  };
}

export function inConvert(text: string): Place {
  return { files: { "packages/models/src/convert.ts": file(text) }, at: "packages/models/src/convert.ts:3" };
}
