/** The other half of the lives in a file, on a disk that fills up, fails and loses power. */

import { onFaultyDisk } from "./grounds.ts";
import { tryLives } from "./lives.ts";

tryLives(2_500, "on a disk that fails", onFaultyDisk);
