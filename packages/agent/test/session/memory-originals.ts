/** Originals in memory. */

import type { Originals } from "../../src/session/rewind.ts";
import { hashOf } from "../../src/text.ts";

export interface MemoryOriginals extends Originals {
  lose(hash: string): void;
}

export function memoryOriginals(): MemoryOriginals {
  const kept = new Map<string, Uint8Array>();
  return {
    keep: async (bytes) => {
      const hash = await hashOf(bytes);
      kept.set(hash, bytes.slice());
      return hash;
    },
    read: async (hash) => kept.get(hash) ?? null,
    lose: (hash) => void kept.delete(hash),
  };
}
