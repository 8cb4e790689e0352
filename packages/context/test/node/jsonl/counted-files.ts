/** Counts the bytes that are read from a disk. */

import type { Files, OpenFile } from "../../../src/node/files.ts";

export function counting(files: Files): { readonly files: Files; bytes(): number; reads(): number } {
  let [bytes, reads] = [0, 0];
  const open: Files["open"] = (name, how) => {
    const file = files.open(name, how);
    const counted: OpenFile = {
      read: (into, position) => {
        const count = file.read(into, position);
        bytes += count;
        reads += 1;
        return count;
      },
      append: (more) => file.append(more),
      truncate: (size) => file.truncate(size),
      sync: () => file.sync(),
      stat: () => file.stat(),
      close: () => file.close(),
    };
    return counted;
  };
  const forwarded: Files = {
    open,
    create: (name) => files.create(name),
    stat: (name) => files.stat(name),
    list: (name) => files.list(name),
    makeFolder: (name) => files.makeFolder(name),
    rename: (from, to) => files.rename(from, to),
    link: (from, to) => files.link(from, to),
    remove: (name) => files.remove(name),
    syncFolder: (name) => files.syncFolder(name),
  };
  return { files: forwarded, bytes: () => bytes, reads: () => reads };
}
