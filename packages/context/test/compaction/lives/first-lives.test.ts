/** Half of the two thousand lives of sessions that fill up; two cores share them. */

import { tryFullLives } from "./try-lives.ts";

tryFullLives(1_000);
