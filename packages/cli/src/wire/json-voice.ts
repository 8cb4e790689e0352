/** The JSON mode: every event as a line for programs, as fast as they read. Who has left is not worked for. */

import type { Lines } from "../printing/lines.ts";
import type { Voice } from "../working/voice.ts";
import { commandResult } from "./command-result.ts";
import { lineOf } from "./line.ts";
import { atRest, toWire } from "./to-wire.ts";
import type { WireEvent } from "./wire-event.ts";

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
