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
    api: () => renderApi(api),
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

export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Those whose package lies here. */
export function generatedFiles(root: string): readonly GeneratedFile[] {
  const policy = schemaFor(policyTable, "Policy of pith");
  const all = [
    { path: SCHEMA, text: `${JSON.stringify(settingsSchema(), null, 2)}\n` },
    { path: POLICY_SCHEMA, text: `${JSON.stringify(policy, null, 2)}\n` },
  ];
  return all.filter(({ path }) => existsSync(join(root, dirname(dirname(path)), "package.json")));
}

const SCHEMA = "packages/cli/schema/settings.schema.json";
const POLICY_SCHEMA = "packages/cli/schema/policy.schema.json";

export function fileFaults(root: string): readonly Fault[] {
  return generatedFiles(root).flatMap(({ path, text }) =>
    textAt(join(root, path)) === text
      ? []
      : [{ path, line: 1, sentence: "this is not what the code says; run `pnpm write-docs`" }],
  );
}

export function textAt(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}
