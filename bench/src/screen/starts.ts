/** How long it takes until one can type, beside how long a call that prints takes to its first request. */

import { spawn } from "node:child_process";
import { startServer } from "@pith/testkit";
import { watchMoments } from "../loop/moments.ts";
import type { Contender, Place } from "./contenders.ts";
import { startTmux } from "./tmux.ts";

/** Milliseconds from the start of the process until it says who speaks, where one types. */
export async function screenStart(contender: Contender, ground: Omit<Place, "url">): Promise<number> {
  const server = await startServer({ script: ["Hello."] });
  const terminal = await startTmux(contender.command({ ...ground, url: server.url }, null));
  try {
    return await terminal.painted(contender.ready);
  } finally {
    await terminal.end();
    await server.close();
  }
}

/** Milliseconds from the start of the process to its first request. */
export async function printStart(contender: Contender, ground: Omit<Place, "url">): Promise<number> {
  const server = await startServer({ script: ["Hello."] });
  const moments = watchMoments();
  const { command, env, folder } = contender.command({ ...ground, url: server.url }, null);
  const [program = "", ...args] = command;
  try {
    const began = performance.now();
    const child = spawn(program, [...args, "-p", "hello"], { cwd: folder, env, stdio: "ignore" });
    await new Promise((resolve) => child.once("exit", resolve));
    const [first] = moments.arrived;
    if (first === undefined) throw new Error(`${contender.name} asked for nothing`);
    return first - began;
  } finally {
    moments.stop();
    await server.close();
  }
}
