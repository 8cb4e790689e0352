/** Closes sockets that a program of the machine creates while a command runs, in the command's own mount namespace. */

import { execFile } from "node:child_process";
import { existsSync, lstatSync } from "node:fs";
import { findHostSockets, findVisibleSockets, type HostSocketSources, readSocketList } from "./host-sockets.ts";
import { findMembers, type StopWatching, type WatchCommand } from "./limits.ts";
import type { Mount } from "./mounts.ts";

export interface LateSocketOptions {
  readonly sources: HostSocketSources;
  /** What the command sees, without the mounts that close sockets. */
  readonly mounts: readonly Mount[];
  /** The program that enters namespaces; null if there is none. */
  readonly nsenter: string | null;
  /** The arguments with which it enters the user namespace above the sandbox; empty if there is none. */
  readonly userNamespace: readonly string[];
}

const INTERVAL_MS = 250;
/** A sandbox that is still being created cannot be changed. */
const MAX_TRIES = 8;

/** Call it before the command starts, when the sockets of this moment have been listed. */
export function watchLateSockets(options: LateSocketOptions): WatchCommand {
  const closed = new Set(findSockets(options).map(identify));
  return (pid, stop) => {
    let [isStopped, failures, lastList] = [false, 0, null as string | null];
    let timer: NodeJS.Timeout;
    const check = async (): Promise<void> => {
      const list = readSocketList(options.sources);
      const late = list === lastList ? [] : findSockets(options).filter((socket) => !closed.has(identify(socket)));
      const open: VisibleSocket[] = [];
      for (const socket of late)
        if (await closeIn(pid, socket.path, options)) closed.add(identify(socket));
        else open.push(socket);
      const [first] = open;
      lastList = first === undefined ? list : null;
      failures = first === undefined ? 0 : failures + 1;
      if (isStopped) return;
      if (first !== undefined && failures >= MAX_TRIES) stop(formatProblem(first));
      else schedule();
    };
    const schedule = (): void => {
      timer = setTimeout(() => void check(), INTERVAL_MS).unref();
    };
    schedule();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  };
}

/** Both watch the same command. */
export function watchBoth(one: WatchCommand, other: WatchCommand): WatchCommand {
  return (pid, stop) => {
    const stops: readonly StopWatching[] = [one(pid, stop), other(pid, stop)];
    return () => {
      for (const each of stops) each();
    };
  };
}

interface VisibleSocket {
  /** Where the command sees it. */
  readonly path: string;
  readonly real: string;
  /** Empty if the file is gone. */
  readonly file: string;
}

function findSockets({ sources, mounts }: LateSocketOptions): readonly VisibleSocket[] {
  const found = findHostSockets(sources);
  if (found === null) return [];
  return findVisibleSockets(found, mounts).flatMap(({ path, real }) => {
    const file = lstatSync(real, { throwIfNoEntry: false, bigint: true });
    return file === undefined ? [] : [{ path, real, file: `${file.dev}:${file.ino}:${file.ctimeNs}` }];
  });
}

/** A program that restarts creates another file at the same path, and what covered the old one is gone with it. */
function identify({ path, file }: VisibleSocket): string {
  return `${file} ${path}`;
}

const MOUNT_PROGRAMS: readonly string[] = ["/usr/bin/mount", "/bin/mount", "/run/current-system/sw/bin/mount"];

/** The program comes from the read-only system of the sandbox, and gets no variable. */
async function closeIn(pid: number, path: string, { nsenter, userNamespace }: LateSocketOptions): Promise<boolean> {
  const inside = findMembers(pid).find(({ parent }) => parent === pid)?.pid;
  const program = MOUNT_PROGRAMS.find((each) => existsSync(each));
  if (nsenter === null || inside === undefined || program === undefined) return false;
  const namespaces = [
    "--preserve-credentials",
    ...(userNamespace.length > 0 ? userNamespace : [`--user=/proc/${inside}/ns/user`]),
    `--mount=/proc/${inside}/ns/mnt`,
  ];
  return await new Promise((resolve) => {
    const options = { cwd: "/", env: {}, timeout: 5_000, killSignal: "SIGKILL" } as const;
    execFile(nsenter, [...namespaces, program, "--bind", "/dev/null", path], options, (error) =>
      resolve(error === null),
    );
  });
}

function formatProblem({ path }: VisibleSocket): string {
  return `command killed: a program outside the sandbox created the socket ${path} while it ran, and the sandbox could not close it. Run the command again`;
}
