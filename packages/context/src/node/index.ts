/** The door `@pith/context/node`: what needs a real machine. */

export { diskError, type FileStat, type Files, type OpenFile } from "./files/files.ts";
export { realFiles } from "./files/real-files.ts";
export { JsonlStore, type Opened, type Opening, type StoreParts } from "./jsonl/jsonl-store.ts";
export type { Durability } from "./jsonl/log-file.ts";
export type { Owner, Processes } from "./lease/owner.ts";
export { machine } from "./machine.ts";
