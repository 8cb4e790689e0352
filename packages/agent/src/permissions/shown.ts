/** What a question quotes, as a person may see it: on one line, of bounded length, with nothing in it that would not be seen, or would act. */

import { whollyVisible } from "../text/visible.ts";

export function shown(text: string): string {
  return whollyVisible(shortened(text));
}

const MOST = 1_000;

// The end stays: a long beginning must not hide what comes last.
function shortened(text: string): string {
  if (text.length <= MOST) return text;
  const half = MOST / 2;
  return `${text.slice(0, half)} … ${text.length - MOST} more characters … ${text.slice(-half)}`;
}
