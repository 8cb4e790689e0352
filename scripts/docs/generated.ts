/** Generates the parts of documents between `<!-- generated: NAME -->` and `<!-- end -->`, and whole files such as the settings schema. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { policyTable, schemaFor, settingsSchema } from "pith/tables";
import type { Fault } from "../fault.ts";
import type { Api } from "./api/read-api.ts";
import { renderApi } from "./api/render-api.ts";
import { compactionTables, modelTables } from "./library-tables.ts";
import { commandTables, eventTables, extensionTables, keyTables, rpcTables, settingsTables } from "./program-tables.ts";

/** By NAME; each is given the page it is for. */
export type Generators = Readonly<Record<string, (page: string) => string>>;

export function createGenerators(api: Api): Generators {
  return {
    ...commandTables,
    ...compactionTables,
    ...eventTables,
    ...extensionTables,
    ...keyTables,
    ...modelTables,
    ...rpcTables,
    ...settingsTables,
    api: () => renderApi(api),
  };
}

export const GENERATED_PART = /<!-- generated: ([\w-]+) -->\n([\s\S]*?)<!-- end -->/g;

/** The same page with every generated part made anew. */
export function regeneratePage(page: string, generators: Generators): string {
  return page.replace(GENERATED_PART, (part, name: string) => {
    const content = generators[name]?.(page);
    return content === undefined ? part : `<!-- generated: ${name} -->\n${content}\n<!-- end -->`;
  });
}

export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Those whose package lies here. */
export function listGeneratedFiles(root: string): readonly GeneratedFile[] {
  const policy = schemaFor(policyTable, "Policy of pith");
  const files = [
    { path: SETTINGS_SCHEMA, text: `${JSON.stringify(settingsSchema(), null, 2)}\n` },
    { path: POLICY_SCHEMA, text: `${JSON.stringify(policy, null, 2)}\n` },
  ];
  return files.filter(({ path }) => existsSync(join(root, dirname(dirname(path)), "package.json")));
}

const SETTINGS_SCHEMA = "packages/cli/schema/settings.schema.json";
const POLICY_SCHEMA = "packages/cli/schema/policy.schema.json";

export function checkGeneratedFiles(root: string): readonly Fault[] {
  return listGeneratedFiles(root).flatMap(({ path, text }) =>
    readIfExists(join(root, path)) === text
      ? []
      : [{ path, line: 1, sentence: "this is not what the code says; run `pnpm write-docs`" }],
  );
}

export function readIfExists(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}
