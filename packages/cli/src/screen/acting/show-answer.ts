/** What a command answered, on the screen. */

import type { Answer } from "../../commands/command.ts";
import { say } from "./say.ts";
import type { Talking } from "./talking.ts";

export async function show(given: Answer, talking: Talking): Promise<void> {
  const { screen, leave, ready } = talking;
  // An entry may come from before redaction, or from another program.
  const answer = given.type === "prompt" ? given : ready.built.agent.session.redacted(given);
  switch (answer.type) {
    case "told":
      // A command of an extension may have nothing to say.
      return answer.text === "" ? undefined : screen.tell(answer.text);
    case "mistake":
    case "failed":
      return screen.tell(answer.message, "bad");
    case "prompt":
      return await say(answer.content, talking);
    case "draft":
      screen.tell(answer.text);
      return screen.words.set(answer.draft);
    case "opened":
      screen.tell(answer.text);
      if (answer.draft !== undefined) screen.words.set(answer.draft);
      return leave({ ...nextWish(ready), session: { type: "named", name: answer.path } }, answer.reason);
    case "quit":
      return leave(null);
  }
}

/** The same call for another session: what was said on the command line is said. */
export function nextWish({ wish }: Talking["ready"]): Talking["ready"]["wish"] {
  return { ...wish, words: "", files: [] };
}
