/** One question of an extension: in its turn, for as long as an answer is wanted, and heard only once the keys rest. */

import type { UiAsking } from "@pith/agent";
import type { Notifier } from "../../notifying/notifier.ts";
import type { Panel } from "../../panels/panel.ts";
import type { Stage } from "../../stage.ts";
import type { Turns } from "./turns.ts";

export interface AskedParts<State, Answer> {
  readonly turns: Turns;
  /** Absent: nobody has turned away, and keys count at once. */
  readonly notifier: Pick<Notifier, "waits"> | undefined;
  readonly title: string;
  readonly panel: () => Promise<Panel<State, Answer>>;
}

/** Null or undefined where nobody answered. */
export async function askedOn<State, Answer>(
  stage: Stage,
  { title, panel, turns, notifier }: AskedParts<State, Answer>,
  signal: AbortSignal,
): Promise<Answer | null | undefined> {
  const ask = async (): Promise<Answer | null> => {
    const enough = notifier?.waits(title);
    try {
      const { onceQuiet } = await import("../../panels/extending/once-quiet.ts");
      const quietMs = !notifier ? 0 : stage.words.text === "" ? A_MOMENT_MS : TYPING_MS;
      return await stage.ask(onceQuiet(await panel(), quietMs), { where: "inline", signal });
    } finally {
      enough?.();
    }
  };
  return await turns.inTurn(ask, signal);
}

/** In less nobody can have read it; between two letters of somebody who types slowly. */
const A_MOMENT_MS = 300;
const TYPING_MS = 700;

/** When the session is left, the one who asks wants no answer any more, or has waited long enough. */
export function ending({ signal, timeout }: UiAsking, left: AbortSignal): AbortSignal {
  const isLimited = typeof timeout === "number" && timeout > 0 && timeout <= LONGEST_MS;
  return AbortSignal.any([left, ...(signal ? [signal] : []), ...(isLimited ? [AbortSignal.timeout(timeout)] : [])]);
}

/** A timer knows no more. */
const LONGEST_MS = 2 ** 31 - 1;
