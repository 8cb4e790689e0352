/** What `pith mcp test` answers. */

import type { Call, Outcome } from "../../subcommands/subcommand.ts";
import { pinOf } from "../pins/pin.ts";
import { trustText } from "../telling/trust-text.ts";
import { looked } from "./servers-called.ts";

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
