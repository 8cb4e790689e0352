/** What came of a copy of a branch: one stands in it from now on, or why there is none. */

import type { Forking } from "@pith/context/node";
import { lostTold } from "../../subcommands/sessions/wording/lost-told.ts";
import { failed } from "../answers.ts";
import type { Answer } from "../command.ts";

export function copiedTo(outcome: Forking, draft?: string): Answer {
  switch (outcome.type) {
    case "forked": {
      const { path, id, missing } = outcome;
      const text = `a new session: ${id.slice(0, 8)}${lostTold(missing)}`;
      return { type: "opened", reason: "fork", path, id, text, ...(draft !== undefined && { draft }) };
    }
    case "held":
      return failed(`process ${outcome.owner.pid} writes this session; end it, and try again`);
    case "no-entry":
    case "unavailable":
      return failed(outcome.why);
  }
}
