/** Runs the HTTP API of a server in a process of its own, for `pnpm bench hosted`. The worker is another process. */

import { randomBytes } from "node:crypto";
import { createServer } from "@pith/server";

export interface LiveServerOptions {
  readonly connectionString: string;
}

// The options are the first argument. The bench learns the address, and this process ends with it.
if (import.meta.main) {
  const { connectionString } = JSON.parse(process.argv[2] ?? "") as LiveServerOptions;
  const server = await createServer({
    ...{ databaseUrl: connectionString, folder: "/nonexistent", worker: false, http: { log: false } },
    encryptionKeys: [randomBytes(32).toString("base64")],
    onError: (error) => void process.stderr.write(`${String(error)}\n`),
  });
  process.send?.(await server.listen({ port: 0 }));
  process.once("disconnect", () => process.exit());
}
