/** The published bundle of pi 1.5.0, fetched once into an ignored folder. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const VERSION = "1.5.0";
const peers = join(import.meta.dirname, "../../../.peers");

/** The entry file of pi's self-contained bundle. */
export function piBundle(): string {
  const folder = join(peers, `pi-${VERSION}`);
  const entry = join(folder, "package/dist/bundle/index.js");
  if (existsSync(entry)) return entry;
  mkdirSync(peers, { recursive: true });
  const fresh = mkdtempSync(join(peers, "fetching-"));
  const packed = `@earendil-works/pi-coding-agent@${VERSION}`;
  const name = execFileSync("npm", ["pack", packed, "--silent", "--pack-destination", fresh], {
    encoding: "utf8",
  }).trim();
  execFileSync("tar", ["xzf", join(fresh, name.split("\n").at(-1) ?? ""), "-C", fresh]);
  if (!existsSync(folder)) renameSync(fresh, folder);
  return entry;
}

/** The file of the bundle that plans compactions, with one line more: its door does not show `prepareCompaction`. */
export function piPlanning(): string {
  const chunks = join(piBundle(), "../chunks");
  const shown = join(chunks, "with-planning.js");
  if (existsSync(shown)) return shown;
  const text = readFileSync(piChunk("function prepareCompaction("), "utf8");
  const names = ["prepareCompaction", "findCutPoint"].filter((name) => !isExported(text, name));
  writeFileSync(`${shown}.new`, `${text}\n${names.length > 0 ? `export{${names.join(",")}};` : ""}\n`);
  renameSync(`${shown}.new`, shown);
  return shown;
}

/** The file of the bundle in which something is defined. */
export function piChunk(definition: string): string {
  const chunks = join(piBundle(), "../chunks");
  const name = readdirSync(chunks).find((each) => readFileSync(join(chunks, each), "utf8").includes(definition));
  if (!name) throw new Error(`pi ${VERSION} has no "${definition}" in its bundle`);
  return join(chunks, name);
}

function isExported(text: string, name: string): boolean {
  const [, list = ""] = /export\{([^}]*)\};?\s*$/.exec(text.slice(-100_000)) ?? [];
  return list.split(",").some((each) => each.trim().split(" as ").at(-1) === name);
}
