/** The page of an API is made from the sources and the examples; what is missing in either is found where it stands. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readApi } from "../docs/api/read-api.ts";
import { docFaults } from "../docs/doc-faults.ts";
import { generators, regenerated } from "../docs/generated.ts";
import { file } from "./clean-workspace.ts";
import { plant, type Tree } from "./plant.ts";
import { runScript } from "./run-script.ts";

const source = "packages/context/src";
const clean: Tree = {
  [`${source}/index.ts`]: file(
    `export { type Gift, given, MOST } from "./giving/gift.ts";\nexport type * from "./paper.ts";`,
  ),
  [`${source}/giving/gift.ts`]: file(`import type { Need } from "./need.ts";

export type Gift = Need;

export type { Paper } from "../paper.ts";

/** Gives it away. */
export async function given({ to, by = "me" }: Gift): Promise<{ readonly done: true } | null> {
  return to === by ? null : { done: true };
}

/** How many at most. */
export const MOST = 3;

export const hidden = 4;`),
  [`${source}/giving/need.ts`]: file(`export interface Need {
  readonly to: string;
  readonly by?: string;
}`),
  [`${source}/paper.ts`]: file(`/** It is wrapped in this. Not by us. */
export interface Paper {
  readonly colour: string;
}

export const red = "red";`),
  "examples/api/gifts.ts": `import "x";
// #region given
const gift = await given({ to: "you" }); // { done: true }
// #endregion
if (gift) {
  // #region MOST
  const many = MOST; // 3
  // #endregion
}
`,
  "docs/api.md": `# Gifts

<!-- generated: api-contents -->
<!-- end -->

## To give

<!-- generated: api-gifts -->
<!-- end -->

<!-- generated: api-types -->
<!-- end -->
`,
};

function written(tree: Tree): { readonly root: string; readonly page: string } {
  const root = plant(tree);
  const page = regenerated(tree["docs/api.md"] ?? "", generators(readApi(root)));
  writeFileSync(join(root, "docs/api.md"), page);
  return { root, page };
}

function faultsOf(change: Tree): readonly string[] {
  const { root } = written({ ...clean, ...change });
  return docFaults(root).faults.map(({ path, line, sentence }) => `${path}:${line} ${sentence}`);
}

const shown = `# Gifts

<!-- generated: api-contents -->
| about | names |
| --- | --- |
| [To give](#to-give) | [given](#given) · [MOST](#most) |
<!-- end -->

## To give

<!-- generated: api-gifts -->
### given

\`\`\`ts
function given({ to, by = "me" }: Gift): Promise<{ readonly done: true } | null>
\`\`\`

Gives it away. ([giving/gift.ts](../packages/context/src/giving/gift.ts))

\`\`\`ts
const gift = await given({ to: "you" }); // { done: true }
\`\`\`

<details><summary><code>Gift</code>, <code>Need</code></summary>

\`\`\`ts
type Gift = Need

interface Need {
  readonly to: string;
  readonly by?: string;
}
\`\`\`

</details>

### MOST

\`\`\`ts
const MOST = 3
\`\`\`

How many at most. ([giving/gift.ts](../packages/context/src/giving/gift.ts))

\`\`\`ts
const many = MOST; // 3
\`\`\`

*Run it all: [examples/api/gifts.ts](../examples/api/gifts.ts).*
<!-- end -->

<!-- generated: api-types -->
| type | what it is | in |
| --- | --- | --- |
| \`Gift\` | A file. | [giving/gift.ts](../packages/context/src/giving/gift.ts) |
| \`Paper\` | It is wrapped in this. | [paper.ts](../packages/context/src/paper.ts) |
<!-- end -->
`;

test("a page has contents, each function with signature, sentence and example, and the types", () => {
  const { root, page } = written(clean);
  expect(page).toBe(shown);
  expect(docFaults(root).faults).toEqual([]);
});

test("what the door does not let out is not in it, and what passes through two files is", () => {
  const two = { [`${source}/index.ts`]: file(`export { given, MOST, type Paper as Wrap } from "./giving/gift.ts";`) };
  const { exports, lost } = readApi(plant({ ...clean, ...two }));
  expect(exports.map(({ name, kind, path }) => `${kind} ${name} ${path.slice(source.length)}`)).toEqual([
    "value given /giving/gift.ts",
    "value MOST /giving/gift.ts",
    "type Wrap /paper.ts",
  ]);
  expect(lost).toEqual([]);
});

const gift = clean[`${source}/giving/gift.ts`] ?? "";
const examples = clean["examples/api/gifts.ts"] ?? "";

test.each<[string, Tree, string]>([
  [
    "an export without an example",
    { "examples/api/gifts.ts": examples.replace("#region MOST", "#region") },
    `${source}/giving/gift.ts:15 MOST has no example; it wants one region of its name in examples/api`,
  ],
  [
    "an export with two examples",
    { "examples/api/gifts.ts": `${examples}// #region MOST\n// #endregion\n` },
    `${source}/giving/gift.ts:15 MOST has 2 examples; it wants one region of its name in examples/api`,
  ],
  [
    "an export without a sentence",
    { [`${source}/giving/gift.ts`]: gift.replace("/** How many at most. */", "// How many at most.") },
    `${source}/giving/gift.ts:15 MOST is let out without a word; give it a \`/** … */\` sentence`,
  ],
  [
    "an example of nothing",
    { "examples/api/gifts.ts": `${examples}// #region taken\n// #endregion\n` },
    `examples/api/gifts.ts:10 the region taken shows nothing that ${source}/index.ts lets out`,
  ],
  [
    "examples that no page shows",
    { "examples/api/more.ts": "" },
    "examples/api/more.ts:1 docs/api.md does not show it; write `<!-- generated: api-more -->` there",
  ],
  [
    "an export that no file declares",
    { [`${source}/index.ts`]: `${clean[`${source}/index.ts`]}export { lost } from "./paper.ts";\n` },
    `${source}/index.ts:1 lost is let out, and no file declares it`,
  ],
])("%s is found", (_, change, fault) => {
  expect(faultsOf(change)).toEqual([fault]);
});

test("a page that is not current is found, and written anew", () => {
  const stale = plant({ ...clean, "docs/api.md": written(clean).page.replace("= 3", "= 4") });
  expect(docFaults(stale).faults.map(({ sentence }) => sentence)).toEqual([
    "api-gifts is not what the code says; run `pnpm write-docs`",
  ]);
  expect(runScript("check-docs.ts", stale).status).toBe(1);
  expect(runScript("write-docs.ts", stale).lines).toEqual(["docs/api.md is written anew"]);
  expect(docFaults(stale).faults).toEqual([]);
});
