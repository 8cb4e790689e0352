/** Implements `pith mcp list`, `pith mcp test` and `pith mcp trust`, and the server status that `/mcp` shows. */

import type { Call, Outcome } from "../args/subcommand.ts";
import { whatHolds } from "../settings/resolve.ts";
import { type NamedServer, namer, type OffServer, spelledOut } from "../settings/settings.ts";
import { canAsk, confirmed } from "../text/confirm.ts";
import { plain } from "../text/safe-text.ts";
import { type Mistake, mistake } from "../text/usage-error.ts";
import { createLinkParts, ServerLink } from "./server-process.ts";
import type { FindSandbox } from "./server-sandbox.ts";
import { serversHere } from "./servers.ts";
import { Trust } from "./trust.ts";
import { type Confirm, plainLine, trustText, trustTitle } from "./trust-question.ts";
import { isSamePin, keepPin, type OfferedTool, type Pin, pinKey, pinOf, readPins } from "./trusted-tools.ts";

export interface ServerStatus {
  readonly name: string;
  readonly how: string;
  readonly from: NamedServer["from"];
  readonly state: ServerLink["state"] | "off";
  /** How many tools were trusted; null where none were. */
  readonly trusted: number | null;
  readonly failure?: string;
  /** Of a program: on, or why it is off. */
  readonly sandbox?: string;
  /** The hosts that its program reached or was refused, the last first. */
  readonly hosts?: readonly string[];
}

export interface StatusPlace {
  readonly cwd: string;
  readonly home: string;
  readonly off: readonly OffServer[];
  readonly findSandbox: FindSandbox;
}

export async function statusOf(
  links: readonly ServerLink[],
  { cwd, home, off, findSandbox }: StatusPlace,
): Promise<readonly ServerStatus[]> {
  const read = await readPins(home);
  const unused = off.map(
    ({ name, how, from }): ServerStatus => ({ name, how: plainLine(how, 200), from, state: "off", trusted: null }),
  );
  const described = links.map(async ({ named, state, lastFailure, reachedHosts }): Promise<ServerStatus> => {
    const here = "url" in named.server ? null : await findSandbox(named);
    const pin = read.type === "read" ? read.pins.get(pinKey(named, cwd)) : undefined;
    return {
      ...{ name: named.name, how: plainLine(spelledOut(named.server), 200), from: named.from, state },
      trusted: pin ? Object.keys(pin.tools).length : null,
      ...(lastFailure !== null && { failure: plainLine(lastFailure, 300) }),
      ...(here && { sandbox: here.type === "available" ? "on" : `off, ${plainLine(here.why, 200)}` }),
      ...(reachedHosts.length > 0 && { hosts: reachedHosts }),
    };
  });
  return [...(await Promise.all(described)), ...unused];
}

export function statusText(all: readonly ServerStatus[]): string {
  if (all.length === 0) return "no server of tools is named; see mcpServers in the settings";
  return all
    .map(({ name, how, from, state, trusted, failure, sandbox, hosts }) => {
      const pinned = trusted === null ? "not trusted yet" : `${trusted} tools trusted`;
      const stands = state === "off" ? 'off, by its "enabled": false' : `${state}, ${pinned}`;
      const whose = from === "settings" ? "" : `, named by ${namer[from]}`;
      const details = [how, failure ?? "", sandbox && `sandbox: ${sandbox}`, hosts && `reached: ${hosts.join(", ")}`];
      return [`${name}  ${stands}${whose}`, ...details.filter(Boolean)].join("\n  ");
    })
    .join("\n");
}

export type LinksCalled =
  | {
      readonly type: "links";
      readonly links: readonly ServerLink[];
      readonly off: readonly OffServer[];
      readonly findSandbox: FindSandbox;
    }
  | Mistake;

/** `confirmStart` is asked before a program starts that is not trusted as it is. */
export async function linksCalled(
  { cwd, home, environment, note }: Call,
  confirmStart: Confirm | null = null,
): Promise<LinksCalled> {
  const holds = await whatHolds({ choices: {}, trusts: false }, { cwd, home, environment });
  if (holds.type === "mistake") return holds;
  const { servers, off, notes } = serversHere(holds);
  for (const line of [...holds.notes, ...notes]) note(`pith: ${line}`);
  const trust = new Trust({ cwd, home, confirm: () => confirmStart });
  const confirm = (): Confirm | null => (canAsk() ? terminalConfirm(note) : null);
  const parts = createLinkParts({ workspace: cwd, home, environment, choices: holds.choices }, { trust, confirm });
  const links = servers.map((named) => new ServerLink(named, parts));
  return { type: "links", links, off, findSandbox: parts.findSandbox };
}

function terminalConfirm(note: Call["note"]): Confirm {
  return async (title, text) => {
    note(plain(text));
    return await confirmed(title);
  };
}

export type Looked =
  | {
      readonly type: "looked";
      readonly link: ServerLink;
      readonly tools: readonly OfferedTool[];
      readonly key: string;
      readonly before: Pin | undefined;
      /** What of the program was shown before it started; empty where it was trusted as it is. */
      readonly startText: string;
    }
  /** Nobody could be asked whether the program may start, so it was not; what would run. */
  | { readonly type: "unstarted"; readonly name: string; readonly text: string }
  | Mistake
  | { readonly type: "failed"; readonly message: string };

/** Asks before it starts a program. The server has ended again when this is answered. */
export async function looked(call: Call): Promise<Looked> {
  const [name = ""] = call.arguments;
  let startText = "";
  const confirm: Confirm = async (title, text, asking) => {
    startText = text;
    if (call.flags.yes || !canAsk()) return Boolean(call.flags.yes);
    return await terminalConfirm(call.note)(title, text, asking);
  };
  const called = await linksCalled(call, confirm);
  if (called.type === "mistake") return called;
  const link = called.links.find(({ named }) => named.name === name);
  if (!link && called.off.some((each) => each.name === name))
    return mistake(`the server ${name} is switched off; take "enabled": false out of it to use it`);
  const names = called.links.map(({ named }) => named.name).join(", ");
  if (!link) return mistake(`there is no server ${name}; ${names === "" ? "none is named" : `there are: ${names}`}`);
  const read = await link.tools(new AbortController().signal).finally(() => link.close());
  if (startText !== "" && !call.flags.yes && !canAsk()) return { type: "unstarted", name, text: startText };
  if (read.type === "failed") return { type: "failed", message: read.why };
  const pins = await readPins(call.home);
  if (pins.type !== "read") return { type: "failed", message: pins.why };
  const key = pinKey(link.named, call.cwd);
  return { type: "looked", link, tools: read.value, key, before: pins.pins.get(key), startText };
}

export async function listed(call: Call): Promise<Outcome> {
  const called = await linksCalled(call);
  if (called.type === "mistake") return called;
  const servers = await statusOf(called.links, { ...call, ...called });
  return { type: "shown", text: statusText(servers), data: { servers } };
}

export async function tested(call: Call): Promise<Outcome> {
  const found = await looked(call);
  if (found.type === "unstarted") return shownUnstarted(found, `to start and trust it: pith mcp trust ${found.name}`);
  if (found.type !== "looked") return found;
  const { link, tools, before } = found;
  const { files } = link;
  const { name } = link.named;
  const isTrusted = isSamePin(before, pinOf(tools, "", files));
  const how = isTrusted ? "trusted as they are" : `not trusted as they are; to trust them: pith mcp trust ${name}`;
  const text = `${trustText({ named: link.named, tools, files, before: isTrusted ? undefined : before })}\nthey are ${how}`;
  const data = { name, isTrusted, wasTrusted: before !== undefined, tools: tools.map((tool) => tool.name) };
  return { type: "shown", text, data };
}

/** Trusts exactly what was shown. */
export async function trusted(call: Call): Promise<Outcome> {
  const found = await looked(call);
  if (found.type === "unstarted") return shownUnstarted(found, "say it again with --yes to start and trust it");
  if (found.type !== "looked") return found;
  const { link, tools, before, key, startText } = found;
  const { files } = link;
  const { name } = link.named;
  const pin = pinOf(tools, new Date().toISOString(), files);
  const asked = { named: link.named, tools, files, before };
  const data = { name, wasTrusted: before !== undefined, tools: tools.map((tool) => tool.name) };
  if (isSamePin(before, pin))
    return { type: "shown", text: `the tools of ${name} are trusted as they are`, data: { ...data, isTrusted: true } };
  const shown = [startText, trustText(asked)].filter((text) => text !== "").join("\n");
  if (!call.flags.yes && !canAsk()) {
    const text = `${shown}\nnothing was trusted; say it again with --yes to trust this`;
    return { type: "shown", text, data: { ...data, isTrusted: false }, code: 1 };
  }
  if (!call.flags.yes) {
    call.note(plain(trustText(asked)));
    if (!(await confirmed(trustTitle(asked)))) return { type: "failed", message: "nothing was trusted" };
  }
  const kept = await keepPin(key, pin, call.home);
  if (kept.type === "failed") return kept;
  const text = `${call.flags.yes ? `${shown}\n` : ""}the tools of ${name} are trusted, as they are now`;
  return { type: "shown", text, data: { ...data, isTrusted: true } };
}

function shownUnstarted({ name, text }: Extract<Looked, { type: "unstarted" }>, next: string): Outcome {
  const data = { name, isTrusted: false, wasTrusted: false, tools: [] };
  return { type: "shown", text: `${text}\nnothing was started; ${next}`, data, code: 1 };
}
