/** The servers that count where a subcommand is called, and the one that it names, asked what it offers. */

import { type Mistake, mistake } from "../../asking/mistake.ts";
import { whatHolds } from "../../home/what-holds.ts";
import type { Call } from "../../subcommands/subcommand.ts";
import { ServerLink } from "../linking/server-link.ts";
import type { OffServer } from "../mcp-servers.ts";
import { type OfferedTool, type Pin, pinKey } from "../pins/pin.ts";
import { readPins } from "../pins/pin-file.ts";
import { serversHere } from "../servers-here.ts";

export type LinksCalled =
  | { readonly type: "links"; readonly links: readonly ServerLink[]; readonly off: readonly OffServer[] }
  | Mistake;

export async function linksCalled({ cwd, home, environment, note }: Call): Promise<LinksCalled> {
  const holds = await whatHolds({ choices: {}, trusts: false }, { cwd, home, environment });
  if (holds.type === "mistake") return holds;
  const { servers, off, notes } = serversHere(holds);
  for (const line of [...holds.notes, ...notes]) note(`pith: ${line}`);
  return { type: "links", links: servers.map((named) => new ServerLink(named, { cwd })), off };
}

export type Looked =
  | {
      readonly type: "looked";
      readonly link: ServerLink;
      readonly tools: readonly OfferedTool[];
      readonly key: string;
      readonly before: Pin | undefined;
    }
  | Mistake
  | { readonly type: "failed"; readonly message: string };

/** It has ended again when this is answered. */
export async function looked(call: Call): Promise<Looked> {
  const [name = ""] = call.arguments;
  const called = await linksCalled(call);
  if (called.type === "mistake") return called;
  const link = called.links.find(({ named }) => named.name === name);
  if (!link && called.off.some((each) => each.name === name))
    return mistake(`the server ${name} is switched off; take "enabled": false out of it to use it`);
  const names = called.links.map(({ named }) => named.name).join(", ");
  if (!link) return mistake(`there is no server ${name}; ${names === "" ? "none is named" : `there are: ${names}`}`);
  const read = await link.tools(new AbortController().signal).finally(() => link.close());
  if (read.type === "failed") return { type: "failed", message: read.why };
  const pins = await readPins(call.home);
  if (pins.type !== "read") return { type: "failed", message: pins.why };
  const key = pinKey(link.named, call.cwd);
  return { type: "looked", link, tools: read.value, key, before: pins.pins.get(key) };
}
