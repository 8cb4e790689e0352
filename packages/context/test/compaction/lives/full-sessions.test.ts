/** Random sessions that fill up. */

import { isLong } from "../../test-length.ts";
import { tryFullLives } from "./try-lives.ts";

tryFullLives(isLong ? 2_000 : 150);
