/** The permission modes as an editor offers them. Pure. */

import type { SessionModeState } from "@agentclientprotocol/sdk/unstable";
import type { Mode } from "@pith/agent";
import { modes } from "../../commands/choosing/mode.ts";

export function modeState(now: Mode): SessionModeState {
  return {
    currentModeId: now,
    availableModes: modes.map(({ name, says }) => ({ id: name, name: modeName(name), description: says })),
  };
}

export function modeName(name: Mode): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

export function modeCalled(id: string): Mode | null {
  return modes.find(({ name }) => name === id)?.name ?? null;
}
