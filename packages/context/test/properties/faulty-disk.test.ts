/** Random sessions in a file, on a disk that fills up, fails and loses power. */

import { isLong } from "../support/test-length.ts";
import { onFaultyDisk } from "./grounds.ts";
import { runCommandSequences } from "./lives.ts";

runCommandSequences(isLong ? 5_000 : 500, "on a disk that fails", onFaultyDisk);
