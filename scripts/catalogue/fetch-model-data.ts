/** pi-ai's lists of models, fetched with `npm pack` into an ignored folder; its code is never run. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";

export interface ModelData {
  /** The day the data was generated. */
  readonly date: string;
  readonly providers: Readonly<Record<string, readonly ListedModel[]>>;
}

/** The fields we read of a model in pi-ai's data. */
export interface ListedModel {
  readonly id: string;
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly reasoning: boolean;
  readonly input: readonly string[];
  readonly cost: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
}

export function fetchModelData(folder: string, version: string): ModelData {
  const data = join(unpacked(folder, version), "package/dist/providers/data");
  const manifest = JSON.parse(readFileSync(join(data, ".manifest.json"), "utf8")) as { generatedAt: string };
  const files = readdirSync(data).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  const providers = files.map((name) => [name.replace(/\.json$/, ""), listed(join(data, name))] as const);
  return { date: manifest.generatedAt.slice(0, 10), providers: Object.fromEntries(providers) };
}

function listed(file: string): readonly ListedModel[] {
  const protocols = JSON.parse(readFileSync(file, "utf8")) as Record<string, Record<string, ListedModel>>;
  return Object.values(protocols).flatMap((models) => Object.values(models));
}

function unpacked(folder: string, version: string): string {
  const home = join(folder, `pi-ai-${version}`);
  if (existsSync(home)) return home;
  mkdirSync(folder, { recursive: true });
  const fresh = mkdtempSync(join(folder, "fetching-"));
  const packed = `@earendil-works/pi-ai@${version}`;
  const name = execFileSync("npm", ["pack", packed, "--silent", "--pack-destination", fresh], { encoding: "utf8" });
  execFileSync("tar", ["xzf", join(fresh, name.trim().split("\n").at(-1) ?? ""), "-C", fresh]);
  renameSync(fresh, home);
  return home;
}
