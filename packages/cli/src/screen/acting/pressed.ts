/** What a key does that is no typing. */

import { keyTable } from "../keys/key-table.ts";
import { actions } from "./actions.ts";
import type { Talking } from "./talking.ts";

/** False where it means nothing, so that the editor gets it. */
export function pressed(key: string, talking: Talking): boolean {
  const row = keyTable.find(({ keys }) => keys.includes(key));
  return (row && actions[row.id]?.(talking)) ?? false;
}
