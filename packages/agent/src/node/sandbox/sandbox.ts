/** Runs commands that write only the workspace and private folders. A command whose sandbox cannot be made does not run. */

import { readdirSync, readFileSync } from "node:fs";
import type { ShellAct, ShellEnd, WorkspaceShell } from "../../ports.ts";
import { inBash, runInGroup, seenEnvironment } from "../shell.ts";
import { type Box, presentPath } from "./box.ts";
import { unfitRoot } from "./detect.ts";
import { type Layout, layoutOf, type StandingLayout, standingLayout } from "./layout.ts";
import { arranged, diskArguments, MOVED, type Mount, makeMountPoints, samePlaceFirst } from "./mounts.ts";
import { PROXY_VARIABLES } from "./network/network.ts";
import { buildFilter } from "./seccomp.ts";

/** The flag of a file that is closed when another program begins, as `/proc` writes it. */
const CLOSED_BY_ITSELF = 0o2000000;

/**
 * A command could use files that were open before this program began; Node closes only those with low numbers. Their numbers, but for the
 * three that everybody has.
 */
export function inheritedFiles(): readonly number[] {
  const numbers = readdirSync("/proc/self/fd").map(Number);
  return numbers.filter((file) => file > 2 && isPassedOn(file));
}

function isPassedOn(file: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, "utf8"))?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & CLOSED_BY_ITSELF) === 0;
  } catch {
    // The one by which the list was read.
    return false;
  }
}

/** What is covered may go away between the look at it and the cover: a socket, of which a machine has many, or one that somebody moves to and fro. */
const MOST_TRIES = 12;
const LONGEST_WORD = 4_096;

/** What stays the same for all commands, so that none of them can change it for the next. */
interface Ground {
  readonly box: Box;
  readonly standing: (root: string) => StandingLayout;
  /** Where the workspace was in the beginning, through no link; null where there was none. */
  readonly root: string | null;
  /** The system calls that are refused; null where they are not known for this machine. */
  readonly filter: Uint8Array | null;
  /** Closes the files that this program was handed, before a command begins. */
  readonly closing: string;
  /** The mounts of each command that runs now. */
  readonly running: Set<readonly Mount[]>;
}

export function sandboxedShell(box: Box): WorkspaceShell {
  const ground = groundOf(box);
  return {
    run: async (command, act) => {
      for (let tries = 1; ; tries += 1) {
        const end = await tried(command, ground, act);
        if (end.type !== "not-started" || tries === MOST_TRIES) return end;
      }
    },
  };
}

function groundOf(box: Box): Ground {
  let found: StandingLayout | null = null;
  const standing = (root: string): StandingLayout => {
    found ??= standingLayout({ ...box, root });
    return found;
  };
  const filter = buildFilter({ unixSockets: box.unixSockets ?? false });
  const closing = inheritedFiles()
    .map((file) => `exec ${file}>&-; `)
    .join("");
  return { box, root: presentPath(box.root), standing, filter, closing, running: new Set() };
}

async function tried(command: string, ground: Ground, act: ShellAct): Promise<ShellEnd> {
  const { box, root, filter, closing, running } = ground;
  if (root === null || presentPath(box.root) !== root) return notStarted(`there is no folder ${box.root}`);
  const unfit = unfitRoot(root, box.home);
  if (unfit !== null) return notStarted(unfit);
  const mayWrite = box.mayWrite();
  const place: Box = { ...box, root, mayWrite: () => mayWrite };
  const layout = tryLayout(place, ground.standing(root), act);
  if (layout.type === "unkept") return notStarted(layout.why);
  const mounts = arranged(layout.mounts, [...running]);
  running.add(mounts);
  try {
    makeMountPoints(mounts);
    return await held(command, { ...place, mounts, filter, closing }, act);
  } catch (error) {
    return notStarted(error instanceof Error ? error.message : String(error));
  } finally {
    running.delete(mounts);
    layout.release();
  }
}

/** What the disk refuses is a reason not to run the command. */
function tryLayout(box: Box, standing: StandingLayout, { credentialFiles }: ShellAct): Layout {
  try {
    return layoutOf(box, standing, credentialFiles);
  } catch (error) {
    return { type: "unkept", why: error instanceof Error ? error.message : String(error) };
  }
}

interface Held extends Box, Pick<Ground, "filter" | "closing"> {
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
    filter: box.filter,
  };
  const words = samePlaceFirst(box.mounts, inBash(box.closing + command));
  if (words === null) return notStarted(MOVED);
  const joined = box.network?.join({ text: command, hosts: act.hosts, onConnection: act.onConnection });
  const [program = "", ...before] = [...(joined?.enter ?? []), box.program.path];
  const environment = {
    ...seenEnvironment(withoutProxies(box)),
    ...privatePlaces(box),
    ...act.environment,
    ...joined?.environment,
  };
  const all = [...before, ...argumentsFor(box), ...words];
  const end = await runInGroup({ program, arguments: all, root: box.root, environment, wrapper }, act);
  joined?.leave();
  const isMoved = said.complaint.trim() === MOVED;
  if (end.type === "ended" && (isMoved || !said.status.includes(STARTED))) return notStarted(said.complaint.trim());
  if (said.complaint) act.output(new TextEncoder().encode(said.complaint));
  return end;
}

/** A home that is reached by a link is not, where the folder of the link is hidden. */
function privatePlaces({ home }: Box): Record<string, string> {
  return { HOME: presentPath(home) ?? home, TMPDIR: "/tmp", TMP: "/tmp", TEMP: "/tmp" };
}

/** The user's own proxy cannot be reached from inside, and its address may hold a password. */
function withoutProxies({ withheld = [], ...box }: Box): Box {
  return { ...box, withheld: [...withheld, ...PROXY_VARIABLES] };
}

/** Bubblewrap tells its third file how a command ended, and only of one that was started. */
const STARTED = '"exit-code"';

function argumentsFor({ program, mounts, network, filter, root }: Held): readonly string[] {
  const reach = network ? [] : ["--unshare-net"];
  const files = ["--json-status-fd", "3", ...(filter ? ["--seccomp", "4"] : [])];
  return [...program.apart, ...reach, ...diskArguments(mounts), ...files, "--chdir", root, "--"];
}

function notStarted(why: string): ShellEnd {
  return { type: "not-started", message: `the command was not run, because its sandbox could not be made: ${why}` };
}
