/** What an editor can show, as it said when it connected, and where its session works. */

import type { ClientCapabilities, SessionUpdate } from "@agentclientprotocol/sdk/unstable";

export interface Abilities {
  /** Compactions as things of their own. */
  readonly compactions: boolean;
  /** Words beside the conversation. */
  readonly notices: boolean;
  /** Questions with a form. */
  readonly forms: boolean;
}

export function abilitiesOf(capabilities: ClientCapabilities | undefined): Abilities {
  const { session, elicitation } = capabilities ?? {};
  return { compactions: !!session?.compaction, notices: !!session?.notices, forms: !!elicitation?.form };
}

export interface Sight {
  readonly cwd: string;
  readonly can: Abilities;
}

/** Takes what the editor is told of a session; resolves when it is written, or nobody reads any more. */
export type TellEditor = (update: SessionUpdate) => Promise<void>;
