/** Half of the ten thousand lives; the other half has a file of its own, so that two cores share them. */

import { tryLives } from "./lives.ts";

tryLives(5_000);
