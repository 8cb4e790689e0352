/** Lives of a session in memory. */

import { inMemory } from "./grounds.ts";
import { tryLives } from "./lives.ts";

tryLives(2_000, "in memory", inMemory);
