/** Lives of a session in memory. */

import { inMemory } from "./grounds.ts";
import { tryLives } from "./lives.ts";

tryLives(250, "in memory", inMemory);
