/** The extensions that come with Pith: each is loaded where something here asks for it, so that no start waits for it. */

import type { Extension } from "@pith/agent";
import { namesServers } from "../mcp/servers-here.ts";
import type { Place } from "../place.ts";
import { areWantedHere } from "../sub-agents/wanted-here.ts";

export interface Bundled {
  readonly name: string;
  readonly isWanted: (place: Place) => Promise<boolean> | boolean;
  readonly load: (place: Place) => Promise<Extension>;
}

export const bundled: readonly Bundled[] = [
  {
    name: "sub-agents",
    isWanted: areWantedHere,
    load: async (place) => (await import("../sub-agents/sub-agents.ts")).subAgents(place),
  },
  {
    name: "mcp",
    isWanted: namesServers,
    load: async (place) => (await import("../mcp/mcp.ts")).mcp(place),
  },
];
