/** Commands that open a panel where there is a screen; every other way of calling them is answered as anywhere. */

import type { Talking } from "./talking.ts";

/** True where it was taken care of; false: the command is run as anywhere. `words` stand behind its name. */
export type Opener = (words: string, talking: Talking) => Promise<boolean>;

/** By the command's name, without its slash. Loaded when they are wanted. */
export const openers: Readonly<Record<string, () => Promise<Opener>>> = {};
