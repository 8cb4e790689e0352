/** Originals in memory. */

import type { FileOriginals } from "../../src/ports.ts";
import { hashBytes } from "../../src/text.ts";

export interface MemoryOriginals extends FileOriginals {
  lose(hash: string): void;
}

export function memoryOriginals(): MemoryOriginals {
  const kept = new Map<string, Uint8Array>();
  return {
    keep: async (bytes) => {
      const hash = await hashBytes(bytes);
      kept.set(hash, bytes.slice());
      return hash;
    },
    read: async (hash) => kept.get(hash) ?? null,
    lose: (hash) => void kept.delete(hash),
  };
}
