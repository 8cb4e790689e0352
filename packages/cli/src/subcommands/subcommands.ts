/** All subcommands, in the order in which help names them. */

import { compact } from "./compact.ts";
import { completionsOf } from "./completions.ts";
import { context } from "./context.ts";
import { doctor } from "./doctor.ts";
import { addExtension } from "./extensions/add.ts";
import { listExtensions } from "./extensions/list.ts";
import { removeExtension } from "./extensions/rm.ts";
import { listServers } from "./mcp/list.ts";
import { testServer } from "./mcp/test.ts";
import { trustServer } from "./mcp/trust.ts";
import { exporting } from "./sessions/export.ts";
import { list } from "./sessions/list.ts";
import { prune } from "./sessions/prune.ts";
import { purge } from "./sessions/purge.ts";
import { rebind } from "./sessions/rebind.ts";
import { restore } from "./sessions/restore.ts";
import { rm } from "./sessions/rm.ts";
import { search } from "./sessions/search.ts";
import { show } from "./sessions/show.ts";
import { stats } from "./sessions/stats.ts";
import { settings } from "./settings.ts";
import type { Subcommand } from "./subcommand.ts";
import { trust } from "./trust.ts";

export const subcommands: readonly Subcommand[] = [
  list,
  search,
  show,
  exporting,
  rm,
  restore,
  rebind,
  stats,
  prune,
  purge,
  compact,
  context,
  settings,
  trust,
  listExtensions,
  addExtension,
  removeExtension,
  listServers,
  trustServer,
  testServer,
  doctor,
  completionsOf(() => subcommands),
];
