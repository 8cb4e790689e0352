/** Writes the third-party notices of a bundle beside it, and the software bill of materials of the program. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LOCKFILE } from "../supply-chain/release-age.ts";
import { type BundleContent, readBundleContent } from "./bundled-packages.ts";
import { formatNotices } from "./notices.ts";
import { createSbom } from "./sbom.ts";

export const NOTICES_FILE = "THIRD-PARTY-NOTICES";
export const SBOM_FILE = "sbom.cdx.json";

export interface NoticesOptions {
  /** What rolldown wrote. */
  readonly chunks: readonly { readonly moduleIds: readonly string[] }[];
  /** Where the files are written. */
  readonly folder: string;
  /** The folder of the package that is bundled, such as packages/cli. */
  readonly packageFolder: string;
}

const root = join(import.meta.dirname, "../..");

/** For the program, which contains everything that it needs. */
export function writeNoticesAndSbom(options: NoticesOptions): void {
  const content = writeNotices(options);
  const { name, version, license, description } = readManifest(options.packageFolder);
  const program = { name, version, licence: license, description };
  const sbom = createSbom({ program, ...content, lockfile: readFileSync(join(root, LOCKFILE), "utf8") });
  writeFileSync(join(options.folder, SBOM_FILE), `${JSON.stringify(sbom, null, 2)}\n`);
}

/** Writes nothing for a library that contains nothing of others; its dependencies come with their own licences. */
export function writeNotices({ chunks, folder, packageFolder }: NoticesOptions): BundleContent {
  const content = readBundleContent({ moduleIds: chunks.flatMap(({ moduleIds }) => moduleIds), root });
  if (content.packages.length + content.data.length > 0)
    writeFileSync(join(folder, NOTICES_FILE), formatNotices(readManifest(packageFolder), content));
  return content;
}

function readManifest(folder: string): Readonly<Record<"name" | "version" | "license" | "description", string>> {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
