/** Every command there is, in the order in which they are shown. */

import { keys } from "./choosing/keys.ts";
import { mode } from "./choosing/mode.ts";
import { model } from "./choosing/model.ts";
import { reload } from "./choosing/reload.ts";
import { settings } from "./choosing/settings.ts";
import { thinking } from "./choosing/thinking.ts";
import type { Command } from "./command.ts";
import { autocompact } from "./fitting/autocompact.ts";
import { compact } from "./fitting/compact.ts";
import { context } from "./fitting/context.ts";
import { redo } from "./fitting/redo.ts";
import { seen } from "./fitting/seeing/seen.ts";
import { undo } from "./fitting/undo.ts";
import { helpFor } from "./help.ts";
import { pin } from "./keeping/pin.ts";
import { unpin } from "./keeping/unpin.ts";
import { copy } from "./looking/copy.ts";
import { diff } from "./looking/diff.ts";
import { quit } from "./quit.ts";
import { clone } from "./sessions/clone.ts";
import { exporting } from "./sessions/export.ts";
import { fork } from "./sessions/fork.ts";
import { handoff } from "./sessions/handoff.ts";
import { name } from "./sessions/name.ts";
import { begin } from "./sessions/new.ts";
import { resume } from "./sessions/resume.ts";
import { session } from "./sessions/session.ts";
import { transcript } from "./walking/transcript.ts";
import { tree } from "./walking/tree.ts";

export const commands: readonly Command[] = [
  compact,
  undo,
  redo,
  autocompact,
  context,
  seen,
  pin,
  unpin,
  tree,
  fork,
  clone,
  handoff,
  begin,
  resume,
  name,
  session,
  transcript,
  exporting,
  copy,
  diff,
  model,
  thinking,
  mode,
  settings,
  reload,
  keys,
  helpFor(() => commands),
  quit,
];
