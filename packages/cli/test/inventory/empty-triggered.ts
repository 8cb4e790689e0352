/** Before tests begin: what an earlier run of them has triggered says nothing of this one. */

import { rmSync } from "node:fs";
import { triggeredFolder } from "../support/triggered.ts";

export function setup(): void {
  rmSync(triggeredFolder, { recursive: true, force: true });
}
