/** `node scripts/pack-packages.ts FOLDER [NAME…]`: builds and packs the packages as they are published; all of them by default. */

import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { listPublishedPackages } from "./build/packages.ts";

const [folder, ...names] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder that the tarballs go to");
for (const { folder: cwd, manifest } of listPublishedPackages()) {
  if (names.length > 0 && !names.includes(manifest.name)) continue;
  const tarball = join(resolve(folder), `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`);
  execFileSync("pnpm", ["pack", "--silent", "--out", tarball], { cwd, stdio: ["ignore", "ignore", "inherit"] });
  console.log(tarball);
}
