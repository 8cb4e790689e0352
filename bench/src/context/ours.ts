/** A session of ours in memory, taken one step further at a time, with the time each part of the step took. */

import { buildSessionContext, convertToLlm, type Drafted, MemoryStore, Session } from "@pith/context";
import { machine } from "@pith/context/node";

export interface OurSession {
  step(message: object): Promise<{ readonly appendMs: number; readonly buildMs: number; readonly convertMs: number }>;
  /** How many messages the last step would have sent. */
  messages(): number;
}

export async function openOurs(bytes: Uint8Array): Promise<OurSession> {
  const session = await Session.open(MemoryStore.open(bytes, machine), machine);
  let sent = 0;
  return {
    async step(message) {
      const start = performance.now();
      await session.append({ type: "message", message } as Drafted);
      const appended = performance.now();
      const context = buildSessionContext(session.window);
      const built = performance.now();
      sent = convertToLlm(context.messages).length;
      const converted = performance.now();
      return { appendMs: appended - start, buildMs: built - appended, convertMs: converted - built };
    },
    messages: () => sent,
  };
}
