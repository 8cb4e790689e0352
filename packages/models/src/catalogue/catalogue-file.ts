/** Stores a newer list of models in a file, and loads the catalogue from it if it is newer than the built-in snapshot. */

import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { isRecord, tryParseJson } from "../json.ts";
import type { SnapshotData, SnapshotRow } from "./build-snapshot.ts";
import { type Catalogue, createCatalogue } from "./catalogue.ts";
import { createUpdatedSnapshot, snapshot } from "./snapshot.ts";

/** A catalogue, and where its data comes from. */
export interface LoadedCatalogue {
  readonly catalogue: Catalogue;
  /** The day of the data. */
  readonly date: string;
  /** Whether the data is from the file. */
  readonly isUpdated: boolean;
  /** Why the file is not used; null if it is, if it does not exist, or if the built-in snapshot is newer. */
  readonly error: string | null;
}

/**
 * Loads the catalogue from the file that `writeCatalogueFile` wrote. Without one, with a broken one, and with one that is not
 * newer, it is the built-in snapshot.
 */
export async function loadCatalogue(path: string): Promise<LoadedCatalogue> {
  const builtIn = { catalogue: createCatalogue(), date: snapshot.date, isUpdated: false, error: null };
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => cause);
  if (text instanceof Error)
    return text.code === "ENOENT" ? builtIn : { ...builtIn, error: `${path} cannot be read: ${text.code}` };
  const data = parseCatalogueFile(text);
  if (data === null)
    return { ...builtIn, error: `${path} is damaged, so the built-in list of models is used; replace or delete it` };
  if (data.date <= snapshot.date) return builtIn;
  const catalogue = createCatalogue({ snapshot: createUpdatedSnapshot(data) });
  return { catalogue, date: data.date, isUpdated: true, error: null };
}

/** Stores a list of models for `loadCatalogue`. Replaces the file as a whole, so that it is never partly written. */
export async function writeCatalogueFile(path: string, data: SnapshotData<readonly SnapshotRow[]>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporaryPath = `${path}.${randomUUID()}`;
  try {
    const file = await open(temporaryPath, "wx", 0o600);
    await file.writeFile(`${JSON.stringify(data)}\n`).finally(() => file.close());
    await rename(temporaryPath, path);
  } catch (cause) {
    await rm(temporaryPath, { force: true });
    throw cause;
  }
}

/** Null if any part has another shape. */
function parseCatalogueFile(text: string): SnapshotData<readonly SnapshotRow[]> | null {
  const value = text.length > MAX_FILE_CHARS ? null : tryParseJson(text);
  if (!isRecord(value) || typeof value.date !== "string" || !isRecord(value.defaults) || !isRecord(value.rows))
    return null;
  const { date, defaults, rows } = value;
  const isValid =
    Object.values(defaults).every((model) => typeof model === "string") &&
    Object.values(rows).every((list) => Array.isArray(list) && list.every(isRow));
  return isValid ? ({ date, defaults, rows } as unknown as SnapshotData<readonly SnapshotRow[]>) : null;
}

const MAX_FILE_CHARS = 8 * 1024 * 1024;

function isRow(value: unknown): value is SnapshotRow {
  if (!Array.isArray(value) || (value.length !== 4 && value.length !== 8)) return false;
  const [id, ...figures] = value;
  return typeof id === "string" && figures.every((figure) => typeof figure === "number" && figure >= 0);
}
