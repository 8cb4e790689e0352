/** What is asked beside the conversation: a local server's own questions, a path nobody knows, or one nobody can read. */

import type { ServerResponse } from "node:http";
import { localAnswer } from "../local/local-answer.ts";
import type { LocalServer } from "../local/local-server.ts";
import type { Incoming } from "./arriving/incoming.ts";
import type { RequestLog } from "./request-log.ts";
import { writeJson } from "./write-json.ts";

export interface Beside {
  readonly log: RequestLog;
  readonly local: LocalServer | undefined;
}

export function aside(incoming: Incoming, response: ServerResponse, { local, log }: Beside): void {
  const { method, path, query, body, bytes } = incoming;
  const place = { path, wire: null, model: "", bytes };
  if (incoming.unreadable) {
    const { status, why } = incoming.unreadable;
    log.add({ ...place, outcome: "refused", status, why });
    writeJson(response, { status, body: { error: { type: "invalid_request_error", message: why } } });
    return;
  }
  const own = local ? localAnswer(local, { method, path: query.size > 0 ? `${path}?${query}` : path, body }) : null;
  const status = own?.status ?? 404;
  log.add({ ...place, outcome: own ? "local" : "unknown", status });
  const message = `testkit: nothing is served at ${method} ${path}`;
  writeJson(response, { status, body: own ? own.body : { error: { type: "not_found_error", message } } });
}
