/** What an extension is given to wait for: whether or not it does, what becomes of it ends nothing but its own work. */

import type { Complain } from "../admitting/complain.ts";

/** The same promise. One that fails and that nobody waits for would end the program. */
export function reporting<Outcome>(outcome: Promise<Outcome>, what: string, complain: Complain): Promise<Outcome> {
  outcome.catch((error: unknown) => complain(what, error instanceof Error ? error.message : String(error)));
  return outcome;
}
