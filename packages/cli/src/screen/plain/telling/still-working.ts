/** A line now and then while something takes long, so that silence does not look like an end: each comes later than the one before. */

import { plain } from "../../../printing/plain.ts";
import type { Called } from "../../state/block.ts";
import type { ScreenState } from "../../state/screen-state.ts";
import { several } from "./several.ts";
import { calledName } from "./told-call.ts";

export interface Waiting {
  /** Calls it after so many milliseconds, unless what it returns is called before. */
  readonly later: (act: () => void, ms: number) => () => void;
  readonly tell: (lines: readonly string[]) => void;
  readonly state: () => ScreenState;
}

/** To be called whenever the state may be another. */
export function stillWorking({ later, tell, state }: Waiting): () => void {
  let stop: (() => void) | null = null;
  const wait = (seconds: number): void => {
    stop = later(
      () => {
        tell([workingTold(state(), seconds)]);
        wait(seconds * 2);
      },
      (seconds === FIRST ? seconds : seconds / 2) * 1_000,
    );
  };
  return () => {
    const isIdle = state().work.type === "idle";
    if (isIdle) stop?.();
    if (isIdle) stop = null;
    else if (!stop) wait(FIRST);
  };
}

/** In seconds. */
const FIRST = 30;

function workingTold({ blocks }: ScreenState, seconds: number): string {
  const running = blocks.findLast((block): block is Called => block.kind === "called" && block.state === "running");
  const time = seconds < 120 ? several(seconds, "second") : several(Math.round(seconds / 60), "minute");
  return plain(`Still working, ${time}${running ? `: ${calledName(running)}` : ""}.`);
}
