/** What a command of a conversation answers, as what a subcommand does. */

import type { Answer } from "../../commands/command.ts";
import type { Outcome } from "../subcommand.ts";

export function asOutcome(answer: Answer): Outcome {
  switch (answer.type) {
    case "told":
      return { type: "shown", text: answer.text, data: answer.data };
    case "mistake":
    case "failed":
      return answer;
    case "prompt":
    case "opened":
    case "draft":
    case "quit":
      throw new Error(`a subcommand cannot answer with ${answer.type}`);
  }
}
