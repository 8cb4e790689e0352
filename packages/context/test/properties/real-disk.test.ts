/** Tests random sessions in a file on the real disk. */

import { isLong } from "../support/test-length.ts";
import { runCommandSequences } from "./run-sequences.ts";
import { onRealDisk } from "./stores.ts";

runCommandSequences(isLong ? 300 : 60, "on the real disk", onRealDisk);
