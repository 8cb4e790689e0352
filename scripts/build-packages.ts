/**
 * `node scripts/build-packages.ts [NAME…]`: builds the packages as they are published, into the `dist` folder of each; all of them by default.
 * A library becomes one JavaScript file and one declaration file for each entry point; its dependencies are not bundled. With `--prepack` it
 * builds the package of the current folder before pnpm packs it.
 */

import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { type OutputChunk, type OutputOptions, type RolldownOptions, rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { buildProgram, formatSize } from "./build-program.ts";
import {
  isProgram,
  listPublishedPackages,
  type Manifest,
  NODE_TARGET,
  type Package,
  readPackage,
  root,
} from "./packages.ts";
import { writeNotices } from "./release/notices.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { prepack: { type: "boolean" } } });
if (values.prepack) await prepack();
else await buildPackages(positionals);

async function buildPackages(names: readonly string[]): Promise<void> {
  const packages = listPublishedPackages().filter(
    ({ manifest }) => names.length === 0 || names.includes(manifest.name),
  );
  if (packages.length < names.length) throw new Error(`one of these is not a published package: ${names.join(", ")}`);
  for (const each of packages) console.log(`${relative(root, each.folder)}: ${formatSize(await buildPackage(each))}`);
}

/** Refuses npm, which would pack a package that cannot be installed. */
async function prepack(): Promise<void> {
  const agent = process.env.npm_config_user_agent ?? "";
  if (!agent.startsWith("pnpm/")) {
    console.error("npm leaves `workspace:` ranges and TypeScript entry points in the package; nothing was packed.");
    console.error("Pack with `pnpm pack:packages FOLDER`, and publish the tarballs: see docs/releasing.md.");
    process.exit(1);
  }
  await buildPackage(readPackage(process.cwd()));
}

async function buildPackage(each: Package): Promise<readonly OutputChunk[]> {
  return isProgram(each) ? await buildProgram() : await buildLibrary(each);
}

async function buildLibrary({ folder, manifest }: Package): Promise<readonly OutputChunk[]> {
  const dist = join(folder, "dist");
  rmSync(dist, { recursive: true, force: true });
  const base: RolldownOptions = {
    input: listEntryPoints(folder, manifest),
    platform: "node",
    logLevel: "warn",
    external: (id) => isExternal(manifest, id),
    transform: { target: NODE_TARGET, define: { PITH_VERSION: JSON.stringify(manifest.version) } },
  };
  // Two bundles, because declarations share other chunks than code.
  // With many entry points, one file for what most of them share: each file that an import opens costs about a millisecond.
  const hasManyEntryPoints = Object.keys(manifest.exports).length > 4;
  const codeSplitting = { minSize: 20_000, groups: [{ name: "base", minShareCount: 3 }] };
  const code = await writeBundle(base, {
    dir: dist,
    comments: { jsdoc: false },
    ...(hasManyEntryPoints && { codeSplitting }),
  });
  // Editors show the comments of the declarations; in the code they would only be parsed at every start.
  const declarations = await writeBundle({ ...base, plugins: [dts({ oxc: true, emitDtsOnly: true })] }, { dir: dist });
  const chunks = [...code, ...declarations];
  writeNotices({ chunks, folder: dist, packageFolder: folder });
  return chunks;
}

async function writeBundle(options: RolldownOptions, output: OutputOptions): Promise<readonly OutputChunk[]> {
  const bundle = await rolldown(options);
  const written = await bundle.write({ ...output, format: "esm", chunkFileNames: "shared/[name].js" });
  await bundle.close();
  return written.output.filter((part) => part.type === "chunk");
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
      if (file === undefined) throw new Error(`publishConfig has no file for the entry point "${name}"`);
      return [file.replace(/^\.\/dist\/|\.js$/g, ""), join(folder, source)];
    }),
  );
}

/** Whether users install a module beside the library. Own packages that are not dependencies are needed only for their types, which are bundled. */
function isExternal({ dependencies = {}, optionalDependencies = {} }: Manifest, id: string): boolean {
  if (id.startsWith("node:")) return true;
  const names = Object.keys({ ...dependencies, ...optionalDependencies });
  return names.some((name) => id === name || id.startsWith(`${name}/`));
}
