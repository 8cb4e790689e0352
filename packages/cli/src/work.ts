/** From a wish to its end: what was set and said is gathered, the parts are built, the work is done and told. */

import { LARGEST_PICTURE } from "@pith/agent";
import { nodeFiles } from "@pith/agent/node";
import { pithHome } from "@pith/context/node";
import type { Wish } from "./asking/wish.ts";
import { build } from "./build.ts";
import { choose } from "./home/choose.ts";
import { print } from "./print.ts";
import type { Terminal } from "./printing/terminal.ts";
import { contentOf } from "./prompting/content.ts";
import { piped } from "./prompting/piped.ts";
import { stopOnSignals } from "./stop-on-signals.ts";

/** The exit code of the program, and why it is not 0. */
export interface Exit {
  readonly code: number;
  readonly message?: string;
}

export async function work(wish: Wish, terminal: Terminal): Promise<Exit> {
  const place = { cwd: process.cwd(), home: pithHome(), environment: process.env };
  const chosen = await choose(wish.choices, place);
  if (chosen.type === "mistake") return { code: 2, message: chosen.message };
  const files = nodeFiles({ root: place.cwd, mostBytes: LARGEST_PICTURE });
  const said = await contentOf(wish, { files, piped: () => piped(terminal.note) });
  if (said.type === "mistake") return { code: 2, message: said.message };
  const built = await build(wish, { ...place, choices: chosen.choices });
  if (built.type === "failed") return { code: 2, message: built.message };
  for (const note of [...chosen.notes, ...built.notes]) terminal.note(`pith: ${note}`);
  const { agent, tools, next, close } = built;
  const signalled = stopOnSignals(agent);
  const run = said.type === "nothing" ? agent.resume() : agent.prompt(said.content);
  const end = await print(run, { tools, next, terminal }).finally(close);
  switch (end.type) {
    case "done":
      return { code: 0 };
    case "failed":
      return { code: 1, message: end.why };
    case "aborted":
      return { code: signalled() ?? 1 };
  }
}
