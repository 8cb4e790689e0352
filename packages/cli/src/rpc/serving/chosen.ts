/** What another program has set until the program ends: it holds in every session that comes. */

import type { Mode } from "@pith/agent";
import type { Ready } from "../../working/readied.ts";
import type { Delivery } from "../line/rpc-data.ts";

export interface Chosen {
  readonly steering?: Delivery;
  readonly followUp?: Delivery;
  readonly isCompacting?: boolean;
  readonly mode?: Mode;
}

export function hold({ steering, followUp, isCompacting, mode }: Chosen, { built }: Pick<Ready, "built">): void {
  const { agent, setMode } = built;
  if (steering !== undefined) agent.setDelivery("steer", steering);
  if (followUp !== undefined) agent.setDelivery("followUp", followUp);
  if (isCompacting !== undefined) agent.setAutoCompactionEnabled(isCompacting);
  if (mode !== undefined) setMode(mode);
}
