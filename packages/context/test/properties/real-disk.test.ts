/** Lives in a file on the real disk. */

import { isLong } from "../support/test-length.ts";
import { onRealDisk } from "./grounds.ts";
import { runCommandSequences } from "./lives.ts";

runCommandSequences(isLong ? 300 : 60, "on the real disk", onRealDisk);
