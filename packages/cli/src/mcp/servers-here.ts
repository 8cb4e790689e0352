/** The servers of tools that count here: the user's, those of whoever called, and those of a folder that is trusted. A name that is taken stays with who had it first. */

import { isObject, objectIn } from "../home/json.ts";
import { trustedFiles } from "../home/trust/trusted-folder.ts";
import type { Place } from "../place.ts";
import { type NamedServer, type OffServer, spelledOut } from "./mcp-servers.ts";
import { serverIn } from "./server-in.ts";

export interface ServersHere {
  readonly servers: readonly NamedServer[];
  /** Named, and switched off. */
  readonly off: readonly OffServer[];
  /** For people: which do not count, and why. */
  readonly notes: readonly string[];
}

export type ServersPlace = Pick<Place, "choices" | "trusted" | "mcpServers">;

/** Whether anything is named at all; what counts of it is looked at later. */
export function namesServers({ choices, trusted, mcpServers }: ServersPlace): boolean {
  return (
    Object.keys({ ...choices.mcpServers, ...mcpServers }).length > 0 ||
    (trusted !== undefined && trustedFiles(trusted, "servers").length > 0)
  );
}

export function serversHere(place: ServersPlace): ServersHere {
  const servers: NamedServer[] = [];
  const off: OffServer[] = [];
  const notes: string[] = [];
  const taken = new Set<string>();
  for (const { name, written, from, where } of writtenIn(place)) {
    const told = `the server ${JSON.stringify(name.slice(0, LONGEST))} of ${where}`;
    // Names differ by more than capitals, so that nobody takes one for another.
    const isTaken = taken.has(name.toLowerCase());
    taken.add(name.toLowerCase());
    const read = serverIn(written);
    if (isObject(written) && written.enabled === false) {
      const how = read.type === "server" ? spelledOut(read.server) : "";
      if (NAME.test(name) && !isTaken) off.push({ name, from, how });
      continue;
    }
    if (!NAME.test(name)) notes.push(`${told} has a name with odd signs, so it does not count`);
    else if (isTaken) notes.push(`${told} has the name of another, so it does not count`);
    else if (read.type === "wrong") notes.push(`${told} ${read.why}, so it does not count`);
    else if (servers.length >= MOST) notes.push(`${told} is one too many (there may be ${MOST}), so it does not count`);
    else servers.push({ name, server: read.server, from });
  }
  return { servers, off, notes };
}

const NAME = /^[a-z\d][\w-]{0,39}$/i;
const LONGEST = 40;
const MOST = 64;

interface Written {
  readonly name: string;
  readonly written: unknown;
  readonly from: NamedServer["from"];
  readonly where: string;
}

function writtenIn({ choices, trusted, mcpServers = {} }: ServersPlace): readonly Written[] {
  const own = all(choices.mcpServers ?? {}, { from: "settings", where: "your settings" });
  const brought = all(mcpServers, { from: "caller", where: "your editor" });
  // The nearest folder speaks first.
  const files = trusted === undefined ? [] : trustedFiles(trusted, "servers").toReversed();
  const held = files.flatMap(({ bytes, name: where }) => {
    const { mcpServers: named } = objectIn(new TextDecoder().decode(bytes)) ?? {};
    return isObject(named) ? all(named, { from: "folder", where }).map(withoutHeaders) : [];
  });
  return [...own, ...brought, ...held];
}

function all(named: object, of: Pick<Written, "from" | "where">): readonly Written[] {
  return Object.entries(named).map(([name, written]) => ({ name, written, ...of }));
}

/** S24: what is sent along comes from the user alone. */
function withoutHeaders({ written, ...of }: Written): Written {
  if (!isObject(written)) return { written, ...of };
  const { headers: _, ...rest } = written;
  return { written: rest, ...of };
}
