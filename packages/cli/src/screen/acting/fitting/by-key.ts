/** What a command opens, opened by a key; what goes wrong with it is told, and the talk goes on. */

import type { Opener } from "../opener.ts";
import type { Talking } from "../talking.ts";

/** Loaded when the key is pressed for the first time. */
export function byKey(load: () => Promise<Opener>): (talking: Talking) => boolean {
  return (talking) => {
    void opened(load, talking);
    return true;
  };
}

async function opened(load: () => Promise<Opener>, talking: Talking): Promise<void> {
  try {
    const open = await load();
    await open("", talking);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    talking.screen.tell(talking.ready.built.agent.session.redacted(words), "bad");
  }
}
