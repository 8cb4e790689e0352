/** Whether extensions let one leave for another session; asked before anything is made or opened. */

import type { SessionBeforeForkEvent, SessionBeforeSwitchEvent } from "@pith/agent";
import { told } from "../answers.ts";
import type { Answer, Desk } from "../command.ts";

/** What is answered where one of them keeps it; null where one may go. */
export async function keptBack(
  event: SessionBeforeSwitchEvent | SessionBeforeForkEvent,
  { extensions }: Pick<Desk, "extensions">,
): Promise<Answer | null> {
  if (!extensions || (await mayLeave(event, extensions))) return null;
  return told("an extension keeps you in this session; nothing was changed", { cancelled: true });
}

async function mayLeave(
  event: SessionBeforeSwitchEvent | SessionBeforeForkEvent,
  { asked }: NonNullable<Desk["extensions"]>,
): Promise<boolean> {
  const answers = event.type === "session_before_fork" ? await asked(event) : await asked(event);
  return !answers.some(({ cancel }) => cancel === true);
}
