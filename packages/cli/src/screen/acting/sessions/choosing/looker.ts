/** Looks into sessions while somebody walks past them: each once, and those that lie before one's eyes now before all others. */

import type { Redaction } from "@pith/context";
import type { SessionItem } from "@pith/context/node";
import type { Change, SessionSource } from "../../../panels/sessions/session-source.ts";
import type { About } from "../../../panels/sessions/sessions-state.ts";
import { lookInto } from "./look-into.ts";

export function looker(
  redaction: () => Promise<Redaction>,
  into: (item: SessionItem) => Promise<About> = lookInto,
): SessionSource["look"] {
  let newest = 0;
  const looked = new Map<string, Promise<About>>();
  const once = (item: SessionItem): Promise<About> => {
    const about = looked.get(item.path) ?? redaction().then(async ({ redacted }) => redacted(await into(item)));
    looked.set(item.path, about);
    return about;
  };
  return async (items, signal) => {
    newest += 1;
    const own = newest;
    const seen = new Map<string, About>();
    for (const item of items) {
      // Whoever has gone on looks at others now.
      if (signal.aborted || own !== newest) break;
      seen.set(item.path, await once(item));
    }
    return known(seen);
  };
}

function known(seen: ReadonlyMap<string, About>): Change {
  return (state) => ({ ...state, abouts: new Map([...state.abouts, ...seen]) });
}
