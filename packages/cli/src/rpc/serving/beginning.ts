/** What stood on the command line, said before all that comes by lines: words as by `prompt`, and the files that were named. */

import { LARGEST_PICTURE } from "@pith/agent";
import { nodeFiles } from "@pith/agent/node";
import type { Wish } from "../../asking/wish.ts";
import { contentOf } from "../../prompting/content.ts";
import { said } from "../acting/said.ts";
import type { Said } from "../line/rpc-commands.ts";
import type { Outcome } from "../rows/row.ts";
import { speaking } from "../rows/speaking.ts";
import type { Seat } from "./seat.ts";

/** Null where nothing stood there. */
export async function beginning(wish: Wish, seat: Seat): Promise<Outcome<Said> | null> {
  const { words, files } = wish;
  if (files.length === 0) return words === "" ? null : await speaking.prompt.run({ message: words }, seat);
  const own = nodeFiles({ root: seat.desk.cwd, mostBytes: LARGEST_PICTURE });
  // The standard input has lines.
  const content = await contentOf(wish, { files: own, piped: async () => ({ type: "arrived", text: "" }) });
  if (content.type === "nothing") return null;
  if (content.type === "mistake") return { type: "failed", message: content.message };
  return await said(content.content, { seat, pictures: [], behaviour: undefined });
}
