/** Whole files that are made from the code, such as the schema of the settings. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { settingsSchema } from "pith/tables";
import type { Fault } from "../fault.ts";

export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Those whose package lies here. */
export function generatedFiles(root: string): readonly GeneratedFile[] {
  const all = [{ path: SCHEMA, text: `${JSON.stringify(settingsSchema(), null, 2)}\n` }];
  return all.filter(({ path }) => existsSync(join(root, dirname(dirname(path)), "package.json")));
}

const SCHEMA = "packages/cli/schema/settings.schema.json";

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
