/** What extensions can do in this session, from the parts it was built of. */

import { type Agent, actsOn, type ExtensionActs, nobodyThere } from "@pith/agent";
import type { Place } from "../../place.ts";
import type { OpenBeside } from "../../speaking/opening-beside.ts";

export interface ActsParts {
  readonly agent: Agent;
  readonly place: Pick<Place, "cwd" | "ui" | "note">;
  /** The session's file; null where nothing is kept. */
  readonly sessionPath: string | null;
  readonly openModel: OpenBeside;
}

export function actsHere({ agent, place, sessionPath, openModel }: ActsParts): ExtensionActs {
  const { cwd, ui, note = () => {} } = place;
  return actsOn(agent, {
    cwd,
    sessionFile: sessionPath,
    ui: ui ?? nobodyThere,
    hasUI: ui !== undefined,
    report: (why) => note(`an extension wanted to act, and could not: ${why}`),
    openModel: async (name) => {
      const opened = await openModel(name);
      return opened.type === "opened" ? opened.model : null;
    },
  });
}
