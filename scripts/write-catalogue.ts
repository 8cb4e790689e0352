/** `node scripts/write-catalogue.ts`, run by hand: writes the model snapshot that `@pith/models` ships. */

import { execFileSync } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSnapshotRows, fetchModelData, formatSnapshot } from "./model-catalogue.ts";

const VERSION = "0.87.1";
const root = join(import.meta.dirname, "..");
const target = join(root, "packages/models/src/catalogue/snapshot-data.ts");

const { date, providers } = fetchModelData(join(root, ".peers"), VERSION);
const rows = createSnapshotRows(providers);
const source = formatSnapshot({ date, version: VERSION, rows });
writeFileSync(`${target}.new`, source);
renameSync(`${target}.new`, target);
execFileSync(join(root, "node_modules/.bin/biome"), ["format", "--write", target]);

const models = Object.values(rows).reduce((sum, list) => sum + list.length, 0);
console.log(
  `catalogue: ${models} models of ${Object.keys(rows).length} providers, of ${date}, ${Math.round(source.length / 1024)} KB`,
);
