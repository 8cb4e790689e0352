/** Words that begin with a slash, as another program sends them: what the command answers is the answer, and another session is gone to. */

import type { Content } from "@pith/agent";
import type { Answer } from "../../commands/command.ts";
import { commandResult } from "../../wire/command-result.ts";
import type { RanCommand } from "../line/rpc-commands.ts";
import { done, failed, type Outcome } from "../rows/row.ts";
import type { Seat } from "../serving/seat.ts";

export type RanSlash =
  | { readonly type: "ran"; readonly outcome: Outcome<RanCommand> }
  /** For the model; `isTemplate`: not as it was written. */
  | { readonly type: "words"; readonly content: Content; readonly isTemplate: boolean };

export async function ranSlash(words: string, seat: Seat): Promise<RanSlash> {
  if (!words.startsWith("/")) return { type: "words", content: words, isTemplate: false };
  const { runCommand } = await import("../../commands/run-command.ts");
  const answer = await runCommand(words, seat.desk);
  if (answer === null) return { type: "words", content: words, isTemplate: false };
  if (answer.type === "prompt") return { type: "words", content: answer.content, isTemplate: true };
  // An entry may come from before redaction, or from another program.
  const told = seat.ready.built.agent.session.redacted({ words, answer });
  seat.tell(commandResult(told.words, told.answer));
  return { type: "ran", outcome: await outcomeOf(answer, seat) };
}

type Ran = Exclude<Answer, { type: "prompt" }>;

const HANDLED = { disposition: "handled" } as const;

async function outcomeOf(answer: Ran, seat: Seat): Promise<Outcome<RanCommand>> {
  switch (answer.type) {
    case "told":
      return done({ ...HANDLED, text: answer.text, data: answer.data });
    case "mistake":
    case "failed":
      return failed(answer.message);
    case "draft":
      return done({ ...HANDLED, text: answer.text, draft: answer.draft });
    case "opened": {
      const { text, draft, path } = answer;
      const gone = await seat.go({ type: "named", name: path }, answer.reason ?? "resume");
      if (gone.type === "failed") return gone;
      return done({ ...HANDLED, text, ...(draft !== undefined && { draft }) });
    }
    case "quit":
      seat.quit();
      return done(HANDLED);
  }
}
