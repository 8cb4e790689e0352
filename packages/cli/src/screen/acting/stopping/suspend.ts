/** Ctrl+Z, as anywhere in a shell: the program sleeps, the terminal is the shell's, and `fg` brings all of it back. */

import type { Stage } from "../../stage.ts";

/** False where a shell cannot do that. */
export function suspend({ screen }: { readonly screen: Stage }): false | Promise<void> {
  return process.platform !== "win32" && screen.lend(asleep);
}

/** Whoever sends it to sleep from outside finds the terminal in order as well. What comes back ends that. */
export function suspendOnSignal(screen: Stage): () => void {
  const act = (): void => void suspend({ screen });
  process.on("SIGTSTP", act);
  return () => process.off("SIGTSTP", act);
}

async function asleep(): Promise<void> {
  const own = process.listeners("SIGTSTP");
  process.removeAllListeners("SIGTSTP");
  const woken = Promise.withResolvers<void>();
  process.once("SIGCONT", woken.resolve);
  // Where no shell could wake it, the system does not let it sleep: then it goes on.
  const awake = setTimeout(woken.resolve, SOON_MS);
  process.kill(0, "SIGTSTP");
  await woken.promise;
  clearTimeout(awake);
  process.off("SIGCONT", woken.resolve);
  for (const each of own) process.on("SIGTSTP", each);
}

const SOON_MS = 300;
