/** Lives of a session in memory. */

import { inMemory } from "./grounds.ts";
import { tryLives } from "./lives.ts";

tryLives(500, "in memory", inMemory);
