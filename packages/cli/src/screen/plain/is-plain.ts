/** Whether a talk is told in plain lines: the flag says so, a terminal that can do no more, or the user's settings. */

import { pithHome } from "@pith/context/node";
import { readSettings } from "../../home/read-settings.ts";
import { settingsFrom } from "../../home/settings/field.ts";
import type { Choices } from "../../home/settings.ts";

export async function isPlain({ plain }: Choices, place: PlainPlace = here()): Promise<boolean> {
  if (plain !== undefined) return plain;
  const own = await readSettings(place.home);
  // A mistake in them is told when all of them are read.
  const wanted = own.type === "read" ? settingsFrom(own.fields).plain : undefined;
  return wanted ?? place.terminal === "dumb";
}

export interface PlainPlace {
  /** Pith's home. */
  readonly home: string;
  /** What the terminal calls itself. */
  readonly terminal: string | undefined;
}

function here(): PlainPlace {
  return { home: pithHome(), terminal: process.env.TERM };
}
