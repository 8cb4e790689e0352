/** What is needed to ask whoever sits before the editor. */

import type { AgentContext } from "@agentclientprotocol/sdk/unstable";
import type { EditorSession } from "../sessions/editor-session.ts";
import type { OpenCalls } from "../sessions/open-calls.ts";
import type { Sight, TellEditor } from "../updates/sight.ts";

export interface Asking {
  readonly client: AgentContext;
  readonly sight: Sight;
  readonly calls: OpenCalls;
  readonly tell: TellEditor;
  /** Null until it is open; then nobody is asked either. */
  readonly session: () => EditorSession | null;
}
