/**
 * Reads the Markdown pages of the repository, and generates what they take from the code: parts between `<!-- generated: NAME -->` and
 * `<!-- end -->`, code fences below `<!-- examples/02-tree.ts#screen -->`, and whole files such as the settings schema.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { buildSchema, buildSettingsSchema, policyTable } from "pith/tables";
import type { Fault } from "../fault.ts";
import { lineAt } from "../source/source.ts";
import { type Api, renderApi } from "./api.ts";
import {
  commandTables,
  compactionTables,
  eventTables,
  extensionTables,
  keyTables,
  modelTables,
  rpcTables,
  settingsTables,
} from "./tables.ts";

export interface Page {
  readonly path: string;
  readonly text: string;
}

export function readPages(root: string): readonly Page[] {
  const folders = ["", "docs", "docs/decisions", ...packageFolders(root)];
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(root, folder, name)))
    .filter((path) => path.endsWith(".md"))
    .map((path) => ({ path: relative(root, path), text: readFileSync(path, "utf8") }));
}

function packageFolders(root: string): readonly string[] {
  const packages = join(root, "packages");
  return existsSync(packages) ? readdirSync(packages).map((name) => join("packages", name)) : [];
}

/** Generators by NAME. Each receives the text of its page. */
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

/** Returns the page with every generated part replaced. */
export function regeneratePage(page: string, generators: Generators): string {
  return page.replace(GENERATED_PART, (part, name: string) => {
    const content = generators[name]?.(page);
    return content === undefined ? part : `<!-- generated: ${name} -->\n${content}\n<!-- end -->`;
  });
}

interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Lists the generated files of the packages that exist below the root. */
export function listGeneratedFiles(root: string): readonly GeneratedFile[] {
  const policy = buildSchema(policyTable, "Policy of pith");
  const files = [
    { path: SETTINGS_SCHEMA, text: `${JSON.stringify(buildSettingsSchema(), null, 2)}\n` },
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
      : [{ path, line: 1, sentence: "is out of date; run `pnpm write-docs`" }],
  );
}

export function readIfExists(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

interface CodeRegion {
  readonly name: string;
  readonly line: number;
  /** Without the indent that all its lines share. */
  readonly code: string;
}

const REGION_PATTERN = /^[ \t]*\/\/ #region (\S+)\n([\s\S]*?)^[ \t]*\/\/ #endregion/gm;

function listRegions(text: string): readonly CodeRegion[] {
  return [...text.matchAll(REGION_PATTERN)].map(({ index, 1: name = "", 2: code = "" }) => ({
    name,
    line: lineAt(text, index),
    code: removeIndent(code),
  }));
}

function removeIndent(code: string): string {
  const indents = code.split("\n").flatMap((line) => (line.trim() === "" ? [] : line.search(/\S/)));
  const minIndent = Math.min(...indents);
  return code
    .split("\n")
    .map((line) => line.slice(Math.min(minIndent, line.length)))
    .join("\n");
}

const FENCE_PATTERN = /(<!-- (\S+#\w+) -->\n```\w*\n)([\s\S]*?)```/g;

export function checkShownCode(root: string, { path, text }: Page): readonly Fault[] {
  return [...text.matchAll(FENCE_PATTERN)].flatMap((fence) => {
    const [, , reference = "", code] = fence;
    const expected = readRegion(root, reference);
    if (expected === code) return [];
    const [file, regionName] = reference.split("#");
    const sentence =
      expected === null
        ? `${file} has no region ${regionName}`
        : `differs from ${file}, region ${regionName}; run \`pnpm write-docs\``;
    return [{ path, line: lineAt(text, fence.index), sentence }];
  });
}

/** Returns the page with the code of every such fence replaced. */
export function fillFences(text: string, root: string): string {
  return text.replace(FENCE_PATTERN, (fence, head: string, reference: string) => {
    const code = readRegion(root, reference);
    return code === null ? fence : `${head}${code}\`\`\``;
  });
}

function readRegion(root: string, reference: string): string | null {
  const [file = "", name] = reference.split("#");
  if (!existsSync(join(root, file))) return null;
  return listRegions(readFileSync(join(root, file), "utf8")).find((region) => region.name === name)?.code ?? null;
}
