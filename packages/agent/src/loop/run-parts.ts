/** What a run needs: of what its agent is made of, as it is at this moment. */

import type { Model } from "@pith/context";
import type { AgentHooks, AgentParts, LimitsFor } from "../agent-parts.ts";
import type { Step } from "../step.ts";
import type { Notices } from "./fitting/notices.ts";
import type { Nudges } from "./nudges.ts";
import type { Deliveries } from "./queue/deliveries.ts";

export interface RunParts extends Lasting {
  /** Who speaks. */
  readonly model: Model;
  readonly limits: LimitsFor;
  readonly hooks: AgentHooks;
  /** What was told already. */
  readonly notices: Notices;
  /** How often hooks have had the model go on since a person spoke. */
  readonly nudges: Nudges;
  readonly step: Step;
  /** How much of what waits is said at once. */
  readonly deliveries: Deliveries;
  readonly signal: AbortSignal;
}

/** What stays the same as long as the agent lives. */
type Lasting = Omit<AgentParts, "model" | "limits" | "hooks" | "step" | Told>;

/** What no run asks for: others see to it. */
type Told = "beginning" | "thinking" | "rewind" | "listen";
