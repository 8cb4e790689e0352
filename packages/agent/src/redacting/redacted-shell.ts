/** A shell whose output has no secrets: redacted as it comes, before any of it is shown, cut or kept. */

import type { Secrets } from "../secrets.ts";
import type { WorkspaceShell } from "../workspace.ts";
import { byteStream } from "./byte-stream.ts";

export function redactedShell(shell: WorkspaceShell, secrets: Pick<Secrets, "stream">): WorkspaceShell {
  return {
    run: async (command, { output, ...act }) => {
      const stream = byteStream(secrets);
      const pass = (bytes: Uint8Array): void => {
        if (bytes.length > 0) output(bytes);
      };
      try {
        return await shell.run(command, { ...act, output: (chunk) => pass(stream.write(chunk)) });
      } finally {
        pass(stream.end());
      }
    },
  };
}
