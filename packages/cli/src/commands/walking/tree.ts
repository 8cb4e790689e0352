/** `/tree`: where one stands among all branches, and the way to any other place. */

import { mistake } from "../../asking/mistake.ts";
import { nothingKept } from "../answers.ts";
import type { Answer, Command, Desk } from "../command.ts";
import { wordsIn } from "../words-in.ts";
import { findEntry } from "./find-entry.ts";
import { moveTold } from "./move-told.ts";
import { showTree } from "./show-tree.ts";

const flags = {
  summary: { takes: "maybe-words" },
  label: { takes: "words" },
  files: { takes: "nothing" },
  from: { takes: "words" },
} as const;

type Flags = Partial<Readonly<Record<keyof typeof flags, string | true>>>;

export const tree: Command = {
  name: "tree",
  takes: "[entry] [--summary [words]] [--label words] [--files]",
  says: "the session as a tree, or a move to an entry of it (root: before the first); --files puts changed files back",
  examples: ["/tree", "/tree 3f2a9c11", "/tree 3f2a9c11 --summary what failed and why --label second try --files"],
  async run(text, desk) {
    const read = wordsIn(text, flags);
    if (read.type === "mistake") return read;
    const { words, flags: given } = read;
    if (words !== "") return given.from === undefined ? await goTo(words, given, desk) : mistake(NOT_BOTH);
    if (Object.keys(given).some((flag) => flag !== "from")) return mistake(WHERE_TO);
    return await showTree(desk, typeof given.from === "string" ? given.from : undefined);
  },
};

const NOT_BOTH = "--from shows another part of the tree; without it, /tree and an entry go there";
const WHERE_TO = "say where to go first, e.g. /tree 3f2a9c11 --summary; /tree alone shows the ids";

async function goTo(name: string, given: Flags, { agent, sessionPath, note }: Desk): Promise<Answer> {
  if (given.files && sessionPath === null) return nothingKept("tree --files");
  const found = name === "root" ? null : await findEntry(name, agent.session);
  if (found?.type === "mistake") return found;
  if (given.summary !== undefined && !agent.isRunning) note?.("telling what is left");
  const moved = await agent.navigateTree(found?.entry.id ?? null, {
    summarize: given.summary !== undefined,
    ...(typeof given.summary === "string" && { customInstructions: given.summary }),
    ...(typeof given.label === "string" && { label: given.label }),
    restoreFiles: given.files === true,
  });
  return moveTold(moved, agent.session);
}
