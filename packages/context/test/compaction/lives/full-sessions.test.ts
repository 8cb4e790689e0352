/** Random sessions that fill up. */

import { isLong } from "../../support/test-length.ts";
import { runFullSessions } from "./try-lives.ts";

runFullSessions(isLong ? 2_000 : 150);
