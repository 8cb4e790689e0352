/** Writes every event to stdout as a JSON line, at the reader's pace. The run is aborted when the reader closes the pipe. */

import type { WireEvent } from "@pith/client";
import { atRest, commandResult, toWire } from "../../protocol/events.ts";
import type { Lines } from "../../text/process-io.ts";
import { lineOf } from "../../text/safe-text.ts";
import type { Voice } from "./text-output.ts";

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
