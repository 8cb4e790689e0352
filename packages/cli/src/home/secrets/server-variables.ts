/** What somebody wrote down to start or reach servers of tools, as if it were variables: so the vault finds a secret of it wherever it comes to light. */

import type { Variables } from "@pith/context/secrets";
import type { McpServerSettings } from "../settings.ts";

export type ServersWritten = Readonly<Record<string, McpServerSettings>>;

/** Each with the server's name before its own, so that none stands in the place of another. */
export function serverVariables(servers: ServersWritten): Variables {
  const variables = Object.entries(servers).flatMap(([server, { args = [], env = {}, url = "", headers = {} }]) => {
    const sent = Object.entries(headers).map(([name, value]) => headerVariable(name, value));
    const asked = [...(URL.parse(url)?.searchParams ?? [])];
    // Of a command only what looks like a secret is one.
    const all = [...Object.entries(env), ...sent, ...asked, ["ARGS", args.join(" ")] as const];
    return all.map(([name, value]) => [`${server}_${name}`, value] as const);
  });
  return Object.fromEntries(variables);
}

/** The word before it says how it is to be read, as in `Bearer …`, and is no part of it. */
function headerVariable(name: string, value: string): readonly [string, string] {
  const isAuthorization = /authorization$/i.test(name);
  return isAuthorization ? ["AUTH", value.replace(/^\w+\s+/, "")] : [name.replaceAll("-", "_"), value];
}
