/** One line in place of the editor while something is found out; Esc does without. */

import { truncateToWidth } from "@earendil-works/pi-tui";
import { plain } from "../../../printing/plain.ts";
import type { Panel } from "../../panels/panel.ts";
import type { Stage } from "../../stage.ts";

/** Null where somebody did not want to wait. */
export async function whileWaiting<Value>(
  words: string,
  screen: Stage,
  act: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | null> {
  const unwanted = new AbortController();
  const done = new AbortController();
  const closed = screen.ask(waiting(words), { where: "inline", signal: done.signal }).then(() => null);
  try {
    return await Promise.race([act(unwanted.signal), closed]);
  } finally {
    unwanted.abort();
    done.abort();
    await closed;
  }
}

function waiting(words: string): Panel<null, never> {
  return {
    start: null,
    press: () => null,
    draw: (_, { width, theme }) => [
      theme.border("─".repeat(width)),
      truncateToWidth(` ${plain(words)}${theme.dim(" · Esc does without")}`, width),
    ],
  };
}
