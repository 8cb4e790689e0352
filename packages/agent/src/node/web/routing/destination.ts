/** Where an address written by a model leads to, as far as its text tells; what looks like a trick is refused here. */

import { isIP, isIPv4 } from "node:net";
import type { WebRefused } from "../../../tools/fetch/web.ts";
import { refused } from "../outcome.ts";
import { offLimitsPorts } from "./ports.ts";

export interface Destination {
  readonly type: "destination";
  readonly url: URL;
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** The user named it as theirs: it may be anywhere. */
  readonly isAllowed: boolean;
}

/** `allowedHosts` have the form `host:port`. */
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
  if (!host.includes(".") || LOCAL.test(host)) return refused("name", `${host} is a name of a local network`);
  return null;
}

const LOCAL = /\.(?:localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/;
