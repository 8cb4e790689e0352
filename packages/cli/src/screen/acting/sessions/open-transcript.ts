/** The transcript page: all that was said and done on this branch. */

import { transcriptPanel } from "../../panels/transcript/transcript-panel.ts";
import type { Talking } from "../talking.ts";
import { logPages } from "./log-pages.ts";

/** Of the words behind `/transcript` it makes nothing. */
export async function openTranscript(_words: string, { ready, screen }: Talking): Promise<boolean> {
  const { session } = ready.built.agent;
  const title = session.redacted((await session.store.name()) ?? "");
  await screen.ask(transcriptPanel(logPages(session, title)), { where: "page" });
  return true;
}
