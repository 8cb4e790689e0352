/** The other half of the lives in memory. */

import { inMemory } from "./grounds.ts";
import { tryLives } from "./lives.ts";

tryLives(5_000, "in memory", inMemory);
