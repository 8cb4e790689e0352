/** Parses the rules of a `.gitignore`. A file of its own, so that the bundled program loads the parser, a CommonJS package, only when needed. */

import ignore, { type Ignore } from "ignore";

export function parseIgnore(rules: readonly string[]): Ignore {
  return ignore({ ignorecase: false }).add(rules);
}
