/** Sessions by the id in the name of their file: no file is opened. */

import { join } from "node:path";
import { orNull } from "../../files/unavailable.ts";
import { idInName } from "./file-name.ts";
import { allFolders, type FolderParts } from "./work-folder.ts";

export interface Candidate {
  readonly path: string;
  readonly id: string;
}

/** Over all folders; those given come instead. */
export function nameMatches(
  isMeant: (id: string) => boolean,
  { folders, ...parts }: FolderParts & { readonly folders?: readonly string[] | undefined },
): readonly Candidate[] {
  return (folders ?? allFolders(parts)).flatMap((folder) =>
    // A folder that cannot be read must not keep those in the others from being found.
    (orNull(() => parts.files.list(folder)) ?? []).flatMap((name) => {
      const id = idInName(name);
      return id !== null && isMeant(id) ? [{ path: join(folder, name), id }] : [];
    }),
  );
}
