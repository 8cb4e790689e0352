/** `/copy` on a screen: what was answered goes to the clipboard. */

import { textToCopy } from "../../../commands/looking/copy.ts";
import { severalLines } from "../../plain/telling/several.ts";
import type { Opener } from "../talking.ts";
import { toClipboard } from "./clipboard.ts";

export const copyOnScreen: Opener = async (words, { ready, desk, screen }) => {
  const answer = await textToCopy(words, desk);
  if (answer.type !== "told") return false;
  const text = ready.built.agent.session.redacted(answer.text);
  const { environment } = ready.place;
  const by = await toClipboard(text, { environment, platform: process.platform, send: (each) => screen.send(each) });
  // Without a terminal that hears sequences, nothing was copied: it is told, as in print mode.
  if (by === null && !screen.hasPages) return false;
  screen.tell(`copied ${severalLines(text)}, ${by === null ? toTerminal(text) : `by ${by}`}`);
  return true;
};

function toTerminal(text: string): string {
  return text.length > MOST_LETTERS ? "through the terminal; it may be too long for it" : "through the terminal";
}

/** Some terminals take no more. */
const MOST_LETTERS = 70_000;
