/** Lists the languages of generated sessions. */

import { chinese } from "./chinese.ts";
import { english } from "./english.ts";
import { german } from "./german.ts";
import type { Language } from "./language.ts";
import { spanish } from "./spanish.ts";

export const LANGUAGES: readonly Language[] = [english, german, spanish, chinese];
