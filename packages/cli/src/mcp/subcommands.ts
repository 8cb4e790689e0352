/** Implements `pith mcp list`, `pith mcp test` and `pith mcp trust`, and the server status that `/mcp` shows. */

import { type Mistake, mistake } from "../args/usage-error.ts";
import { whatHolds } from "../settings/resolve.ts";
import { type NamedServer, namer, type OffServer, spelledOut } from "../settings/settings.ts";
import type { Call, Outcome } from "../subcommands/subcommand.ts";
import { canAsk, confirmed } from "../text/confirm.ts";
import { plain } from "../text/safe-text.ts";
import { ServerLink } from "./server-process.ts";
import { serversHere } from "./servers.ts";
import { plainLine, trustText, trustTitle } from "./trust-question.ts";
import { keepPin, type OfferedTool, type Pin, pinKey, pinOf, readPins } from "./trusted-tools.ts";

export interface ServerStatus {
  readonly name: string;
  readonly how: string;
  readonly from: NamedServer["from"];
  readonly state: ServerLink["state"] | "off";
  /** How many tools were trusted; null where none were. */
  readonly trusted: number | null;
  readonly failure?: string;
}

export async function statusOf(
  links: readonly ServerLink[],
  { cwd, home, off }: { readonly cwd: string; readonly home: string; readonly off: readonly OffServer[] },
): Promise<readonly ServerStatus[]> {
  const read = await readPins(home);
  const unused = off.map(
    ({ name, how, from }): ServerStatus => ({ name, how: plainLine(how, 200), from, state: "off", trusted: null }),
  );
  const used = links.map(({ named, state, lastFailure }): ServerStatus => {
    const pin = read.type === "read" ? read.pins.get(pinKey(named, cwd)) : undefined;
    return {
      ...{ name: named.name, how: plainLine(spelledOut(named.server), 200), from: named.from, state },
      trusted: pin ? Object.keys(pin.tools).length : null,
      ...(lastFailure !== null && { failure: plainLine(lastFailure, 300) }),
    };
  });
  return [...used, ...unused];
}

export function statusText(all: readonly ServerStatus[]): string {
  if (all.length === 0) return "no server of tools is named; see mcpServers in the settings";
  return all
    .map(({ name, how, from, state, trusted, failure }) => {
      const pinned = trusted === null ? "not trusted yet" : `${trusted} tools trusted`;
      const stands = state === "off" ? 'off, by its "enabled": false' : `${state}, ${pinned}`;
      const whose = from === "settings" ? "" : `, named by ${namer[from]}`;
      return `${name}  ${stands}${whose}${how === "" ? "" : `\n  ${how}`}${failure === undefined ? "" : `\n  ${failure}`}`;
    })
    .join("\n");
}

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

export async function listed(call: Call): Promise<Outcome> {
  const called = await linksCalled(call);
  if (called.type === "mistake") return called;
  const servers = await statusOf(called.links, { ...call, off: called.off });
  return { type: "shown", text: statusText(servers), data: { servers } };
}

export async function tested(call: Call): Promise<Outcome> {
  const found = await looked(call);
  if (found.type !== "looked") return found;
  const { link, tools, before } = found;
  const { name } = link.named;
  const isTrusted = before?.hash === pinOf(tools, "").hash;
  const how = isTrusted ? "trusted as they are" : `not trusted as they are; to trust them: pith mcp trust ${name}`;
  const text = `${trustText({ named: link.named, tools, before: isTrusted ? undefined : before })}\nthey are ${how}`;
  const data = { name, isTrusted, wasTrusted: before !== undefined, tools: tools.map((tool) => tool.name) };
  return { type: "shown", text, data };
}

/** Trusts exactly what was shown. */
export async function trusted(call: Call): Promise<Outcome> {
  const found = await looked(call);
  if (found.type !== "looked") return found;
  const { link, tools, before, key } = found;
  const { name } = link.named;
  const pin = pinOf(tools, new Date().toISOString());
  const asked = { named: link.named, tools, before };
  const data = { name, wasTrusted: before !== undefined, tools: tools.map((tool) => tool.name) };
  if (before?.hash === pin.hash)
    return { type: "shown", text: `the tools of ${name} are trusted as they are`, data: { ...data, isTrusted: true } };
  const shown = trustText(asked);
  if (!call.flags.yes && !canAsk()) {
    const text = `${shown}\nnothing was trusted; say it again with --yes to trust this`;
    return { type: "shown", text, data: { ...data, isTrusted: false }, code: 1 };
  }
  if (!call.flags.yes) {
    call.note(plain(shown));
    if (!(await confirmed(trustTitle(asked)))) return { type: "failed", message: "nothing was trusted" };
  }
  const kept = await keepPin(key, pin, call.home);
  if (kept.type === "failed") return kept;
  const text = `${call.flags.yes ? `${shown}\n` : ""}the tools of ${name} are trusted, as they are now`;
  return { type: "shown", text, data: { ...data, isTrusted: true } };
}
