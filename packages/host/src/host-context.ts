/** Defines where an agent works, and with what. Nothing in this package asks the process for these. */

import type { Environment } from "@pith/models";
import type { Settings } from "./settings/settings.ts";

export interface HostContext {
  /** The folder that the agent works in. */
  readonly cwd: string;
  /** Pith's home, with skills, permission rules and what else is kept for all sessions. */
  readonly home: string;
  /** The home folder of the user: `~` in paths. */
  readonly userHome: string;
  /** The variables that commands and servers may get, and with keys of providers. */
  readonly environment: Environment;
  readonly settings: Settings;
}
