/** Serves the events of sessions over HTTP in a process of its own, for `pnpm bench hosted`. To measure another API, replace `startLiveServer` of `measure-live.ts`. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  connect,
  type Database,
  type LiveFeed,
  openLiveFeed,
  openSession,
  parseLastEventId,
  streamEvents,
} from "@pith/server";

export interface LiveServerOptions {
  readonly connectionString: string;
}

/** The path is the tenant and the id of a session. */
async function serveEvents(
  request: IncomingMessage,
  response: ServerResponse,
  { database, feed }: { readonly database: Database; readonly feed: LiveFeed },
): Promise<void> {
  const [, tenant = "", id = ""] = (request.url ?? "").split("/");
  const store = await openSession(database, tenant, { id, mode: "read" });
  if (!store) return void response.writeHead(404).end();
  const after = parseLastEventId(request.headers["last-event-id"]);
  await streamEvents(response, { follow: (signal) => feed.follow(store.session, { after, signal }) });
}

// The options are the first argument. The bench learns the address, and when this process ends with it.
if (import.meta.main) {
  const { connectionString } = JSON.parse(process.argv[2] ?? "") as LiveServerOptions;
  const database = connect({ connectionString });
  const onError = (error: unknown): void => void process.stderr.write(`${String(error)}\n`);
  const feed = await openLiveFeed({ connectionString, database, onError });
  const server = createServer(
    (request, response) => void serveEvents(request, response, { database, feed }).catch(onError),
  );
  server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  process.once("disconnect", () => process.exit());
}
