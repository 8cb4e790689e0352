/** An act that is done soon after it was asked for, and never more often than so. */

export interface Throttled {
  ask(): void;
  stop(): void;
}

export function throttled(act: () => void, everyMs: number): Throttled {
  let timer: NodeJS.Timeout | undefined;
  let isAsked = false;
  const rest = (): void => {
    timer = undefined;
    if (isAsked) ask();
  };
  const ask = (): void => {
    isAsked = timer !== undefined;
    if (isAsked) return;
    timer = setTimeout(rest, everyMs);
    act();
  };
  return { ask, stop: () => clearTimeout(timer) };
}
