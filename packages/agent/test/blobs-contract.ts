/** The contract of every blob store. */

import { describe, expect, test } from "vitest";
import type { BlobStore, BlobWriteResult, BlobWriter } from "../src/ports.ts";
import { hashBytes } from "../src/text.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function drafted(blobs: BlobStore, ...pieces: readonly string[]): BlobWriter {
  const draft = blobs.createWriter();
  for (const piece of pieces) draft.write(bytes(piece));
  return draft;
}

/** `newBlobs` creates an empty store with a quota of ten bytes per blob. */
export function blobsContract(name: string, newBlobs: () => BlobStore): void {
  describe(name, () => {
    const kept = async (text: string, isWhole = true): Promise<BlobWriteResult> => ({
      type: "kept",
      hash: await hashBytes(bytes(text)),
      bytes: bytes(text).length,
      isWhole,
    });
    const text = async (blobs: BlobStore, outcome: BlobWriteResult, start = 0, end = 100): Promise<string> => {
      const read = await blobs.read(outcome.type === "kept" ? outcome.hash : "", { start, end });
      return read.type === "read" ? `${new TextDecoder().decode(read.bytes)}/${read.size}` : read.type;
    };

    test("BLOB3 a blob has the same hash whether it is written at once or in chunks, and can be read in ranges", async () => {
      const blobs = newBlobs();
      const outcome = await blobs.keep(bytes("one two"));
      expect(outcome).toEqual(await kept("one two"));
      expect(await drafted(blobs, "one", "", " two").keep()).toEqual(outcome);
      const pages = [text(blobs, outcome), text(blobs, outcome, 4, 6), text(blobs, outcome, 90, 99)];
      expect(await Promise.all(pages)).toEqual(["one two/7", "tw/7", "/7"]);
      expect(await text(blobs, outcome, -4, 3)).toBe("one/7");
    });

    test("BLOB3 an empty blob can be stored", async () => {
      const blobs = newBlobs();
      expect(await blobs.keep(bytes(""))).toEqual(await kept(""));
      expect(await text(blobs, await drafted(blobs).keep())).toBe("/0");
    });

    test("BLOB3 copies the chunks, so that the caller can change them", async () => {
      const blobs = newBlobs();
      const draft = blobs.createWriter();
      const chunk = Buffer.from("one");
      draft.write(chunk);
      chunk.fill(0);
      expect(await draft.keep()).toEqual(await kept("one"));
      const whole = Buffer.from("two");
      const outcome = await blobs.keep(whole);
      whole.fill(0);
      expect(await text(blobs, outcome)).toBe("two/3");
    });

    test("BLOB3 a dropped writer keeps nothing, a kept blob stays, and neither accepts more", async () => {
      const blobs = newBlobs();
      const dropped = drafted(blobs, "dropped");
      dropped.drop();
      dropped.write(bytes("late"));
      expect(await text(blobs, await kept("dropped"))).toBe("none");
      await expect(dropped.keep()).rejects.toThrow("already kept or dropped");
      const draft = drafted(blobs, "stays");
      const outcome = await draft.keep();
      draft.drop();
      draft.write(bytes("late"));
      expect(await text(blobs, outcome)).toBe("stays/5");
    });

    test("BLOB4 keeps only the beginning of a blob above the quota", async () => {
      const blobs = newBlobs();
      expect(await blobs.keep(bytes("ten bytes!"))).toEqual(await kept("ten bytes!"));
      expect(await blobs.keep(bytes("ten bytes! and more"))).toEqual(await kept("ten bytes!", false));
      expect(await drafted(blobs, "ten ", "bytes!").keep()).toEqual(await kept("ten bytes!"));
      expect(await drafted(blobs, "ten ", "bytes! and", " more").keep()).toEqual(await kept("ten bytes!", false));
    });

    test("BLOB6 reading a missing blob or an invalid hash returns a result", async () => {
      const blobs = newBlobs();
      const outcome = await blobs.keep(bytes("one"));
      const hashes = ["", "0".repeat(64), "../a", `${outcome.type === "kept" ? outcome.hash : ""}/..`];
      for (const hash of hashes) {
        const why = expect.any(String);
        expect(await blobs.read(hash, { start: 0, end: 9 })).toEqual({ type: "none", why });
      }
    });
  });
}
