/** Checks and writes code in documents: a fence below `<!-- examples/02-tree.ts#screen -->` holds that `#region` of that file, unchanged. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "../fault.ts";
import { lineAt } from "../source/source.ts";
import type { Page } from "./pages.ts";

export interface Region {
  readonly name: string;
  readonly line: number;
  /** Without the indent that all of it has. */
  readonly code: string;
}

const region = /^[ \t]*\/\/ #region (\S+)\n([\s\S]*?)^[ \t]*\/\/ #endregion/gm;

export function regions(text: string): readonly Region[] {
  return [...text.matchAll(region)].map(({ index, 1: name = "", 2: code = "" }) => ({
    name,
    line: lineAt(text, index),
    code: unindented(code),
  }));
}

function unindented(code: string): string {
  const indents = code.split("\n").flatMap((line) => (line.trim() === "" ? [] : line.search(/\S/)));
  const least = Math.min(...indents);
  return code
    .split("\n")
    .map((line) => line.slice(Math.min(least, line.length)))
    .join("\n");
}

const FENCE = /(<!-- (\S+#\w+) -->\n```\w*\n)([\s\S]*?)```/g;

export function codeFaults(root: string, { path, text }: Page): readonly Fault[] {
  return [...text.matchAll(FENCE)].flatMap((fence) => {
    const [, , place = "", code] = fence;
    const shown = codeAt(root, place);
    if (shown === code) return [];
    const [file, region] = place.split("#");
    const sentence =
      shown === null
        ? `${file} has no region ${region}`
        : `this is not what stands in ${file}, region ${region}; run \`pnpm write-docs\``;
    return [{ path, line: lineAt(text, fence.index), sentence }];
  });
}

/** The same page with every such fence filled anew. */
export function refilled(text: string, root: string): string {
  return text.replace(FENCE, (fence, head: string, place: string) => {
    const code = codeAt(root, place);
    return code === null ? fence : `${head}${code}\`\`\``;
  });
}

function codeAt(root: string, place: string): string | null {
  const [file = "", name] = place.split("#");
  if (!existsSync(join(root, file))) return null;
  return regions(readFileSync(join(root, file), "utf8")).find((region) => region.name === name)?.code ?? null;
}
