/** The desk that commands of this program work on, from the parts it was built of. */

import type { Built } from "../build.ts";
import type { Desk } from "../commands/command.ts";
import type { Sources } from "../home/choose.ts";
import { listedSettings } from "../home/settings/listed.ts";
import type { Place } from "../place.ts";

export interface DeskPlace extends Place {
  /** Who said what is set. */
  readonly sources: Sources;
  /** For people, while they wait. */
  readonly note: (line: string) => void;
}

export function openDesk(built: Extract<Built, { type: "built" }>, place: DeskPlace): Desk {
  const { agent, sessionPath, openModel, templates, reload, standing, permissions, setMode, acts } = built;
  const { cwd, home, choices, note, extensions } = place;
  const settings = () => listedSettings(standing().choices, standing().sources ?? place.sources);
  const mode = { now: () => permissions.mode, set: setMode };
  return {
    ...{ agent, sessionPath, cwd, home, choices, openModel, reload, note, templates, settings, mode },
    ...(extensions && { extensions, acts }),
  };
}
