/** Writes every event to stdout as a JSON line, at the reader's pace. The run is aborted when the reader closes the pipe. */

import type { CommandResult, WireEvent } from "@pith/client";
import type { Answer } from "../../commands/command.ts";
import type { Lines } from "../../text/process-io.ts";
import { lineOf } from "../../text/safe-text.ts";
import type { Voice } from "../print/text-output.ts";
import { atRest, toWire } from "./events.ts";

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

export function jsonVoice(lines: Lines): Voice {
  let state = atRest;
  const write = (event: WireEvent): Promise<void> | undefined => lines.write(lineOf(event));
  return {
    listen: (event) => {
      const wired = toWire(state, event);
      state = wired.state;
      // The last one says whether there is room for more.
      return wired.lines.map(write).at(-1);
    },
    opened: ({ agent }) => {
      void write(agent.session.store.header);
      lines.onLeft(() => void agent.abort());
    },
    answered: async (command, answer) => {
      await write(commandResult(command, answer));
      return lines.flushed();
    },
    ended: async (end) => {
      const fault = await lines.flushed();
      return fault === null ? end : { type: "failed", why: fault };
    },
    failed: async (error) => {
      await write({ type: "error", error });
      await lines.flushed();
    },
    get isUnheard() {
      return lines.hasLeft;
    },
  };
}
