/** What holds a session, for those that it starts: they may do no more than it may at that moment. */

import type { Permissions } from "@pith/agent";
import type { Wish } from "../asking/wish.ts";

export interface Held extends Pick<Wish, "trusts"> {
  /** Those of the command line; of the tools those that count, whoever named them. */
  readonly choices: Wish["choices"];
  /** Known once the session is built; nothing is started before. */
  permissions: Permissions | null;
  /** Whom the address among the choices is for: a model or its provider. */
  addressee: string | null;
}
