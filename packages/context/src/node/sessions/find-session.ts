/** A session by its id or the beginning of it, wherever it lies and wherever one stands. */

import { type HomeParts, settled } from "./home.ts";
import { listSessions } from "./list-sessions.ts";
import { type Candidate, nameMatches } from "./placing/ids-by-name.ts";

export type Finding =
  | ({ readonly type: "found" } & Candidate)
  | { readonly type: "several"; readonly candidates: readonly Candidate[]; readonly why: string }
  | { readonly type: "none"; readonly why: string };

export interface Search extends HomeParts {
  /** Looked through instead of Pith's own. */
  readonly folders?: readonly string[];
}

/** The names of files are looked at first, headers only if none fits; a whole id goes before one that only begins so. */
export async function findSession(idOrPrefix: string, { folders, ...parts }: Search = {}): Promise<Finding> {
  if (idOrPrefix === "") return { type: "none", why: "say at least the first letter of a session's id" };
  const begins = (id: string): boolean => id.startsWith(idOrPrefix);
  const named = nameMatches(begins, { ...settled(parts), folders });
  if (named.length > 0) return finding(idOrPrefix, named);
  const listed = await listSessions({ ...parts, ...(folders && { folders }) });
  return finding(
    idOrPrefix,
    listed.filter(({ id }) => begins(id)).map(({ path, id }) => ({ path, id })),
  );
}

function finding(wanted: string, candidates: readonly Candidate[]): Finding {
  const exact = candidates.filter(({ id }) => id === wanted);
  const [first, second] = exact.length > 0 ? exact : candidates;
  if (!first)
    return { type: "none", why: `no session's id begins with "${wanted}"; list the sessions to see them all` };
  if (!second) return { type: "found", ...first };
  const why = `${candidates.length} sessions have an id that begins with "${wanted}"; say more of it, or give the path`;
  return { type: "several", candidates: exact.length > 0 ? exact : candidates, why };
}
