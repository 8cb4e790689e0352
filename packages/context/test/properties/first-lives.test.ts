/** Half of the five thousand lives in a file, on a disk that fills up, fails and loses power; two cores share them. */

import { onFaultyDisk } from "./grounds.ts";
import { tryLives } from "./lives.ts";

tryLives(2_500, "on a disk that fails", onFaultyDisk);
