/** Tests the API page: it is generated from the entry points and their comments, and gaps are reported where they are. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkDocs } from "../check-docs.ts";
import { readApi } from "../docs/api.ts";
import { createGenerators, regeneratePage } from "../docs/generated.ts";
import { sourceFile } from "./clean-workspace.ts";
import { type FileTree, runScript, writeTree } from "./run-script.ts";

const source = "packages/context/src";
const clean: FileTree = {
  "packages/context/package.json": JSON.stringify({
    name: "@pith/context",
    exports: { ".": "./src/index.ts", "./node": "./src/node/index.ts", "./package.json": "./package.json" },
  }),
  [`${source}/index.ts`]: `/** Exports \`@pith/context\`: stores and limits. */

export { type Order, place, MOST, Shop } from "./session/order.ts";
export type * from "./message.ts";
`,
  [`${source}/node/index.ts`]: `/** Exports \`@pith/context/node\`: the disk. */

export { type Paper as Sheet } from "../message.ts";
`,
  [`${source}/session/order.ts`]: sourceFile(`/** What is ordered. */
export interface Order {
  readonly what: string;
  readonly count?: number;
}

/** Places an order. It is not sent yet. */
export async function place({ what, count = 1 }: Order): Promise<{ readonly done: true } | null> {
  return count > 0 && what !== "" ? { done: true } : null;
}

/** How many at most. */
export const MOST = 3;

/** Takes orders. */
export class Shop {
  /** The orders so far. */
  get orders(): readonly Order[] {
    return [];
  }
  /** Opens a shop. */
  static open(
    name: string,
  ): Shop {
    return new Shop();
  }
}

export const hidden = 4;`),
  [`${source}/message.ts`]: sourceFile(`/** What it is wrapped in. Not by us. */
export interface Paper {
  readonly colour: string;
}

export const red = "red";`),
  "examples/api/sessions.ts": `import "x";\n`,
  "docs/api.md": "# Orders\n\n<!-- generated: api -->\n<!-- end -->\n",
};

function write(tree: FileTree): { readonly root: string; readonly page: string } {
  const root = writeTree(tree);
  const page = regeneratePage(tree["docs/api.md"] ?? "", createGenerators(readApi(root)));
  writeFileSync(join(root, "docs/api.md"), page);
  return { root, page };
}

function listFaults(change: FileTree): readonly string[] {
  const { root } = write({ ...clean, ...change });
  return checkDocs(root).faults.map(({ path, line, sentence }) => `${path}:${line} ${sentence}`);
}

const expectedPage = `# Orders

<!-- generated: api -->
## @pith/context

Stores and limits.

### Sessions

Example: [examples/api/sessions.ts](../examples/api/sessions.ts).

| name and signature | what it does |
| --- | --- |
| \`class Shop\` | Takes orders. |
| \`shop.orders: Order[]\` | The orders so far. |
| \`Shop.open(name: string): Shop\` | Opens a shop. |
| \`place({ what, count = 1 }: Order): Promise<{ done: true } \\| null>\` | Places an order. |
| \`MOST = 3\` | How many at most. |
| \`Order = { what, count? }\` | What is ordered. |

### Messages

| name and signature | what it does |
| --- | --- |
| \`Paper = { colour }\` | What it is wrapped in. |

## @pith/context/node

The disk.

### Messages

| name and signature | what it does |
| --- | --- |
| \`Sheet = { colour }\` | What it is wrapped in. |
<!-- end -->
`;

test("the API page has a table per entry point and subject, functions first, with one sentence each", () => {
  const { root, page } = write(clean);
  expect(page).toBe(expectedPage);
  expect(checkDocs(root).faults).toEqual([]);
});

const order = clean[`${source}/session/order.ts`] ?? "";

test.each<[string, FileTree, string]>([
  [
    "an export without a sentence",
    { [`${source}/session/order.ts`]: order.replace("/** How many at most. */", "// How many at most.") },
    `${source}/session/order.ts:15 MOST is exported without a comment; add a \`/** … */\` sentence`,
  ],
  [
    "a type without a sentence",
    { [`${source}/session/order.ts`]: order.replace("/** What is ordered. */", "// What is ordered.") },
    `${source}/session/order.ts:4 Order is exported without a comment; add a \`/** … */\` sentence`,
  ],
  [
    "an export that no file declares",
    { [`${source}/index.ts`]: `${clean[`${source}/index.ts`]}export { lost } from "./message.ts";\n` },
    `${source}/index.ts:1 lost is exported, but no file declares it`,
  ],
  [
    "a page that is too long",
    { "docs/api.md": `${clean["docs/api.md"]}${"\n".repeat(900)}` },
    "docs/api.md:901 it has 936 lines; at most 900 are allowed",
  ],
])("check-docs reports %s", (_, change, fault) => {
  expect(listFaults(change)).toEqual([fault]);
});

test("check-docs reports an API page that is out of date, and --write updates it", () => {
  const stale = writeTree({ ...clean, "docs/api.md": write(clean).page.replace("= 3", "= 4") });
  expect(checkDocs(stale).faults.map(({ sentence }) => sentence)).toEqual([
    "api is out of date; run `pnpm write-docs`",
  ]);
  expect(runScript("check-docs.ts", stale).status).toBe(1);
  expect(runScript("check-docs.ts", "--write", stale).lines).toEqual(["wrote docs/api.md"]);
  expect(checkDocs(stale).faults).toEqual([]);
});
