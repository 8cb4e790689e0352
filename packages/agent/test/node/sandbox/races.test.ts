/** A background command swaps folders and links while other commands are started. */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createMountPoints, type Mount } from "../../../src/node/sandbox/mounts.ts";
import { sandboxedShell } from "../../../src/node/sandbox/shell.ts";
import { createSandboxFolders, type Ran, sandboxOptions, until, untouchable } from "../../support/sandbox-folders.ts";

/** Python, because no shell can swap two names atomically. */
const EXCHANGE = `import os, ctypes, time
d = os.getcwd() + "/"
os.makedirs(d + "x/.vscode")
os.symlink(os.environ["HOME"], d + "y")
open(d + "ready", "w").close()
number = 316 if os.uname().machine == "x86_64" else 276
exchange = ctypes.CDLL(None).syscall
while True:
    exchange(number, -100, (d + "x").encode(), -100, (d + "y").encode(), 2); time.sleep(0.0002)`;

test.each([{ agents: 1 }, { agents: 2 }])(
  "BOX1 swapping a folder while commands start is no escape ($agents)",
  async ({ agents }) => {
    const folders = createSandboxFolders();
    mkdirSync(join(folders.home, ".vscode"));
    const before = untouchable(folders);
    const first = sandboxedShell(sandboxOptions(folders));
    // From here on it knows which names further down it guards, and what is created below is none of them.
    await first.run("true", { signal: new AbortController().signal, onOutput: () => {} });
    const second = agents === 1 ? first : sandboxedShell(sandboxOptions(folders));
    const act = new AbortController();
    const output = (): void => {};
    const exchanging = first.run(`exec python3 -c '${EXCHANGE}'`, { signal: act.signal, onOutput: output });
    onTestFinished(() => act.abort());
    await until(() => existsSync(join(folders.workspace, "ready")));
    const tried: Ran["end"][] = [];
    for (let count = 0; count < 40; count += 1)
      tried.push(
        await second.run("touch x/new x/.vscode/new y/new y/.vscode/new", { signal: act.signal, onOutput: output }),
      );
    act.abort();
    await exchanging;
    expect(untouchable(folders)).toEqual(before);
    expect(tried.map(({ type }) => type)).toContain("ended");
  },
);

/** In the working folder `x` is a folder and `y` a link to the folder that HOME names, and the other way round. */
const SWAP = EXCHANGE.replace('os.makedirs(d + "x/.vscode")', 'os.makedirs(d + "x", exist_ok=True)').replace(
  "; time.sleep(0.0002)",
  "",
);

test("BOX18 a mount point is never created through a link, even while another process swaps its parent folders", async () => {
  const base = mkdtempSync(join(tmpdir(), "pith-race-"));
  const [home, outside] = [join(base, "home"), join(base, "outside")];
  for (const folder of [home, outside]) mkdirSync(folder);
  const swapping = spawn("python3", ["-c", SWAP], {
    cwd: home,
    env: { ...process.env, HOME: outside },
    stdio: "ignore",
  });
  onTestFinished(() => {
    swapping.kill("SIGKILL");
    rmSync(base, { recursive: true, force: true });
  });
  await until(() => existsSync(join(home, "ready")));
  const counts = { made: 0, refused: 0 };
  for (let round = 0; round < 3_000; round += 1) {
    const mounts: readonly Mount[] = [
      { path: "/home/ann", access: "writable", source: home },
      { path: `/home/ann/x/tools-${round}`, access: "readable", source: base },
    ];
    try {
      createMountPoints(mounts);
      counts.made += 1;
    } catch {
      counts.refused += 1;
    }
  }
  expect(readdirSync(outside)).toEqual([]);
  expect(counts.made).toBeGreaterThan(0);
});
