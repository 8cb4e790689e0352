/** A shell whose commands change nothing but the workspace, temporary folders and package caches. A command that cannot be held does not run. */

import type { ShellAct, ShellEnd, WorkspaceShell } from "../../workspace.ts";
import { inBash, runInGroup } from "../shell/run-in-group.ts";
import { type Box, environmentIn } from "./box.ts";
import { inheritedFiles } from "./inherited-files.ts";
import { layoutOf } from "./layout.ts";
import { type Mount, mountArguments } from "./mounts.ts";
import { realPath } from "./real-path.ts";
import { WHOLE_DISK } from "./sandbox-here.ts";

/** What is covered may go away between the look at it and the cover: a socket, of which a machine has many. */
const MOST_TRIES = 3;
const LONGEST_WORD = 4_096;

export function sandboxedShell(box: Box): WorkspaceShell {
  const closing = inheritedFiles().map((file) => `exec ${file}>&-; `);
  return {
    run: async (command, act) => {
      for (let tries = 1; ; tries += 1) {
        const end = await tried(closing.join("") + command, box, act);
        if (end.type !== "not-started" || tries === MOST_TRIES) return end;
      }
    },
  };
}

async function tried(command: string, box: Box, act: ShellAct): Promise<ShellEnd> {
  const root = realPath(box.root);
  if (root === null) return notStarted(`there is no folder ${box.root}`);
  if (root === "/") return notStarted("the workspace is the whole disk, and nothing would be outside it");
  const mayWrite = box.mayWrite();
  const place: Box = { ...box, root, mayWrite: () => mayWrite };
  const { mounts, release } = layoutOf(place);
  return held(command, { ...place, mounts }, act).finally(release);
}

interface Held extends Box {
  readonly mounts: readonly Mount[];
}

async function held(command: string, box: Held, act: ShellAct): Promise<ShellEnd> {
  const said = { status: "", complaint: "" };
  const wrapper = {
    status: (text: string): void => {
      said.status = (said.status + text).slice(-LONGEST_WORD);
    },
    complaint: (text: string): void => {
      said.complaint = (said.complaint + text).slice(-LONGEST_WORD);
    },
  };
  const { program, root } = box;
  const all = [...argumentsFor(box), ...inBash(command)];
  const environment = environmentIn(box);
  const end = await runInGroup({ program: program.path, arguments: all, root, environment, wrapper }, act);
  if (end.type === "ended" && !said.status.includes(STARTED)) return notStarted(said.complaint.trim());
  if (said.complaint) act.output(new TextEncoder().encode(said.complaint));
  return end;
}

/** Bubblewrap tells its third file how a command ended, and only of one that was started. */
const STARTED = '"exit-code"';

function argumentsFor({ program, mounts, network, root }: Held): readonly string[] {
  const reach = network ? [] : ["--unshare-net"];
  const disk = [...WHOLE_DISK, ...mountArguments(mounts)];
  return [...program.apart, ...reach, ...disk, "--json-status-fd", "3", "--chdir", root, "--"];
}

function notStarted(why: string): ShellEnd {
  return { type: "not-started", message: `the command was not run, because its sandbox could not be made: ${why}` };
}
