/** What a command does where there is a screen. */

import type { Talking } from "./talking.ts";

/** True where it was taken care of; false: the command is run as anywhere. `words` stand behind its name. */
export type Opener = (words: string, talking: Talking) => Promise<boolean>;
