/** Parses the rules of a `.gitignore`. Loaded with the first such file. */

import ignore, { type Ignore } from "ignore";

export function parseIgnore(rules: readonly string[]): Ignore {
  return ignore({ ignorecase: false }).add(rules);
}
