/** One server as somebody wrote it down: a program or an address, or why it does not count. */

import { isObject } from "../home/json.ts";
import type { McpServer } from "./mcp-servers.ts";

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

function program(command: string, { args = [], env = {} }: Readonly<Record<string, unknown>>): ServerRead {
  if (!Array.isArray(args) || !args.every((word) => typeof word === "string"))
    return wrong("has args that are no list of texts");
  if (!isTexts(env)) return wrong("has an env that is not made of texts");
  return { type: "server", server: { command, args, env } };
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

function wrong(why: string): ServerRead {
  return { type: "wrong", why };
}
