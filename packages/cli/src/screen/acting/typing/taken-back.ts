/** All that waits to be heard comes back into the editor, before what was being typed. */

import type { Queued } from "@pith/context";
import { saidWords } from "../../../prompting/said-words.ts";
import type { Stage } from "../../stage.ts";
import type { Talking } from "../talking.ts";

export async function takenBack({ ready, screen }: Talking): Promise<void> {
  const waiting = await ready.built.agent.clearQueue();
  const words = waiting.map(({ content }) => wordsOf(content, screen)).filter((text) => text !== "");
  if (words.length > 0) screen.words.set([...words, screen.words.text].filter((text) => text !== "").join("\n\n"));
}

/** Its pictures get markers of now: those it has may be of another day. */
function wordsOf(content: Queued["content"], { editor }: Stage): string {
  const words = saidWords(content);
  if (typeof content === "string" || !editor) return words;
  return content.reduce((text, block, at) => {
    const before = content[at - 1];
    if (block.type !== "image" || before?.type !== "text") return text;
    return text.replaceAll(before.text, editor.pictures.put(block));
  }, words);
}
