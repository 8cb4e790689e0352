/** What a permitted call may open: where its paths led when they were looked at, and below them nothing that would not pass by itself. */

import type { Leave } from "../tool.ts";
import { decide, type Standing } from "./decide.ts";
import type { Sight } from "./sight.ts";

export function leaveFor(sight: Sight, standing: Standing): Leave {
  // Who was asked about a folder was asked about what is in it.
  const isEnough = decide(sight, standing).type === "asked" ? ["allowed", "asked"] : ["allowed"];
  return {
    // Where nobody can tell, it is taken at its word: a link is not followed then.
    reached: new Map(sight.reached.map(({ named, real }) => [named, real ?? named])),
    isClosed: (path) => !isEnough.includes(decide(lookAt(path, sight), standing).type),
  };
}

function lookAt(path: string, { act }: Sight): Sight {
  return { act: { ...act, intent: { type: "look", paths: [path] } }, reached: [{ named: path, real: path }] };
}
