/** One theme as a page shows it: each function with its signature, what it says of itself, and its example. */

import type { Declaration } from "./declaration.ts";
import type { Api, Exported, Theme } from "./read-api.ts";
import { sourceLink } from "./type-table.ts";

export function themeText({ exports }: Api, { path, regions }: Theme): string {
  const shown = new Set(regions.map(({ name }) => name));
  const items = regions.flatMap(({ name, code }) => {
    const item = exports.find((each) => each.name === name);
    if (!item) return [];
    const types = ownTypes(item, exports).filter((type) => !shown.has(type.name));
    for (const type of types) shown.add(type.name);
    const hidden = [...types, item].flatMap(({ beneath }) => beneath);
    return [itemText(item, { code, types: [...types, ...hidden] })];
  });
  return [...items, `*Run it all: [${path}](../${path}).*`].join("\n\n");
}

interface Showing {
  readonly code: string;
  readonly types: readonly Declaration[];
}

function itemText(item: Exported, { code, types }: Showing): string {
  return [
    `### ${item.name}`,
    fence(item.signature),
    sentence(item),
    fence(code.trimEnd()),
    ...(types.length > 0 ? [folded(types)] : []),
  ].join("\n\n");
}

// What ends in an example of its own, indented, would swallow the link.
function sentence(item: Exported): string {
  if (item.said === "") return sourceLink(item);
  return `${item.said}${/^ {4}.*$/.test(item.said.split("\n").at(-1) ?? "") ? "\n\n" : " "}(${sourceLink(item)})`;
}

/** What it takes and what comes back, as far as its own file says it. Others have a place of their own. */
function ownTypes({ keyword, signature, path }: Exported, exports: readonly Exported[]): readonly Exported[] {
  const names = keyword === "class" ? [] : [...new Set(signature.match(/[\w$]+/g))];
  const types = exports.filter((each) => each.kind === "type" && each.path === path);
  return names.flatMap((name) => types.find((type) => type.name === name) ?? []);
}

function folded(types: readonly Declaration[]): string {
  const names = [...new Set(types.map(({ name }) => `<code>${name}</code>`))].join(", ");
  const all = [...new Set(types.map(({ signature }) => signature))];
  return `<details><summary>${names}</summary>\n\n${fence(all.join("\n\n"))}\n\n</details>`;
}

function fence(code: string): string {
  return `\`\`\`ts\n${code}\n\`\`\``;
}
