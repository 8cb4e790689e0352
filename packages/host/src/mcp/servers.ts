/** Reads the configured MCP servers of the user, the caller and a trusted folder, in this order. The first server with a name wins. */

import type { Vault } from "@pith/context/secrets";
import type { HostContext } from "../host-context.ts";
import { getServerRefusal } from "../policy/permitted-parts.ts";
import {
  type DisabledServer,
  formatServerCommand,
  type McpServer,
  type McpServers,
  type NamedServer,
  type StdioServer,
} from "../settings/settings.ts";
import { isObject, parseJsonObject } from "../text/jsonc.ts";
import { type FolderTrust, listTrustedFiles } from "../trust/folder-trust.ts";

export type ParseServerResult =
  | { readonly type: "server"; readonly server: McpServer }
  /** `why` continues a sentence about the server. */
  | { readonly type: "invalid"; readonly why: string };

function parseServer(value: unknown): ParseServerResult {
  if (!isObject(value)) return createParseError('is not an object; write { "command": … } or { "url": … }');
  const { command, url } = value;
  if (command !== undefined && url !== undefined)
    return createParseError("has both a command and a url; use only one of them");
  if (typeof command === "string" && command !== "") return parseStdioServer(command, value);
  if (typeof url === "string") return parseHttpServer(url, value);
  return createParseError("has neither a command nor a url; add one of them");
}

function parseStdioServer(
  command: string,
  { args = [], env = {}, ...rest }: Readonly<Record<string, unknown>>,
): ParseServerResult {
  if (!isStringList(args)) return createParseError("has args that are not a list of strings");
  if (!isStringRecord(env)) return createParseError("has an env that is not an object of strings");
  const limits = parseLimits(rest);
  return limits.type === "invalid" ? limits : { type: "server", server: { command, args, env, ...limits.value } };
}

type ServerLimits = Pick<StdioServer, "cwd" | "hosts" | "folders" | "sandbox">;

/** Parses the working directory and the sandbox settings. Unset fields are absent. */
function parseLimits({
  cwd,
  hosts,
  folders,
  sandbox,
}: Readonly<Record<string, unknown>>):
  | { readonly type: "limits"; readonly value: ServerLimits }
  | Extract<ParseServerResult, { type: "invalid" }> {
  if (cwd !== undefined && typeof cwd !== "string") return createParseError("has a cwd that is not a string");
  if (hosts !== undefined && !isStringList(hosts)) return createParseError("has hosts that are not a list of strings");
  if (folders !== undefined && !isStringList(folders))
    return createParseError("has folders that are not a list of strings");
  if (sandbox !== undefined && sandbox !== "on" && sandbox !== "off")
    return createParseError('has a sandbox that is neither "on" nor "off"');
  const value: ServerLimits = {
    ...(cwd !== undefined && { cwd }),
    ...(hosts !== undefined && { hosts }),
    ...(folders !== undefined && { folders }),
    ...(sandbox !== undefined && { sandbox }),
  };
  return { type: "limits", value };
}

function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function parseHttpServer(url: string, { headers = {} }: Readonly<Record<string, unknown>>): ParseServerResult {
  if (!isStringRecord(headers)) return createParseError("has headers that are not an object of strings");
  const parsed = URL.parse(url);
  if (parsed === null) return createParseError("has an invalid url");
  if (parsed.username !== "" || parsed.password !== "")
    return createParseError("has a user name or password in its url; use headers instead");
  // S24: without TLS, anyone on the network could read or change the messages.
  if (parsed.protocol !== "https:" && !(parsed.protocol === "http:" && isLocalHost(parsed.hostname)))
    return createParseError("has a url that does not use https, which is allowed only for a server on this machine");
  return { type: "server", server: { url, headers } };
}

function isLocalHost(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host);
}

function isStringRecord(value: unknown): value is Readonly<Record<string, string>> {
  return isObject(value) && Object.values(value).every((text) => typeof text === "string");
}

function createParseError(why: string): Extract<ParseServerResult, { type: "invalid" }> {
  return { type: "invalid", why };
}

export interface ConfiguredServers {
  readonly servers: readonly NamedServer[];
  /** Servers with `"enabled": false`. */
  readonly disabled: readonly DisabledServer[];
  /** Messages for the user about servers that are ignored. */
  readonly notes: readonly string[];
}

/** The options of the MCP extension. */
export interface McpOptions extends HostContext {
  /** The version of Pith, which the servers are told. */
  readonly readVersion: () => Promise<string>;
  /** The trusted files of the folder. Absent if there are none. */
  readonly trustedFolder?: FolderTrust | undefined;
  /** Servers that the caller adds, such as an editor. */
  readonly mcpServers?: McpServers | undefined;
  /** Learns the keys of the servers. Absent or null if secrets are not redacted. */
  readonly vault?: Vault | null;
  /** Shows a notice to the user. */
  readonly notify?: (line: string) => void;
  /** Receives the function that describes the servers of this session, for `/mcp`. */
  readonly onMcpStatus?: (describeServers: () => Promise<string>) => void;
}

export type ServerSources = Pick<McpOptions, "settings" | "trustedFolder" | "mcpServers">;

/** Whether any server is configured, valid or not. */
export function hasConfiguredServers({ settings, trustedFolder, mcpServers }: ServerSources): boolean {
  return (
    Object.keys({ ...settings.mcpServers, ...mcpServers }).length > 0 ||
    (trustedFolder !== undefined && listTrustedFiles(trustedFolder, "servers").length > 0)
  );
}

export function readConfiguredServers(options: ServerSources): ConfiguredServers {
  const servers: NamedServer[] = [];
  const disabled: DisabledServer[] = [];
  const notes: string[] = [];
  const takenNames = new Set<string>();
  const findRefusal = (name: string, server: McpServer): string | null =>
    getServerRefusal(options.settings.policy, { name, server });
  for (const { name, value, from, source } of collectServerEntries(options)) {
    const label = `the MCP server ${JSON.stringify(name.slice(0, MAX_SHOWN_NAME_CHARS))} in ${source}`;
    // Two names must not differ only in case, because the user could confuse them.
    const isTaken = takenNames.has(name.toLowerCase());
    takenNames.add(name.toLowerCase());
    const parsed = parseServer(value);
    if (isObject(value) && value.enabled === false) {
      const commandOrUrl = parsed.type === "server" ? formatServerCommand(parsed.server) : "";
      if (SERVER_NAME.test(name) && !isTaken) disabled.push({ name, from, commandOrUrl });
      continue;
    }
    if (!SERVER_NAME.test(name))
      notes.push(
        `${label} is ignored: a name starts with a letter or digit and has at most 40 letters, digits, _ and -`,
      );
    else if (isTaken) notes.push(`${label} is ignored: another server has this name`);
    else if (parsed.type === "server" && findRefusal(name, parsed.server) !== null)
      notes.push(`${label}: ${findRefusal(name, parsed.server)}`);
    else if (parsed.type === "invalid") notes.push(`${label} is ignored: it ${parsed.why}`);
    else if (servers.length >= MAX_SERVERS)
      notes.push(`${label} is ignored: at most ${MAX_SERVERS} servers are allowed`);
    else servers.push({ name, server: parsed.server, from });
  }
  return { servers, disabled, notes };
}

const SERVER_NAME = /^[a-z\d][\w-]{0,39}$/i;
const MAX_SHOWN_NAME_CHARS = 40;
const MAX_SERVERS = 64;

interface ServerEntry {
  readonly name: string;
  readonly value: unknown;
  readonly from: NamedServer["from"];
  readonly source: string;
}

function collectServerEntries({ settings, trustedFolder, mcpServers = {} }: ServerSources): readonly ServerEntry[] {
  const userEntries = toServerEntries(settings.mcpServers ?? {}, { from: "settings", source: "your settings" });
  const callerEntries = toServerEntries(mcpServers, { from: "caller", source: "your editor" });
  // The nearest folder comes first.
  const files = trustedFolder === undefined ? [] : listTrustedFiles(trustedFolder, "servers").toReversed();
  const folderEntries = files.flatMap(({ bytes, name: source }) => {
    const { mcpServers: folderServers } = parseJsonObject(new TextDecoder().decode(bytes)) ?? {};
    return isObject(folderServers)
      ? toServerEntries(folderServers, { from: "folder", source }).map(removeUserOnlyFields)
      : [];
  });
  return [...userEntries, ...callerEntries, ...folderEntries];
}

function toServerEntries(servers: object, origin: Pick<ServerEntry, "from" | "source">): readonly ServerEntry[] {
  return Object.entries(servers).map(([name, value]) => ({ name, value, ...origin }));
}

/** S24: only the user sets the headers and the sandbox of a server. A folder cannot. */
function removeUserOnlyFields({ value, ...origin }: ServerEntry): ServerEntry {
  if (!isObject(value)) return { value, ...origin };
  const allowedFields = Object.entries(value).filter(([name]) => !USER_ONLY_FIELDS.includes(name));
  return { value: Object.fromEntries(allowedFields), ...origin };
}

const USER_ONLY_FIELDS = ["headers", "cwd", "hosts", "folders", "sandbox"];
