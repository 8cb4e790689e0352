/** Words for somebody who is not there yet: it is asked once more who shall speak, and then they are said. */

import type { Content } from "@pith/agent";
import { saidWords } from "../../prompting/said-words.ts";
import type { Talking } from "../acting/talking.ts";
import { withSpeaker } from "./first-start.ts";

export async function sayAfter(content: Content, { ready, screen, leave }: Talking): Promise<void> {
  const words = saidWords(content);
  const next = await withSpeaker(ready, screen);
  if (next === null) return screen.words.set(words);
  const { agent, sessionPath } = ready.built;
  const isBegun = agent.session.leaf !== null && sessionPath !== null;
  leave({ ...next, words, files: [], ...(isBegun && { session: { type: "named", name: sessionPath } }) });
}
