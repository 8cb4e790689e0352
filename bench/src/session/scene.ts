/** What every part of the session suite is given. */

import type { Settings } from "../suite.ts";

export interface Scene {
  /** For whatever is written; gone afterwards. */
  readonly folder: string;
  /** Of the built package. */
  readonly home: string;
  readonly settings: Settings;
}
