/** Writes every event to stdout as a JSON line, with backpressure. Aborts the run when the reader closes the pipe. */

import type { WireEvent } from "@pith/client";
import { toJsonLine } from "@pith/host/text/safe-text";
import { initialWireState, toCommandResultEvent, toWireEvents } from "../../protocol/events.ts";
import type { LineWriter } from "../../text/process-io.ts";
import type { RunOutput } from "./text-output.ts";

export function createJsonOutput(lines: LineWriter): RunOutput {
  let state = initialWireState;
  const write = (event: WireEvent): Promise<void> | undefined => lines.write(toJsonLine(event));
  return {
    onEvent: (event) => {
      const converted = toWireEvents(state, event);
      state = converted.state;
      // The promise of the last line resolves when the reader has caught up.
      return converted.events.map(write).at(-1);
    },
    onSessionOpen: ({ agent }) => {
      void write(agent.session.store.header);
      lines.onReaderClosed(() => void agent.abort());
    },
    writeCommandResult: async (command, result) => {
      await write(toCommandResultEvent(command, result));
      return lines.flush();
    },
    finish: async (end) => {
      const writeError = await lines.flush();
      return writeError === null ? end : { type: "failed", why: writeError };
    },
    writeError: async (error) => {
      await write({ type: "error", error });
      await lines.flush();
    },
    get isReaderGone() {
      return lines.isReaderClosed;
    },
  };
}
