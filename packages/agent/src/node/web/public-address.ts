/** Resolves a URL to public addresses only. Addresses of this machine, its network or its cloud are refused by name. */

import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { unlessAborted } from "../../async.ts";
import type { WebFailed, WebRefused } from "../../ports.ts";

/** What is wrong with an address; null where anybody on the internet could dial it. */
export function objectionTo(address: string): string | null {
  // A zone (fe80::1%eth0) exists only on networks that are not public.
  if (address.includes("%")) return "link-local";
  if (isIPv4(address)) return nameIn(ranges4, address, "ipv4");
  if (isIPv6(address)) return nameIn(ranges6, address, "ipv6") ?? (global6.check(address, "ipv6") ? null : "reserved");
  return "no address";
}

type Family = "ipv4" | "ipv6";
type Range = readonly [name: string, networks: BlockList];

function nameIn(ranges: readonly Range[], address: string, family: Family): string | null {
  return ranges.find(([, networks]) => networks.check(address, family))?.[0] ?? null;
}

function networks(family: Family, ...subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [start = "", bits] = subnet.split("/");
    list.addSubnet(start, Number(bits), family);
  }
  return list;
}

const ranges4: readonly Range[] = [
  // 168.63.129.16 answers virtual machines of one cloud only, though it looks public.
  ["metadata", networks("ipv4", "169.254.169.254/32", "169.254.170.2/32", "100.100.100.200/32", "168.63.129.16/32")],
  ["unspecified", networks("ipv4", "0.0.0.0/8")],
  ["loopback", networks("ipv4", "127.0.0.0/8")],
  ["private", networks("ipv4", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")],
  ["link-local", networks("ipv4", "169.254.0.0/16")],
  ["carrier-grade", networks("ipv4", "100.64.0.0/10")],
  ["multicast", networks("ipv4", "224.0.0.0/4")],
  ["documentation", networks("ipv4", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")],
  ["reserved", networks("ipv4", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4")],
];

const ranges6: readonly Range[] = [
  ["metadata", networks("ipv6", "fd00:ec2::254/128", "fd20:ce::254/128")],
  ["unspecified", networks("ipv6", "::/128")],
  ["loopback", networks("ipv6", "::1/128")],
  ["private", networks("ipv6", "fc00::/7", "fec0::/10")],
  ["link-local", networks("ipv6", "fe80::/10")],
  ["multicast", networks("ipv6", "ff00::/8")],
  ["documentation", networks("ipv6", "2001:db8::/32", "3fff::/20")],
  // Mapped, compatible, translated (NAT64), 6to4 and Teredo: any IPv4 address can hide in them.
  [
    "IPv4 inside IPv6",
    networks(
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
  ["reserved", networks("ipv6", "2001::/23")],
];

/** All that is given out so far; what lies outside is not the internet. */
const global6 = networks("ipv6", "2000::/3");

export function refused(why: WebRefused["why"], message: string): WebRefused {
  return { type: "refused", why, message };
}

export function failed(why: WebFailed["why"], message: string): WebFailed {
  return { type: "failed", why, message };
}

/** Something other than the web listens on these ports and might take a request for commands. */
export const offLimitsPorts: ReadonlySet<number> = new Set(
  [
    // Old small services, files, shells, names.
    [0, 1, 7, 9, 13, 17, 19, 20, 21, 22, 23, 37, 42, 43, 53, 69, 79, 111, 113, 123, 135, 137, 138, 139, 161, 179, 445],
    [512, 513, 514, 515, 548, 873, 2049, 3389, 5900, 6000],
    // Mail, news, chat, directories.
    [25, 109, 110, 119, 143, 389, 465, 587, 636, 993, 995, 5060, 5061, 6667, 6697],
    // Databases, queues and the insides of clusters.
    [1433, 1521, 2375, 2376, 2379, 2380, 3306, 4369, 5432, 5672, 6379, 9042, 9092, 10250, 11211, 27017],
  ].flat(),
);

export interface Destination {
  readonly type: "destination";
  readonly url: URL;
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** The user named it as theirs: it may be anywhere. */
  readonly isAllowed: boolean;
}

/** Checks only the text of the URL; what looks like a trick is refused. `allowedHosts` have the form `host:port`. */
export function destinationOf(text: string, allowedHosts: readonly string[]): Destination | WebRefused {
  if (CONTROL.test(text)) return refused("malformed", "the URL has spaces or control characters");
  const url = URL.parse(text);
  if (url === null) return refused("malformed", "this is no URL; write all of it, as in https://example.com/page");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return refused("scheme", `only http and https are fetched, not ${url.protocol.slice(0, -1)}`);
  const destination = placed(url, allowedHosts);
  return spellingRefusal(text, destination) ?? placeRefusal(destination) ?? destination;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: URL parsers drop some of them silently, each its own.
const CONTROL = /[\x00-\x20\x7f-\xa0\u2028\u2029\ufeff]/;

function placed(url: URL, allowedHosts: readonly string[]): Destination {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? defaultPort(url) : Number(url.port);
  const isAllowed = allowedHosts.includes(`${url.hostname}:${port}`);
  return { type: "destination", url, host, port, isAllowed };
}

function defaultPort({ protocol }: URL): number {
  return protocol === "https:" ? 443 : 80;
}

/** Spellings that people do not use and that other parsers read differently. */
function spellingRefusal(text: string, { url, host }: Destination): WebRefused | null {
  const authority = /^https?:\/\/([^/?#\\]+)(?:[/?#]|$)/i.exec(text)?.[1];
  if (authority === undefined) return refused("malformed", "after http:// or https:// comes the name of a host");
  if (url.username !== "" || url.password !== "" || authority.includes("@"))
    return refused("credentials", "a URL with a user or a password is not fetched");
  if (isIPv4(host) && authority.replace(/:\d*$/, "") !== host)
    return refused("spelling", `an address is written as ${host}, not as ${authority}`);
  return null;
}

function placeRefusal({ host, port, isAllowed }: Destination): WebRefused | null {
  if (isAllowed) return null;
  if (offLimitsPorts.has(port)) return refused("port", `port ${port} is not for web pages`);
  if (isIP(host) !== 0) return null;
  if (host.endsWith(".")) return refused("name", "a name that ends in a dot is not fetched");
  if (!host.includes(".") || LOCAL.test(host)) return refused("name", `${host} is a name of the local network`);
  return null;
}

const LOCAL = /\.(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/;

export interface Route extends Omit<Destination, "type"> {
  readonly type: "route";
  /** At least one; all of them may be dialled. */
  readonly addresses: readonly string[];
}

/** All addresses of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

export interface RouteParts {
  readonly resolve: Resolve;
  readonly allowedHosts: readonly string[];
  readonly signal: AbortSignal;
}

/** The name is resolved once and every address is checked; only these are dialled afterwards. */
export async function routeTo(text: string, parts: RouteParts): Promise<Route | WebRefused | WebFailed> {
  const destination = destinationOf(text, parts.allowedHosts);
  if (destination.type === "refused") return destination;
  const addresses = await addressesOf(destination, parts);
  if (addresses.length === 0) return failed("unresolved", `${destination.host} cannot be resolved`);
  return addressRefusal(destination, addresses) ?? { ...destination, type: "route", addresses };
}

export const systemResolve: Resolve = async (name) => {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
};

async function addressesOf({ host }: Destination, { resolve, signal }: RouteParts): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  // The system's resolver cannot be stopped; what it still finds is not waited for.
  const found = await unlessAborted(resolve(host).catch(none), signal);
  signal.throwIfAborted();
  return found ?? [];
}

/** Whatever the resolver said, there is nothing to dial. */
function none(): readonly string[] {
  return [];
}

// One private address among public ones is a trap: which of them is dialled would be chance.
function addressRefusal({ host, isAllowed }: Destination, addresses: readonly string[]): WebRefused | null {
  if (isAllowed) return null;
  for (const address of addresses) {
    const objection = objectionTo(address);
    if (objection === null) continue;
    const who = address === host ? host : `${host} (${address})`;
    return refused("address", `${who} is not on the public internet (${objection} address)`);
  }
  return null;
}
