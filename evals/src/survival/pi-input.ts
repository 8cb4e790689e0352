/** What pi shows its summariser of the same session: its own cut, its own words. */

import { startPi } from "@pith/bench/peers/pi";
import type { Entry } from "@pith/context";

export interface PiInput {
  /** How many entries it covers. */
  readonly covered: number;
  /** What is shown of each of them. */
  readonly texts: readonly string[];
}

export async function piInput(entries: readonly Entry[]): Promise<PiInput> {
  const pi = startPi();
  try {
    return (await pi.ask({ op: "summariserInput", entries })) as PiInput;
  } finally {
    pi.end();
  }
}
