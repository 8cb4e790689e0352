/** Tests random sessions in memory. */

import { runCommandSequences } from "./run-sequences.ts";
import { inMemory } from "./stores.ts";

runCommandSequences(250, "in memory", inMemory);
