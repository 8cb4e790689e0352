/** A search whose hits have no secrets: a line is redacted before it is cut, because half a secret looks like none. */

import type { Redaction } from "@pith/context";
import type { WorkspaceSearch } from "../workspace.ts";

export function redactedSearch(search: WorkspaceSearch, secrets: Redaction): WorkspaceSearch {
  return {
    list: (path, act) => search.list(path, act),
    find: (wish, act) => search.find(wish, act),
    grep: async (wish, act) => secrets.redacted(await search.grep({ ...wish, redaction: secrets }, act)),
  };
}
