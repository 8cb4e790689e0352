/** Collects the connections of a command, merged by host, for its result. */

import type { NetworkConnection } from "../../ports.ts";

/** Kept for each outcome; a command may connect to any number of hosts. */
const MAX_HOSTS = 50;
const MAX_NAMED_HOSTS = 5;

export class Connections {
  readonly #allowed = new Map<string, NetworkConnection>();
  readonly #refused = new Map<string, NetworkConnection>();
  #moreRefused = 0;

  add(connection: NetworkConnection): void {
    const { host, port, outcome } = connection;
    const connections = outcome === "allowed" ? this.#allowed : this.#refused;
    const key = `${host}:${port}`;
    const previous = connections.get(key);
    if (previous || connections.size < MAX_HOSTS) connections.set(key, mergeConnections(previous, connection));
    else if (outcome === "refused") this.#moreRefused += 1;
  }

  /** Each host and port once for each outcome, as many as are kept. */
  get all(): readonly NetworkConnection[] {
    return [...this.#allowed.values(), ...this.#refused.values()];
  }

  /** For the model: which hosts were refused, and why. Null where none was. */
  refusalNote(): string | null {
    const refused = new Map([...this.#refused.values()].map(({ host, why }) => [host, why]));
    if (refused.size === 0) return null;
    const lines = [...refused].slice(0, MAX_NAMED_HOSTS).map(formatRefusal);
    const more = refused.size - lines.length + this.#moreRefused;
    return [...lines, ...(more > 0 ? [`network: ${more} more were refused`] : [])].join("\n");
  }
}

function mergeConnections(previous: NetworkConnection | undefined, connection: NetworkConnection): NetworkConnection {
  return {
    ...connection,
    sentBytes: connection.sentBytes + (previous?.sentBytes ?? 0),
    receivedBytes: connection.receivedBytes + (previous?.receivedBytes ?? 0),
  };
}

function formatRefusal([host, why]: readonly [string, string | undefined]): string {
  // Some reasons name the host themselves.
  if (why?.startsWith(`${host} `)) return `network: ${why}`;
  return `network: ${host} was refused${why === undefined ? "" : `: ${why}`}`;
}
