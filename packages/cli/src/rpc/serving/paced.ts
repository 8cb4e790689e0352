/** Lines to whoever reads them, and whether there is room for more. */

import type { Lines } from "../../printing/lines.ts";
import { lineOf } from "../../wire/line.ts";
import type { RpcAnswer, RpcEvent } from "../line/rpc-lines.ts";

export interface Paced {
  readonly write: (line: RpcEvent | RpcAnswer) => void;
  /** A promise while more waits to be read than the other program should leave lying. */
  readonly room: () => Promise<void> | undefined;
  /** From now on nobody waits for whoever reads. */
  readonly free: () => void;
}

export function paced(lines: Lines): Paced {
  let full: PromiseWithResolvers<void> | null = null;
  let isFree = false;
  const open = (): void => {
    full?.resolve();
    full = null;
  };
  return {
    write: (line) => {
      const wait = lines.write(lineOf(line));
      if (!wait || full || isFree) return;
      full = Promise.withResolvers();
      void wait.then(open);
    },
    room: () => full?.promise,
    free: () => {
      isFree = true;
      open();
    },
  };
}
