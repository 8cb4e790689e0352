/** `pith sessions export`: a session as a file for others. */

import type { Call, Outcome, Subcommand } from "../subcommand.ts";

export const exporting: Subcommand = {
  name: "sessions export",
  takes: "SESSION",
  count: { least: 1, most: 1 },
  says: "write a session into a file for others: a page, Markdown, or a session of pi",
  more: "SESSION is the beginning of an id, a name, a path, or last: the last session of this folder. Secrets are left out. A file for pi holds all branches.",
  json: "{ path, as, missing: [hash of a blob that is lost] }",
  flags: {
    as: {
      type: "string",
      takes: "FORMAT",
      values: ["html", "markdown", "pi"],
      says: "what it shall be (default: by the file's ending, else html)",
    },
    output: {
      type: "string",
      short: "o",
      takes: "FILE",
      says: "where to; must be free (default: a file here, named after the session)",
    },
    branch: { type: "string", takes: "ID", says: "the branch that ends with this entry, instead of the active one" },
    folder: { type: "string", takes: "FOLDER", says: "look for the session here, such as in pi's folder of sessions" },
  },
  examples: ["pith sessions export last --as markdown", "pith sessions export last -o talk.html"],
  run: async (call: Call): Promise<Outcome> => (await import("./showing/exported.ts")).exported(call),
};
