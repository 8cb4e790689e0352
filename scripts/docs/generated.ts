/** Parts of documents that are made from the code: what stands between `<!-- generated: NAME -->` and `<!-- end -->`. */

import { contents } from "./api/contents.ts";
import type { Api } from "./api/read-api.ts";
import { themeText } from "./api/theme-text.ts";
import { typeTable } from "./api/type-table.ts";
import { commandTables } from "./tables/command-tables.ts";
import { compactionTables } from "./tables/compaction-tables.ts";
import { eventTables } from "./tables/event-tables.ts";
import { extensionTables } from "./tables/extension-tables.ts";
import { keyTables } from "./tables/key-tables.ts";
import { modelTables } from "./tables/model-tables.ts";
import { rpcTables } from "./tables/rpc-tables.ts";
import { settingsTables } from "./tables/settings-tables.ts";

/** By NAME; each is given the page it is for. */
export type Generators = Readonly<Record<string, (page: string) => string>>;

export function generators(api: Api): Generators {
  return {
    ...commandTables,
    ...compactionTables,
    ...eventTables,
    ...extensionTables,
    ...keyTables,
    ...modelTables,
    ...rpcTables,
    ...settingsTables,
    ...Object.fromEntries(api.themes.map((theme) => [`api-${theme.name}`, () => themeText(api, theme)])),
    "api-contents": (page) => contents(api, page),
    "api-types": () => typeTable(api),
  };
}

export const GENERATED = /<!-- generated: ([\w-]+) -->\n([\s\S]*?)<!-- end -->/g;

/** The same page with every generated part made anew. */
export function regenerated(page: string, made: Generators): string {
  return page.replace(GENERATED, (part, name: string) => {
    const content = made[name]?.(page);
    return content === undefined ? part : `<!-- generated: ${name} -->\n${content}\n<!-- end -->`;
  });
}
