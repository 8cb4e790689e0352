/** What can be set once for all: in the settings, some of it for one shell by a variable, or for one call by a flag. */

import type { Mode } from "@pith/agent";
import type { ThinkingLevel } from "@pith/context";

export interface Settings extends Choices {
  /** Tokens that a model may see at most, whatever it could. */
  readonly contextWindow?: number;
  readonly compaction?: CompactionSettings;
  /** Hosts that may be fetched wherever they are, such as a server of one's own: `localhost:5173`. */
  readonly fetchHosts?: readonly string[];
}

/** What a flag can say, too. */
export interface Choices {
  /** As `provider/model`. */
  readonly model?: string;
  /** Where the provider is reached. */
  readonly baseUrl?: string;
  readonly thinking?: ThinkingLevel;
  readonly mode?: Mode;
  readonly sandbox?: Switch;
  readonly network?: Switch;
  /** Names of the tools to use; all where nothing is said. */
  readonly tools?: readonly string[];
}

export type Switch = "on" | "off";

/** In the names that pi's users know. */
export interface CompactionSettings {
  readonly enabled?: boolean;
  readonly reserveTokens?: number;
  readonly keepRecentTokens?: number;
}
