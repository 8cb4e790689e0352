/** How well the size of a request is foreseen, over whole sessions: made-up ones of many models, and real ones where they are at hand. */

import type { Entry } from "@pith/context";
import { between, random } from "../random.ts";
import { median } from "../statistics.ts";
import type { Figures, Settings } from "../suite.ts";
import type { Kind } from "./kind.ts";
import { many, pick } from "./made-up/chance.ts";
import { madeUpSession } from "./sessions/made-up-sessions.ts";
import { realSessions } from "./sessions/real-sessions.ts";
import { type ReplayErrors, replay } from "./sessions/replay.ts";

export async function sessionErrors(kinds: readonly Kind[], settings: Settings): Promise<Figures> {
  const { quick, seed, say } = settings;
  const madeUp = many(quick ? 12 : 48, (at) => mixedSession(kinds, seed + at));
  const real = await realSessions();
  say(
    `replaying ${madeUp.length} made-up sessions and ${real.length === 0 ? "no real ones (they are not here)" : `${real.length} real ones`}`,
  );
  const [ofMadeUp, ofReal] = [madeUp.map(replay), real.map(replay)];
  return {
    ...medians("", [...ofMadeUp, ...ofReal]),
    made_up_sessions: madeUp.length,
    real_sessions: real.length,
    ...(real.length > 0 && medians("real_", ofReal)),
  };
}

/** Five kinds of text, and a model that counts up to a third more or a seventh less, with a prompt of its own. */
function mixedSession(kinds: readonly Kind[], seed: number): readonly Entry[] {
  const next = random(seed);
  return madeUpSession({
    kinds: many(5, () => pick(next, kinds)),
    requests: 30,
    hidden: { factor: 0.85 + next() * 0.5, prompt: between(next, 500, 15_000) },
    seed,
  });
}

/** Of the sessions' own medians, so that a long session counts no more than a short one. */
function medians(prefix: string, sessions: readonly ReplayErrors[]): Figures {
  const overall = (by: keyof ReplayErrors): number => median(sessions.map((errors) => median(errors[by])));
  return {
    [`${prefix}calibrated_error`]: overall("calibrated"),
    [`${prefix}next_request_error`]: overall("next"),
    [`${prefix}growth_error`]: overall("growth"),
  };
}
