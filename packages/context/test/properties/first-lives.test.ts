/** Half of the lives in memory; the other half has a file of its own, so that two cores share them. */

import { inMemory } from "./grounds.ts";
import { tryLives } from "./lives.ts";

tryLives(5_000, "in memory", inMemory);
