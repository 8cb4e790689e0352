/** The ACP mode: an editor talks, in the Agent Client Protocol. Nothing but the protocol is written to the standard output. */

import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk/unstable";
import type { Wish } from "../asking/wish.ts";
import type { Terminal } from "../printing/terminal.ts";
import type { Exit } from "../work.ts";
import { editorApp } from "./editor-app.ts";
import { EditorSessions } from "./sessions/editor-sessions.ts";

/** Until the editor has left; what is under way then is stopped, and what was said is kept. */
export async function acp(wish: Wish, terminal: Terminal): Promise<Exit> {
  if (wish.words !== "" || wish.files.length > 0)
    return { code: 2, message: "in ACP mode the editor says what to do; leave the words out" };
  // What an extension prints would break the protocol.
  Object.assign(console, { log: console.error, info: console.error, debug: console.error });
  const sessions = new EditorSessions();
  const app = editorApp({ wish, sessions, note: (line) => terminal.note(`pith: ${line}`) });
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const connection = app.connect(ndJsonStream(Writable.toWeb(process.stdout), input));
  let code = 0;
  for (const [signal, own] of ENDING)
    process.once(signal, () => {
      code = own;
      connection.close();
    });
  await connection.closed;
  await sessions.closeAll();
  process.stdin.destroy();
  return { code };
}

/** As shells count: 128 and the signal's number. */
const ENDING = [
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const;
