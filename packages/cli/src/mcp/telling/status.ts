/** What `/mcp` shows: every server, how it stands, and whether its tools are trusted. */

import type { ServerLink } from "../linking/server-link.ts";
import { type NamedServer, namer, type OffServer, spelledOut } from "../mcp-servers.ts";
import { pinKey } from "../pins/pin.ts";
import { readPins } from "../pins/pin-file.ts";
import { plainLine } from "./plainly.ts";

export interface ServerStatus {
  readonly name: string;
  readonly how: string;
  readonly from: NamedServer["from"];
  readonly state: ServerLink["state"] | "off";
  /** How many tools were trusted; null where none were. */
  readonly trusted: number | null;
  readonly failure?: string;
}

export async function statusOf(
  links: readonly ServerLink[],
  { cwd, home, off }: { readonly cwd: string; readonly home: string; readonly off: readonly OffServer[] },
): Promise<readonly ServerStatus[]> {
  const read = await readPins(home);
  const unused = off.map(
    ({ name, how, from }): ServerStatus => ({ name, how: plainLine(how, 200), from, state: "off", trusted: null }),
  );
  const used = links.map(({ named, state, lastFailure }): ServerStatus => {
    const pin = read.type === "read" ? read.pins.get(pinKey(named, cwd)) : undefined;
    return {
      ...{ name: named.name, how: plainLine(spelledOut(named.server), 200), from: named.from, state },
      trusted: pin ? Object.keys(pin.tools).length : null,
      ...(lastFailure !== null && { failure: plainLine(lastFailure, 300) }),
    };
  });
  return [...used, ...unused];
}

export function statusText(all: readonly ServerStatus[]): string {
  if (all.length === 0) return "no server of tools is named; see mcpServers in the settings";
  return all
    .map(({ name, how, from, state, trusted, failure }) => {
      const pinned = trusted === null ? "not trusted yet" : `${trusted} tools trusted`;
      const stands = state === "off" ? 'off, by its "enabled": false' : `${state}, ${pinned}`;
      const whose = from === "settings" ? "" : `, named by ${namer[from]}`;
      return `${name}  ${stands}${whose}${how === "" ? "" : `\n  ${how}`}${failure === undefined ? "" : `\n  ${failure}`}`;
    })
    .join("\n");
}
