/** Which addresses belong to everybody. All others lead into this machine, its network or its cloud, and are named. */

import { BlockList, isIPv4, isIPv6 } from "node:net";

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
