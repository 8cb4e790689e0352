/** The servers of a session by their names: opened when they are used, and only as they were trusted. */

import type { Linked, ServerLink } from "../linking/server-link.ts";
import type { Admit } from "../pins/admit.ts";
import type { OfferedTool } from "../pins/pin.ts";

export interface Servers {
  readonly links: ReadonlyMap<string, ServerLink>;
  /** Its tools, once somebody trusts them as they are now. */
  opened(name: string, signal: AbortSignal): Promise<Linked<readonly OfferedTool[]>>;
  unknown(name: string): string;
  close(): Promise<void>;
}

export function serversOf(all: readonly ServerLink[], admit: Admit): Servers {
  const links = new Map(all.map((link) => [link.named.name, link]));
  const unknown = (name: string): string =>
    `there is no server ${JSON.stringify(name.slice(0, 60))}; there are: ${[...links.keys()].join(", ")}`;
  return {
    links,
    unknown,
    async opened(name, signal) {
      const link = links.get(name);
      if (!link) return { type: "failed", why: unknown(name) };
      const read = await link.tools(signal);
      if (read.type === "failed") return read;
      const why = await admit({ named: link.named, tools: read.value }, signal);
      return why === null ? read : { type: "failed", why };
    },
    async close() {
      await Promise.all(all.map((link) => link.close()));
    },
  };
}
