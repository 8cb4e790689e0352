/** Defines a provider rule: one numbered sentence, and the check that finds where a request breaks it. */

import type { ModelName, Request } from "../../../src/model.ts";

export interface ProviderRule {
  readonly id: string;
  readonly description: string;
  readonly findViolations: RequestCheck;
}

/** Names each place and its fault, e.g. `messages[3]: result c7 has no call`; nothing when the request is good. */
export type RequestCheck = (request: Request, model: ModelName) => readonly string[];

/** A rule that is broken when any of its checks finds a fault. */
export function defineProviderRule(id: string, description: string, ...checks: readonly RequestCheck[]): ProviderRule {
  return { id, description, findViolations: (request, model) => checks.flatMap((check) => check(request, model)) };
}
