/** What `.gitignore` files leave out: each rules over its folder and all below, the nearest first. */

import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Ignore } from "ignore";

export interface IgnoreRules {
  /** Ends in a slash. */
  readonly folder: string;
  readonly rules: Ignore;
}

/** No file of rules that a person wrote is larger. */
const MOST_BYTES = 1024 * 1024;

/** The rules from above a folder; `ignored` where they leave out the folder itself, and who named it meant it. */
export async function outerRules(folder: string): Promise<readonly IgnoreRules[] | "ignored"> {
  const above = dirname(folder);
  if (above === folder) return [];
  const outer = await outerRules(above);
  if (outer === "ignored") return outer;
  const all = await withRulesIn(above, outer);
  return isIgnored(`${folder}/`, all) ? "ignored" : all;
}

export async function withRulesIn(folder: string, outer: readonly IgnoreRules[]): Promise<readonly IgnoreRules[]> {
  const text = await textOf(join(folder, ".gitignore"));
  if (text === null) return outer;
  // Most searches need it not: where there is ripgrep, and no such file above.
  const { default: ignore } = await import("ignore");
  return [
    {
      folder: folder.endsWith("/") ? folder : `${folder}/`,
      rules: ignore({ ignorecase: false }).add(quickRules(text)),
    },
    ...outer,
  ];
}

/** Each star more in a name multiplies the time that holding a long name against it takes, and a stranger may have written it. */
function quickRules(text: string): string[] {
  return text.split(/\r?\n/).filter((rule) => !MANY_STARS.test(rule));
}

const MANY_STARS = /(?:\*[^*/]+){4}/;

/** The path is absolute; that of a folder ends in a slash. */
export function isIgnored(path: string, all: readonly IgnoreRules[]): boolean {
  for (const { folder, rules } of all) {
    const { ignored, unignored } = rules.test(path.slice(folder.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}

async function textOf(path: string): Promise<string | null> {
  try {
    const stats = await stat(path);
    return stats.isFile() && stats.size <= MOST_BYTES ? await readFile(path, "utf8") : null;
  } catch {
    // Most folders have none; one that cannot be read rules over nothing.
    return null;
  }
}
