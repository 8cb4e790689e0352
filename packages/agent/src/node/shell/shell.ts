/** A shell on this machine: commands run as whoever runs the agent, and may do what they may. */

import type { WorkspaceShell } from "../../workspace.ts";
import { inBash, type Launch, runInGroup } from "./run-in-group.ts";

export type ShellPlace = Pick<Launch, "root" | "environment">;

export function nodeShell({ root, environment }: ShellPlace): WorkspaceShell {
  return {
    run: (command, act) => {
      const [program = "", ...rest] = inBash(command);
      return runInGroup({ program, arguments: rest, root, environment }, act);
    },
  };
}
