/** A session that broke off in the middle of its work: it is said, and one may let it go on. */

import { type Next, nextAt } from "@pith/agent";
import { choice } from "../../panels/choice.ts";
import type { Talking } from "../talking.ts";

export async function offerToGoOn(talking: Talking): Promise<void> {
  const { ready, screen } = talking;
  const { agent, missing } = ready.built;
  const left = leftOpen(nextAt(agent.session.window.entries), agent.queue.length);
  if (left === null || missing !== null) return;
  // Who types already would answer with their next letter.
  if (screen.words.text !== "") return screen.tell(`This session broke off: ${left}. What you say next comes first.`);
  const goesOn = await screen.ask(
    choice({
      title: `This session broke off: ${left}.`,
      options: [
        { key: "y", label: "Go on", says: "from where it was", value: true },
        { key: "n", label: "Leave it", says: "what you say next comes first", value: false },
      ],
    }),
    { where: "inline" },
  );
  if (goesOn) await resumed(talking);
}

/** All that happens is told by whoever listens. */
async function resumed({ ready }: Talking): Promise<void> {
  for await (const _ of ready.built.agent.resume());
}

/** For people; null where nothing is left open. */
export function leftOpen(next: Next | null, waiting: number): string | null {
  if (next?.type === "results") {
    const names = [...new Set(next.calls.map(({ call }) => call.name))].join(", ");
    return `${names} had not ended`;
  }
  if (next?.type === "reply") return "the last words have no answer yet";
  return waiting > 0 ? "something was said that nobody has heard yet" : null;
}
