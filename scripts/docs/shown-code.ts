/** Code in documents: a fence right below `<!-- examples/01-tree.ts#screen -->` holds that region of that file, to the letter. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "../fault.ts";
import { lineAt } from "../house/source/source.ts";
import type { Page } from "./pages.ts";
import { regions } from "./regions.ts";

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
