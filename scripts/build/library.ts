/** Bundles a library: one JavaScript file and one declaration file for each of its entry points, dependencies left outside. */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { type OutputChunk, type RolldownOptions, rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { writeNotices } from "../release/write-notices.ts";
import type { Manifest, Package } from "./packages.ts";

/** The oldest Node that runs what is published. */
export const NODE_TARGET = "node22";

export async function buildLibrary({ folder, manifest }: Package): Promise<readonly OutputChunk[]> {
  const dist = join(folder, "dist");
  rmSync(dist, { recursive: true, force: true });
  const base: RolldownOptions = {
    input: listEntryPoints(folder, manifest),
    platform: "node",
    logLevel: "warn",
    external: (id) => isExternal(manifest, id),
    transform: { target: NODE_TARGET, define: { PITH_VERSION: JSON.stringify(manifest.version) } },
  };
  // Twice, because a bundle of declarations shares other parts than a bundle of code.
  const code = await writeBundle(base, dist);
  const declarations = await writeBundle({ ...base, plugins: [dts({ oxc: true, emitDtsOnly: true })] }, dist);
  const chunks = [...code, ...declarations];
  writeNotices({ chunks, folder: dist, packageFolder: folder });
  return chunks;
}

async function writeBundle(options: RolldownOptions, dir: string): Promise<readonly OutputChunk[]> {
  const bundle = await rolldown(options);
  const { output } = await bundle.write({ dir, format: "esm", chunkFileNames: "shared/[name].js" });
  await bundle.close();
  return output.filter((part) => part.type === "chunk");
}

/** The name of each built file, and its source: `{ node: "…/src/node/index.ts" }`. */
function listEntryPoints(folder: string, { exports, bin, publishConfig }: Manifest): Record<string, string> {
  const sources = { ...exports, ...bin };
  const builtFiles = { ...publishConfig.exports, ...publishConfig.bin };
  const entries = Object.entries(sources).filter(([name]) => name !== "./package.json");
  return Object.fromEntries(
    entries.map(([name, source]) => {
      const target = builtFiles[name];
      const file = typeof target === "object" ? target.default : target;
      if (file === undefined) throw new Error(`publishConfig does not say which file "${name}" becomes`);
      return [file.replace(/^\.\/dist\/|\.js$/g, ""), join(folder, source)];
    }),
  );
}

/** What users install beside the library. Packages of ours that are no dependency are needed for their types, which are bundled. */
function isExternal({ dependencies = {}, optionalDependencies = {} }: Manifest, id: string): boolean {
  if (id.startsWith("node:")) return true;
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  return names.some((name) => id === name || id.startsWith(`${name}/`));
}
