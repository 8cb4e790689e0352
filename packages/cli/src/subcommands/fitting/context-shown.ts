/** What fills a session's window, in the words of `/context`. */

import { contextReport } from "../../commands/fitting/context-report.ts";
import { contextText } from "../../commands/fitting/context-text.ts";
import type { Call, Outcome } from "../subcommand.ts";
import { windowRead } from "./window-read.ts";

export async function contextShown(call: Call): Promise<Outcome> {
  const read = await windowRead(call);
  if (read.type !== "read") return read;
  const { window, budget, id, model } = read;
  const report = contextReport(window, budget);
  return { type: "shown", text: contextText(report), data: { id, model, ...report } };
}
