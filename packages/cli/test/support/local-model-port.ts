/** Ollama's port on this machine: one test at a time may need a server there, or none. */

import { once } from "node:events";
import { createServer } from "node:net";

/** Waits until no other test, in any process, has reserved the port. Ends with the process. */
export async function reserveLocalModelPort(): Promise<{ release(): Promise<void> }> {
  for (;;) {
    const server = createServer().listen(RESERVATION_PORT, "127.0.0.1").unref();
    const isReserved = await Promise.race([
      once(server, "listening").then(() => true),
      once(server, "error").then(() => false),
    ]);
    if (isReserved) return { release: () => new Promise((resolve) => server.close(() => resolve())) };
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Beside Ollama's own. Listening there is the reservation. */
const RESERVATION_PORT = 11_433;
const PAUSE_MS = 50;
