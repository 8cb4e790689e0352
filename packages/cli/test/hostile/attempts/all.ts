/** All attempts, in one list. */

import type { Attempt } from "../attempt.ts";
import { escapeAttempts } from "./escapes.ts";
import { proxyAttempts, rebindingAttempts } from "./proxy.ts";
import { serviceAttempts } from "./services.ts";
import { shellAttempts } from "./shell.ts";
import { keptSecretAttempts, permitted, toolAttempts } from "./tools.ts";
import { publishedServer, workAttempts } from "./work.ts";

export { keptSecretAttempts } from "./tools.ts";
export { workAttempts } from "./work.ts";

export const hostileAttempts: readonly Attempt[] = [
  ...shellAttempts,
  ...serviceAttempts,
  ...toolAttempts,
  ...proxyAttempts,
  ...escapeAttempts,
];
/** The user agrees to all that is asked, and nothing may leave all the same. */
export const agreedAttempts: readonly Attempt[] = rebindingAttempts;
export const permittedAttempts: readonly Attempt[] = [...permitted, publishedServer];
export const attempts: readonly Attempt[] = [
  ...hostileAttempts,
  ...agreedAttempts,
  ...keptSecretAttempts,
  ...permittedAttempts,
  ...workAttempts,
];
