/** All honest summaries, of every language. */

import { chinese } from "./honest/chinese.ts";
import { english } from "./honest/english.ts";
import { german } from "./honest/german.ts";
import type { HonestSummary } from "./honest/honest-summary.ts";
import { others } from "./honest/others.ts";
import { spanish } from "./honest/spanish.ts";

export const honest: readonly HonestSummary[] = [...english, ...german, ...spanish, ...chinese, ...others];
