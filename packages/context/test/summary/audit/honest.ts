/** All honest summaries, of every language. */

import { chinese } from "./honest/chinese.ts";
import { english } from "./honest/english.ts";
import { german } from "./honest/german.ts";
import { others } from "./honest/others.ts";
import { spanish } from "./honest/spanish.ts";
import type { Told } from "./honest/told.ts";

export const honest: readonly Told[] = [...english, ...german, ...spanish, ...chinese, ...others];
