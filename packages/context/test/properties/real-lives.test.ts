/** Lives in a file on the real disk. */

import { onRealDisk } from "./grounds.ts";
import { tryLives } from "./lives.ts";

tryLives(300, "on the real disk", onRealDisk);
