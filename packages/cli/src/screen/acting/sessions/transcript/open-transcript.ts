/** The transcript page: all that was said and done on this branch. */

import { transcriptPanel } from "../../../panels/transcript/transcript-panel.ts";
import type { Stage } from "../../../stage.ts";
import type { Talking } from "../../talking.ts";
import { logPages } from "./log-pages.ts";

/** Of the words behind `/transcript` it makes nothing. */
export async function openTranscript(_words: string, { ready, screen }: Talking): Promise<boolean> {
  // Whoever presses the key twice wants one.
  if (reading.has(screen)) return true;
  reading.add(screen);
  try {
    const { session } = ready.built.agent;
    const title = session.redacted((await session.store.name()) ?? "");
    await screen.ask(transcriptPanel(logPages(session, title)), { where: "page" });
  } finally {
    reading.delete(screen);
  }
  return true;
}

/** Screens on which one is being opened, or is open. */
const reading = new WeakSet<Stage>();
