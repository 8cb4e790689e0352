/** Opens the catalogue of models: the built-in list, or the newer one that `pith models update` stored. */

import { join } from "node:path";
import { type LoadedCatalogue, loadCatalogue } from "@pith/models";

export function openCatalogue(home: string): Promise<LoadedCatalogue> {
  return loadCatalogue(catalogueFilePath(home));
}

export function catalogueFilePath(home: string): string {
  return join(home, "models.json");
}
