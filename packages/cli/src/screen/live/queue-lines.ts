/** What was said while it worked and waits to be heard. */

import { plain } from "../../printing/plain.ts";
import type { Brush } from "../drawing/brush.ts";
import type { ScreenState } from "../state/screen-state.ts";

export function queueLines({ queue }: ScreenState, { theme }: Brush): readonly string[] {
  const said = [...queue.steering, ...queue.followUp.map((text) => `afterwards: ${text}`)];
  return said.map((text) => theme.dim(plain(`  waits: ${text.split("\n")[0]}`)));
}
