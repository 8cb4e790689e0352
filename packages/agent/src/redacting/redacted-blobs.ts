/** Blobs without secrets: whatever is kept beside a session passes redaction first, piece by piece. */

import type { BlobDraft, Blobs } from "../blobs.ts";
import type { Secrets } from "../secrets.ts";
import { byteStream } from "./byte-stream.ts";

export function redactedBlobs(blobs: Blobs, secrets: Pick<Secrets, "stream">): Blobs {
  return {
    keep: async (bytes) => {
      const stream = byteStream(secrets);
      return await blobs.keep(Buffer.concat([stream.write(bytes), stream.end()]));
    },
    begin: () => redactedDraft(blobs.begin(), secrets),
    read: (hash, range) => blobs.read(hash, range),
  };
}

function redactedDraft(draft: BlobDraft, secrets: Pick<Secrets, "stream">): BlobDraft {
  const stream = byteStream(secrets);
  return {
    write: (chunk) => draft.write(stream.write(chunk)),
    keep: async () => {
      draft.write(stream.end());
      return await draft.keep();
    },
    drop: () => draft.drop(),
  };
}
