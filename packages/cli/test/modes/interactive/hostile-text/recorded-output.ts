/** Every byte that is written to a terminal of a test, from now on. */

import type { HeadlessTerminal } from "../../../support/headless-terminal.ts";

/** Gives what was written since it was last asked. */
export function recordOutput(terminal: HeadlessTerminal): () => string {
  const write = terminal.write.bind(terminal);
  let bytes = "";
  terminal.write = (data) => {
    bytes += data;
    write(data);
  };
  return () => {
    const taken = bytes;
    bytes = "";
    return taken;
  };
}
