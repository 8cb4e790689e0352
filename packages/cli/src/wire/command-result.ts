/** What a command answered, as a line. */

import type { Answer } from "../commands/command.ts";
import type { CommandResult } from "./wire-event.ts";

export function commandResult(command: string, answer: Answer): CommandResult {
  const told = { type: "command_result", command } as const;
  switch (answer.type) {
    case "told":
      return { ...told, success: true, text: answer.text, data: answer.data };
    case "mistake":
    case "failed":
      return { ...told, success: false, error: answer.message };
    case "opened": {
      const { id, path, text, draft } = answer;
      return { ...told, success: true, text, session: { id, path }, ...(draft !== undefined && { draft }) };
    }
    case "draft":
      return { ...told, success: true, text: answer.text, draft: answer.draft };
    case "prompt":
    case "quit":
      return { ...told, success: true };
  }
}
