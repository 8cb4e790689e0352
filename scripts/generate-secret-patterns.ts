/** `node scripts/generate-secret-patterns.ts`, run by hand: writes the patterns that `@pith/context` takes from gitleaks. */

import { execFileSync } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXCLUDED_RULES } from "./secret-patterns/convert-rules.ts";
import { formatPatternsSource, listPrefixedRules, readRules, selectRules } from "./secret-patterns/select-rules.ts";

const root = join(import.meta.dirname, "..");
const target = join(root, "packages/context/src/secrets/gitleaks-patterns.ts");

const rules = readRules();
const prefixed = listPrefixedRules(rules);
const patterns = selectRules(rules);
writeFileSync(`${target}.new`, formatPatternsSource(patterns));
renameSync(`${target}.new`, target);
execFileSync(join(root, "node_modules/.bin/biome"), ["format", "--write", target]);

console.log(
  `${rules.length} rules: ${prefixed.length} with a prefix, of which ${patterns.length} are not found by our own families`,
);
console.log(
  `left out: ${Object.entries(EXCLUDED_RULES)
    .map(([id, why]) => `\n  ${id}: ${why}`)
    .join("")}`,
);
const unprefixed = rules.filter(({ id }) => !(id in EXCLUDED_RULES) && !prefixed.some(({ rule }) => rule.id === id));
console.log(`without a prefix: ${unprefixed.map(({ id }) => id).join(", ")}`);
