/** Reads the configured MCP servers: the user's, the caller's, then a trusted folder's. The first to use a name keeps it. */

import type { Environment } from "@pith/models";
import { refuseServer } from "../policy/permitted-parts.ts";
import {
  type McpServer,
  type McpServers,
  type NamedServer,
  type OffServer,
  type Settings,
  type StdioServer,
  spelledOut,
} from "../settings/settings.ts";
import { isObject, objectIn } from "../text/jsonc.ts";
import { type TrustedFolder, trustedFiles } from "../trust/trust.ts";

export type ServerRead =
  | { readonly type: "server"; readonly server: McpServer }
  /** As the end of a sentence that begins with its name. */
  | { readonly type: "wrong"; readonly why: string };

export function serverIn(written: unknown): ServerRead {
  if (!isObject(written)) return wrong('is no object; write { "command": … } or { "url": … }');
  const { command, url } = written;
  if (command !== undefined && url !== undefined) return wrong("has both a command and a url; write one of them");
  if (typeof command === "string" && command !== "") return program(command, written);
  if (typeof url === "string") return reached(url, written);
  return wrong("has neither a command nor a url; write one of them");
}

function program(command: string, { args = [], env = {}, ...more }: Readonly<Record<string, unknown>>): ServerRead {
  if (!isWords(args)) return wrong("has args that are no list of texts");
  if (!isTexts(env)) return wrong("has an env that is not made of texts");
  const limits = limitsIn(more);
  return limits.type === "wrong" ? limits : { type: "server", server: { command, args, env, ...limits.value } };
}

type Limits = Pick<StdioServer, "cwd" | "hosts" | "folders" | "sandbox">;

/** Where it starts, and what it may reach. What is not said is absent. */
function limitsIn({
  cwd,
  hosts,
  folders,
  sandbox,
}: Readonly<Record<string, unknown>>):
  | { readonly type: "limits"; readonly value: Limits }
  | Extract<ServerRead, { type: "wrong" }> {
  if (cwd !== undefined && typeof cwd !== "string") return wrong("has a cwd that is no text");
  if (hosts !== undefined && !isWords(hosts)) return wrong("has hosts that are no list of texts");
  if (folders !== undefined && !isWords(folders)) return wrong("has folders that are no list of texts");
  if (sandbox !== undefined && sandbox !== "on" && sandbox !== "off")
    return wrong('has a sandbox that is neither "on" nor "off"');
  const value: Limits = {
    ...(cwd !== undefined && { cwd }),
    ...(hosts !== undefined && { hosts }),
    ...(folders !== undefined && { folders }),
    ...(sandbox !== undefined && { sandbox }),
  };
  return { type: "limits", value };
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

function reached(url: string, { headers = {} }: Readonly<Record<string, unknown>>): ServerRead {
  if (!isTexts(headers)) return wrong("has headers that are no texts");
  const parsed = URL.parse(url);
  if (parsed === null) return wrong("has a url that is none");
  if (parsed.username !== "" || parsed.password !== "")
    return wrong("has a password in its url; write it into headers instead");
  // S24: what is sent could be read, or answered, by anybody on the way.
  if (parsed.protocol !== "https:" && !(parsed.protocol === "http:" && isThisMachine(parsed.hostname)))
    return wrong("is reached without https, which only a server on this machine may be");
  return { type: "server", server: { url, headers } };
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host);
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((each) => typeof each === "string");
}

function wrong(why: string): Extract<ServerRead, { type: "wrong" }> {
  return { type: "wrong", why };
}

export interface ServersHere {
  readonly servers: readonly NamedServer[];
  /** Named, and switched off. */
  readonly off: readonly OffServer[];
  /** For people: which do not count, and why. */
  readonly notes: readonly string[];
}

/** What MCP servers need to know of the program. */
export interface McpPlace {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  readonly environment: Environment;
  readonly choices: Settings;
  /** The trusted files of the folder; absent: none. */
  readonly trusted?: TrustedFolder;
  /** Servers that the caller brings, such as an editor, besides those of the settings. */
  readonly mcpServers?: McpServers;
  /** Shows a notice to the user. */
  readonly note?: (line: string) => void;
}

export type ServersPlace = Pick<McpPlace, "choices" | "trusted" | "mcpServers">;

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
  const refusalOf = (name: string, server: McpServer): string | null =>
    refuseServer(place.choices.policy, { name, server });
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
    else if (read.type === "server" && refusalOf(name, read.server) !== null)
      notes.push(`${told}: ${refusalOf(name, read.server)}`);
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
    return isObject(named) ? all(named, { from: "folder", where }).map(withoutUsersOwn) : [];
  });
  return [...own, ...brought, ...held];
}

function all(named: object, of: Pick<Written, "from" | "where">): readonly Written[] {
  return Object.entries(named).map(([name, written]) => ({ name, written, ...of }));
}

/** S24: what is sent along, and what a program may do, comes from the user alone. */
function withoutUsersOwn({ written, ...of }: Written): Written {
  if (!isObject(written)) return { written, ...of };
  const kept = Object.entries(written).filter(([name]) => !USERS_OWN.includes(name));
  return { written: Object.fromEntries(kept), ...of };
}

const USERS_OWN = ["headers", "cwd", "hosts", "folders", "sandbox"];
