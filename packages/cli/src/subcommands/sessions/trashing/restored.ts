/** A session back from the trash to where it was, with the files that were kept for it. */

import { resolve } from "node:path";
import { listTrash, restoreSession, type TrashedSession } from "@pith/context/node";
import { type Mistake, mistake } from "../../../asking/mistake.ts";
import { ageTold, bytesTold } from "../../../printing/amounts.ts";
import { oneLine } from "../../../printing/one-line.ts";
import type { Call, Outcome } from "../../subcommand.ts";
import { looked, whyNot } from "../finding/reading.ts";
import { wordFor } from "../finding/word-for.ts";
import { keptFilesReturn } from "./kept-files.ts";
import { sweep } from "./sweep.ts";

export async function restored({ arguments: [word], cwd, home }: Call): Promise<Outcome> {
  const env = { PITH_HOME: home };
  const trash = await listTrash({ env });
  if (word === undefined) return shownTrash(trash);
  const meant = inTrash(word, trash, cwd);
  if (meant.type === "mistake") return meant;
  const { folder } = meant.trashed;
  const outcome = await restoreSession(folder, { env });
  if (outcome.type === "taken")
    return { type: "failed", message: `${meant.trashed.from} is there already; move that file away, then try again` };
  if (outcome.type === "none")
    return {
      type: "failed",
      message: `nobody knows where ${folder} came from; copy the .jsonl file in it to where you want it`,
    };
  if (outcome.type !== "restored") return { type: "failed", message: whyNot(outcome) };
  const { path } = outcome;
  const read = await looked(path, async ({ header }) => ({ type: "read" as const, id: header.id }));
  if (read.type === "read") await keptFilesReturn(read.id, { home, from: folder });
  await sweep(folder);
  const { id } = meant.trashed;
  return {
    type: "shown",
    text: `${path} is back; go on with: pith -p --session ${wordFor({ id, path }, home)} "…"`,
    data: { id, path },
  };
}

type Meant = { readonly type: "meant"; readonly trashed: TrashedSession } | Mistake;

function inTrash(word: string, trash: readonly TrashedSession[], cwd: string): Meant {
  const fitting = trash.filter(({ id, folder }) =>
    word === "last" ? true : word !== "" && (id.startsWith(word) || folder === resolve(cwd, word)),
  );
  const [first, second] = fitting;
  if (!first) return mistake(`there is no session "${word}" in the trash; pith sessions restore shows what is there`);
  if (word === "last" || !second) return { type: "meant", trashed: first };
  const folders = fitting.slice(0, MOST).map(({ folder }) => `\n  ${folder}`);
  return mistake(
    `"${word}" is the beginning of ${fitting.length} sessions in the trash; name one by its folder:${folders.join("")}`,
  );
}

const MOST = 5;

function shownTrash(trash: readonly TrashedSession[]): Outcome {
  const now = Date.now();
  const lines = trash.map(({ id, trashed, size, from }) => {
    const age = trashed === "" ? "?" : ageTold(now - Date.parse(trashed));
    return `${id.slice(0, 8).padEnd(8)}  ${age.padStart(6)}  ${bytesTold(size).padStart(8)}  ${oneLine(from ?? "(nobody knows from where)")}`;
  });
  const text = lines.length === 0 ? "the trash is empty" : lines.join("\n");
  return { type: "shown", text, data: { trash } };
}
