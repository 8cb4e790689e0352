/** A session as a file for others, without secrets. */

import { type ExportFormat, exportSession } from "../../../exporting/export-session.ts";
import type { Call, Outcome } from "../../subcommand.ts";
import { meant } from "../finding/reading.ts";
import { redactionHere } from "../finding/redaction-here.ts";
import { lostTold } from "../wording/lost-told.ts";

export async function exported(call: Call): Promise<Outcome> {
  const { flags, cwd } = call;
  const found = await meant(call.arguments[0] ?? "", call);
  if (found.type === "mistake") return found;
  const redaction = await redactionHere(call);
  const outcome = await exportSession(found.path, {
    to: typeof flags.output === "string" ? flags.output : undefined,
    as: flags.as as ExportFormat | undefined,
    leaf: typeof flags.branch === "string" ? flags.branch : undefined,
    redaction,
    cwd,
  });
  if (outcome.type === "mistake") return outcome;
  const { path, as, missing } = outcome;
  return { type: "shown", text: `written: ${path}${lostTold(missing)}`, data: { path, as, missing } };
}
