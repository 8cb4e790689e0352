/** A shell on this machine: commands run as whoever runs the agent, and may do what they may. */

import type { WorkspaceShell } from "../../workspace.ts";
import { inBash, type Launch, runInGroup } from "./run-in-group.ts";
import { type SeenBy, seenEnvironment } from "./seen-environment.ts";

export interface ShellPlace extends Pick<Launch, "root">, SeenBy {}

export function nodeShell({ root, ...seenBy }: ShellPlace): WorkspaceShell {
  const environment = seenEnvironment(seenBy);
  return {
    run: (command, act) => {
      const [program = "", ...rest] = inBash(command);
      return runInGroup({ program, arguments: rest, root, environment }, act);
    },
  };
}
