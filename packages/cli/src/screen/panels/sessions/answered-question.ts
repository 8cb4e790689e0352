/** What is asked before a session is renamed or put into the trash: its answer, key by key. Pure. */

import { typedInto } from "../../widgets/line-input.ts";
import { goesOn, isWayOut } from "../panel.ts";
import type { SessionSource, SessionsPressed } from "./session-source.ts";
import type { Asked, SessionsState } from "./sessions-state.ts";

export function answeredQuestion(state: SessionsState, key: string, source: SessionSource): SessionsPressed {
  const { asked } = state;
  if (asked?.type === "trash") return trashing(state, key === "y" ? asked : null, source);
  if (asked?.type === "rename") return renaming(state, key, { asked, source });
  return goesOn<SessionsState>(state);
}

/** Everything but a yes is a no. */
function trashing(
  state: SessionsState,
  asked: Extract<Asked, { type: "trash" }> | null,
  source: SessionSource,
): SessionsPressed {
  const next = goesOn<SessionsState>({ ...state, asked: null });
  return asked ? { ...next, later: () => source.trash(asked.item) } : next;
}

interface Renaming {
  readonly asked: Extract<Asked, { type: "rename" }>;
  readonly source: SessionSource;
}

function renaming(state: SessionsState, key: string, { asked, source }: Renaming): SessionsPressed {
  const { item, line } = asked;
  if (isWayOut(key)) return goesOn<SessionsState>({ ...state, asked: null });
  if (key === "enter")
    return { ...goesOn<SessionsState>({ ...state, asked: null }), later: () => source.rename(item, line.text) };
  const input = typedInto(line, key);
  return goesOn<SessionsState>(input ? { ...state, asked: { ...asked, line: input } } : state);
}
