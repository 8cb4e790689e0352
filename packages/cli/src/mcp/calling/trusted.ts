/** What `pith mcp trust` does: show what a server offers, and trust exactly what was shown. */

import { canAsk, confirmed } from "../../home/trust/telling/confirmed.ts";
import { plain } from "../../printing/plain.ts";
import type { Call, Outcome } from "../../subcommands/subcommand.ts";
import { pinOf } from "../pins/pin.ts";
import { keepPin } from "../pins/pin-file.ts";
import { trustText, trustTitle } from "../telling/trust-text.ts";
import { looked } from "./servers-called.ts";

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
