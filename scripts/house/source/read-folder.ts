/** All TypeScript files under a folder, in order of their paths. What is installed or built is passed over. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Source, source } from "./source.ts";

export function readFolder(root: string, folder: string): Source[] {
  return paths(root, folder).map((path) => source(path, readFileSync(join(root, path), "utf8")));
}

/** The folders directly inside a folder. */
export function subfolders(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  const inside = readdirSync(join(root, folder), { withFileTypes: true });
  return inside.filter((item) => item.isDirectory() && !isPassedOver(item.name)).map(({ name }) => `${folder}/${name}`);
}

function paths(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  const inside = readdirSync(join(root, folder), { withFileTypes: true });
  const files = inside.filter((item) => item.isFile() && item.name.endsWith(".ts"));
  const deeper = subfolders(root, folder).flatMap((below) => paths(root, below));
  return [...files.map(({ name }) => `${folder}/${name}`), ...deeper].toSorted();
}

function isPassedOver(name: string): boolean {
  return name === "node_modules" || name === "dist" || name.startsWith(".");
}
