/** Lives in a file on the real disk. */

import { isLong } from "../test-length.ts";
import { onRealDisk } from "./grounds.ts";
import { tryLives } from "./lives.ts";

tryLives(isLong ? 300 : 60, "on the real disk", onRealDisk);
