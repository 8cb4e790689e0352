/** Checks and writes code in documents: a fence below `<!-- examples/02-tree.ts#screen -->` holds that `#region` of that file, unchanged. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "../fault.ts";
import { lineAt } from "../source/source.ts";
import type { Page } from "./pages.ts";

export interface CodeRegion {
  readonly name: string;
  readonly line: number;
  /** Without the indent that all of it has. */
  readonly code: string;
}

const REGION_PATTERN = /^[ \t]*\/\/ #region (\S+)\n([\s\S]*?)^[ \t]*\/\/ #endregion/gm;

export function listRegions(text: string): readonly CodeRegion[] {
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
        : `this is not what stands in ${file}, region ${regionName}; run \`pnpm write-docs\``;
    return [{ path, line: lineAt(text, fence.index), sentence }];
  });
}

/** The same page with every such fence filled anew. */
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
