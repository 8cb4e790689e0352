/** All folders that are trusted. */

import { counted } from "../../../printing/amounts.ts";
import { oneLine } from "../../../printing/one-line.ts";
import type { Outcome } from "../../../subcommands/subcommand.ts";
import { readTrust } from "../keeping/trust-file.ts";

export async function trustList(home: string): Promise<Outcome> {
  const { projects, notes } = await readTrust(home);
  const [note] = notes;
  if (note !== undefined) return { type: "failed", message: note };
  const data = [...projects]
    .map(([root, { trusted, files }]) => ({ root, trusted, files: Object.keys(files).length }))
    .sort((one, other) => (one.root < other.root ? -1 : 1));
  const lines = data.map(
    ({ root, trusted, files }) => `${trusted.slice(0, 10)}  ${oneLine(root)}  (${counted(files, "file")})`,
  );
  return { type: "shown", text: lines.length > 0 ? lines.join("\n") : "no folder is trusted", data };
}
