/** Defines a provider rule: one numbered sentence, and the check that finds where a request breaks it. */

import type { ModelName, Request } from "../../model.ts";

export interface ProviderRule {
  readonly number: string;
  readonly says: string;
  readonly breaks: Check;
}

/** Names each place and its fault, e.g. `messages[3]: result c7 has no call`; nothing when the request is good. */
export type Check = (request: Request, model: ModelName) => readonly string[];

/** A rule that is broken when any of its checks finds a fault. */
export function rule(number: string, says: string, ...checks: readonly Check[]): ProviderRule {
  return { number, says, breaks: (request, model) => checks.flatMap((check) => check(request, model)) };
}
