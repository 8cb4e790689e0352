/** A command that goes on in the background exchanges folders for links, while others are started. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sandboxedShell } from "../../../src/node/sandbox/sandbox.ts";
import { boxOf, type Ran, until, untouchable, world } from "./world.ts";

/** Python, because no shell exchanges two names at once. */
const EXCHANGE = `import os, socket, ctypes, time
d = os.environ["TMPDIR"] + "/"
os.mkdir(d + "x")
s = socket.socket(socket.AF_UNIX); s.bind(d + "x/.bashrc"); s.listen(1)
os.symlink(os.environ["HOME"], d + "y")
open(d + "ready", "w").close()
number = 316 if os.uname().machine == "x86_64" else 276
exchange = ctypes.CDLL(None).syscall
while True:
    exchange(number, -100, (d + "x").encode(), -100, (d + "y").encode(), 2); time.sleep(0.0002)`;

test.each([{ agents: 1 }, { agents: 2 }])(
  "BOX1 no way out by a folder that is exchanged while commands start ($agents)",
  async ({ agents }) => {
    const place = world();
    const before = untouchable(place);
    const box = boxOf(place, { unixSockets: true });
    const first = sandboxedShell(box);
    const second = agents === 1 ? first : sandboxedShell(box);
    const act = new AbortController();
    const output = (): void => {};
    const exchanging = first.run(`exec python3 -c '${EXCHANGE}'`, { signal: act.signal, output });
    onTestFinished(() => act.abort());
    await until(() => existsSync(join(place.temporary, "ready")));
    const tried: Ran["end"][] = [];
    for (let count = 0; count < 40; count += 1)
      tried.push(await second.run("touch $TMPDIR/x/new $TMPDIR/y/new", { signal: act.signal, output }));
    act.abort();
    await exchanging;
    expect(untouchable(place)).toEqual(before);
    expect(tried.map(({ type }) => type)).toContain("ended");
  },
);
