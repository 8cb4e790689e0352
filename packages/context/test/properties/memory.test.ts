/** Lives of a session in memory. */

import { inMemory } from "./grounds.ts";
import { runCommandSequences } from "./lives.ts";

runCommandSequences(250, "in memory", inMemory);
