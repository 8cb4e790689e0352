/** Random sessions in a file, on a disk that fills up, fails and loses power. */

import { isLong } from "../support/test-length.ts";
import { runCommandSequences } from "./run-sequences.ts";
import { onFaultyDisk } from "./stores.ts";

runCommandSequences(isLong ? 5_000 : 500, "on a disk that fails", onFaultyDisk);
