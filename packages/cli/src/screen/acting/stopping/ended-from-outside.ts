/** Who ends a talk from outside: a signal, or a terminal that is gone. What is under way is aborted then, and all of it is saved. */

export interface Ending {
  /** The exit code that belongs to what came. */
  readonly code: Promise<number>;
  /** From then on it is as if nobody had listened. */
  readonly forget: () => void;
}

export interface Ends {
  /** Whether Ctrl+C and the end of the input come as keys, so that nobody else hears of them. */
  readonly isDrawn: boolean;
}

/** The second of them ends it at once, and so does a program that does not come to its end. */
export function endedFromOutside({ isDrawn }: Ends): Ending {
  const { promise, resolve } = Promise.withResolvers<number>();
  const listening = new AbortController();
  let isEnding = false;
  const end = (code: number): void => {
    if (isEnding) process.exit(code);
    isEnding = true;
    resolve(code);
    setTimeout(() => process.exit(code), GRACE_MS).unref();
  };
  const on = (source: NodeJS.EventEmitter, name: string, code: number): void => {
    const act = (): void => end(code);
    source.on(name, act);
    listening.signal.addEventListener("abort", () => source.off(name, act));
  };
  for (const [signal, code] of isDrawn ? [...SIGNALS, INTERRUPT] : SIGNALS) on(process, signal, code);
  if (isDrawn) for (const name of ["end", "error"]) on(process.stdin, name, HANGUP);
  on(process.stdout, "error", HANGUP);
  return { code: promise, forget: () => listening.abort() };
}

const GRACE_MS = 5_000;

/** As shells count: 128 and the signal's number. A terminal that is gone counts as its signal. */
const HANGUP = 129;
const INTERRUPT = ["SIGINT", 130] as const;
const SIGNALS = [
  ["SIGHUP", HANGUP],
  ["SIGTERM", 143],
] as const;
