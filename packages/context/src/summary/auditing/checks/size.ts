/** AUD1: a summary is as short as it has to be. */

import { textTokens } from "../../../reading/tokens/text-tokens.ts";
import type { Flaw } from "../flaw.ts";
import type { Audited } from "./check.ts";

export function tooLong({ story, format }: Pick<Audited, "story" | "format">): readonly Flaw[] {
  const tokens = textTokens(story);
  const note = `the summary has ${tokens} tokens, ${format.tokens} are allowed`;
  return tokens > format.tokens ? [{ code: "too-long", note, line: null }] : [];
}
