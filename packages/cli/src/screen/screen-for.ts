/** The screen that a talk is shown on: drawn, or told in plain lines. */

import type { Wish } from "../asking/wish.ts";
import type { Notifier } from "./notifying/notifier.ts";
import type { ScreenParts } from "./screen.ts";
import type { Stage } from "./stage.ts";
import { nothingShown } from "./state/screen-state.ts";
import type { Written } from "./typing/written.ts";

export interface OpenScreen {
  readonly screen: Stage;
  /** Absent where nobody can be called. */
  readonly notifier?: Notifier;
  start(): void;
  stop(): void;
}

export interface Acts extends Pick<ScreenParts, "pressed"> {
  readonly submitted: (given: string | Written) => Promise<void> | void;
  /** Whether there is a talk yet that hears what is typed. */
  readonly isOpen: () => boolean;
}

/** Only what is wanted is loaded. */
export async function screenFor({ choices }: Wish, acts: Acts): Promise<OpenScreen> {
  const { isPlain } = await import("./plain/is-plain.ts");
  if (await isPlain(choices)) {
    const { plainTerminal } = await import("./plain/plain-terminal.ts");
    return plainTerminal(acts);
  }
  return await drawn(acts);
}

async function drawn({ pressed, submitted }: Acts): Promise<OpenScreen> {
  const [
    { ProcessTerminal, getCapabilities },
    { wornHere },
    { rewraps },
    { Screen },
    { Notifier },
    { WatchedTerminal },
  ] = await Promise.all([
    import("@earendil-works/pi-tui"),
    import("./terminal/dress.ts"),
    import("./terminal/rewraps.ts"),
    import("./screen.ts"),
    import("./notifying/notifier.ts"),
    import("./notifying/watched-terminal.ts"),
  ]);
  const worn = wornHere(process.env);
  const terminal = new WatchedTerminal(new ProcessTerminal(), Date.now);
  const pictures = getCapabilities().images;
  const isRewrapped = rewraps(process.env);
  const looks = { terminal, theme: worn.theme, pictures, isRewrapped, start: nothingShown, now: Date.now };
  const screen = new Screen({ pressed, submitted, ...looks });
  const notifier = new Notifier({
    send: (sequence) => terminal.write(sequence),
    gaze: () => terminal.gaze,
    now: Date.now,
    environment: process.env,
  });
  const start = (): void => {
    screen.start();
    void worn.follow(screen);
  };
  return { screen, notifier, start, stop: () => screen.stop() };
}
