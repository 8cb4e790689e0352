/** Waits until a program whose input has ended has ended, too; if it does not, it is told to, and then made to. */

export async function endProgram(pid: number): Promise<void> {
  if (await isGone(pid, 500)) return;
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    reaches(pid, signal);
    if (await isGone(pid, 700)) return;
  }
}

async function isGone(pid: number, milliseconds: number): Promise<boolean> {
  for (const until = Date.now() + milliseconds; Date.now() < until; ) {
    if (!reaches(pid, 0)) return true;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return !reaches(pid, 0);
}

/** 0 only asks whether it is there. */
function reaches(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
