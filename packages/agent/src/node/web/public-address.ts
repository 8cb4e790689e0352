/** Resolves a URL to public addresses only. Addresses of this machine, its network or its cloud are refused. */

import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from "node:net";
import { raceAbort } from "../../async.ts";
import type { WebFailed, WebRefused } from "../../ports.ts";

/** The kind of a non-public address; null for a public one. */
function nonPublicKind(address: string): string | null {
  // A zone (fe80::1%eth0) exists only on networks that are not public.
  if (address.includes("%")) return "link-local";
  if (isIPv4(address)) return findRangeName(ipv4Ranges, address, "ipv4");
  if (isIPv6(address))
    return findRangeName(ipv6Ranges, address, "ipv6") ?? (publicIpv6.check(address, "ipv6") ? null : "reserved");
  return "no address";
}

type Family = "ipv4" | "ipv6";
type Range = readonly [name: string, networks: BlockList];

function findRangeName(ranges: readonly Range[], address: string, family: Family): string | null {
  return ranges.find(([, networks]) => networks.check(address, family))?.[0] ?? null;
}

function createBlockList(family: Family, ...subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [start = "", bits] = subnet.split("/");
    list.addSubnet(start, Number(bits), family);
  }
  return list;
}

const ipv4Ranges: readonly Range[] = [
  // 168.63.129.16 looks public, but is the metadata service of Azure.
  [
    "metadata",
    createBlockList("ipv4", "169.254.169.254/32", "169.254.170.2/32", "100.100.100.200/32", "168.63.129.16/32"),
  ],
  ["unspecified", createBlockList("ipv4", "0.0.0.0/8")],
  ["loopback", createBlockList("ipv4", "127.0.0.0/8")],
  ["private", createBlockList("ipv4", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")],
  ["link-local", createBlockList("ipv4", "169.254.0.0/16")],
  ["carrier-grade", createBlockList("ipv4", "100.64.0.0/10")],
  ["multicast", createBlockList("ipv4", "224.0.0.0/4")],
  ["documentation", createBlockList("ipv4", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")],
  ["reserved", createBlockList("ipv4", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4")],
];

const ipv6Ranges: readonly Range[] = [
  ["metadata", createBlockList("ipv6", "fd00:ec2::254/128", "fd20:ce::254/128")],
  ["unspecified", createBlockList("ipv6", "::/128")],
  ["loopback", createBlockList("ipv6", "::1/128")],
  ["private", createBlockList("ipv6", "fc00::/7", "fec0::/10")],
  ["link-local", createBlockList("ipv6", "fe80::/10")],
  ["multicast", createBlockList("ipv6", "ff00::/8")],
  ["documentation", createBlockList("ipv6", "2001:db8::/32", "3fff::/20")],
  // Mapped, compatible, translated (NAT64), 6to4 and Teredo: any IPv4 address can hide in them.
  [
    "IPv4 inside IPv6",
    createBlockList(
      "ipv6",
      "::ffff:0:0/96",
      "::ffff:0:0:0/96",
      "::/96",
      "64:ff9b::/96",
      "64:ff9b:1::/48",
      "2002::/16",
      "2001::/32",
    ),
  ],
  ["reserved", createBlockList("ipv6", "2001::/23")],
];

/** The range of global unicast addresses; everything outside is reserved. */
const publicIpv6 = createBlockList("ipv6", "2000::/3");

export function webRefusal(why: WebRefused["why"], message: string): WebRefused {
  return { type: "refused", why, message };
}

export function webFailure(why: WebFailed["why"], message: string): WebFailed {
  return { type: "failed", why, message };
}

/** Ports of other services, which might execute a request as commands. */
const blockedPorts: ReadonlySet<number> = new Set(
  [
    // Legacy services, file transfer, shells, DNS.
    [0, 1, 7, 9, 13, 17, 19, 20, 21, 22, 23, 37, 42, 43, 53, 69, 79, 111, 113, 123, 135, 137, 138, 139, 161, 179, 445],
    [512, 513, 514, 515, 548, 873, 2049, 3389, 5900, 6000],
    // Mail, news, chat, directories.
    [25, 109, 110, 119, 143, 389, 465, 587, 636, 993, 995, 5060, 5061, 6667, 6697],
    // Databases, queues and cluster control planes.
    [1433, 1521, 2375, 2376, 2379, 2380, 3306, 4369, 5432, 5672, 6379, 9042, 9092, 10250, 11211, 27017],
  ].flat(),
);

export interface Destination {
  readonly type: "destination";
  readonly url: URL;
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Whether it is one of the user's own hosts, which may have private addresses. */
  readonly isAllowed: boolean;
  /** Whether it may be in the user's network, but not on this machine and not a metadata service. */
  readonly isInNetwork: boolean;
}

export interface PrivateHosts {
  /** Hosts that may have any address, as `host:port`. */
  readonly allowedHosts: readonly string[];
  /** Hosts that may have addresses of a private network, as `host:port`. */
  readonly networkHosts?: readonly string[];
}

/** The kinds of addresses of a private network. */
const NETWORK_KINDS: readonly (string | null)[] = ["private", "carrier-grade"];

/** Null if the host may have this address, else the kind of the address. */
export function refusedKind({ isAllowed, isInNetwork }: Destination, address: string): string | null {
  const kind = isAllowed ? null : nonPublicKind(address);
  return isInNetwork && NETWORK_KINDS.includes(kind) ? null : kind;
}

/** Checks only the text of the URL and refuses suspicious spellings. */
export function parseDestination(text: string, privateHosts: PrivateHosts): Destination | WebRefused {
  if (CONTROL_CHARACTERS.test(text)) return webRefusal("malformed", "the URL contains spaces or control characters");
  const url = URL.parse(text);
  if (url === null)
    return webRefusal("malformed", "not a valid URL; write the full URL, such as https://example.com/page");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return webRefusal("scheme", `only http and https URLs can be fetched, not ${url.protocol.slice(0, -1)}`);
  const destination = toDestination(url, privateHosts);
  return checkSpelling(text, destination) ?? checkHostAndPort(destination) ?? destination;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: URL parsers drop some of them silently, and differ in which.
const CONTROL_CHARACTERS = /[\x00-\x20\x7f-\xa0\u2028\u2029\ufeff]/;

function toDestination(url: URL, { allowedHosts, networkHosts = [] }: PrivateHosts): Destination {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? defaultPort(url) : Number(url.port);
  const isAllowed = allowedHosts.includes(`${url.hostname}:${port}`);
  const isInNetwork = networkHosts.includes(`${url.hostname}:${port}`);
  return { type: "destination", url, host, port, isAllowed, isInNetwork };
}

function defaultPort({ protocol }: URL): number {
  return protocol === "https:" ? 443 : 80;
}

/** Spellings that people do not use and that other parsers read differently. */
function checkSpelling(text: string, { url, host }: Destination): WebRefused | null {
  const authority = /^https?:\/\/([^/?#\\]+)(?:[/?#]|$)/i.exec(text)?.[1];
  if (authority === undefined) return webRefusal("malformed", "the URL has no host name after http:// or https://");
  if (url.username !== "" || url.password !== "" || authority.includes("@"))
    return webRefusal("credentials", "the URL contains a user name or a password; remove it");
  if (isIPv4(host) && authority.replace(/:\d*$/, "") !== host)
    return webRefusal("spelling", `write the address as ${host}, not as ${authority}`);
  return null;
}

function checkHostAndPort({ host, port, isAllowed, isInNetwork }: Destination): WebRefused | null {
  if (isAllowed) return null;
  if (blockedPorts.has(port)) return webRefusal("port", `port ${port} is not a web port`);
  if (isIP(host) !== 0) return null;
  if (host.endsWith(".")) return webRefusal("name", "the host name ends in a dot; remove it");
  if (isInNetwork && !THIS_MACHINE.test(host)) return null;
  if (!host.includes(".") || LOCAL_NAME.test(host)) return webRefusal("name", `${host} is a name on the local network`);
  return null;
}

const LOCAL_NAME = /\.(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/;

const THIS_MACHINE = /^(?:.*\.)?localhost$/;

export interface Route extends Omit<Destination, "type"> {
  readonly type: "route";
  /** At least one; all of them are checked. */
  readonly addresses: readonly string[];
}

/** All addresses of a name. */
export type ResolveHost = (name: string) => Promise<readonly string[]>;

export interface RouteOptions extends PrivateHosts {
  readonly resolve: ResolveHost;
  readonly signal: AbortSignal;
}

/** Resolves the name once and checks every address; connections use only these addresses. */
export async function resolveRoute(text: string, options: RouteOptions): Promise<Route | WebRefused | WebFailed> {
  const destination = parseDestination(text, options);
  if (destination.type === "refused") return destination;
  const addresses = await resolveAddresses(destination, options);
  if (addresses.length === 0) return webFailure("unresolved", `${destination.host} cannot be resolved`);
  return checkAddresses(destination, addresses) ?? { ...destination, type: "route", addresses };
}

export const resolveWithSystem: ResolveHost = async (name) => {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
};

async function resolveAddresses({ host }: Destination, { resolve, signal }: RouteOptions): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  // The system's resolver cannot be cancelled, so its result is ignored after an abort.
  const found = await raceAbort(resolve(host).catch(noAddresses), signal);
  signal.throwIfAborted();
  return found ?? [];
}

/** Any error of the resolver means that there is no address. */
function noAddresses(): readonly string[] {
  return [];
}

// One private address among public ones refuses the host: the client might connect to any of them.
function checkAddresses(destination: Destination, addresses: readonly string[]): WebRefused | null {
  const { host } = destination;
  for (const address of addresses) {
    const kind = refusedKind(destination, address);
    if (kind === null) continue;
    const label = address === host ? host : `${host} (${address})`;
    return webRefusal("address", `${label} is not on the public internet (${kind} address)`);
  }
  return null;
}

/** Makes a request connect to these checked addresses instead of resolving its host name again. */
export function pinLookup(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_name, { all }, callback) => {
    const [first] = entries;
    if (all === true || first === undefined) callback(null, entries);
    else callback(null, first.address, first.family);
  };
}
