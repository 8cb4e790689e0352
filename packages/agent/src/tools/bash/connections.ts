/** Collects the connections of a command, merged by host, for its result. */

import type { NetworkConnection } from "../../ports.ts";

/** A command may connect to any number of hosts. */
const MOST_HOSTS = 50;
const MOST_NAMED = 5;

export class Connections {
  readonly #byHost = new Map<string, NetworkConnection>();
  #left = 0;

  add(connection: NetworkConnection): void {
    const { host, port, outcome } = connection;
    const key = `${outcome} ${host}:${port}`;
    const before = this.#byHost.get(key);
    if (!before && this.#byHost.size >= MOST_HOSTS) {
      this.#left += 1;
      return;
    }
    this.#byHost.set(key, {
      ...connection,
      sentBytes: connection.sentBytes + (before?.sentBytes ?? 0),
      receivedBytes: connection.receivedBytes + (before?.receivedBytes ?? 0),
    });
  }

  /** Each host once for each outcome; the first fifty. */
  get all(): readonly NetworkConnection[] {
    return [...this.#byHost.values()];
  }

  /** For the model: which hosts were refused, and why. Null where none was. */
  note(): string | null {
    const refused = new Map(this.all.flatMap(({ host, outcome, why }) => (outcome === "refused" ? [[host, why]] : [])));
    if (refused.size === 0) return null;
    const lines = [...refused].slice(0, MOST_NAMED).map(([host, why]) => `network: ${host} was refused${reason(why)}`);
    const more = refused.size - lines.length + this.#left;
    return [...lines, ...(more > 0 ? [`network: ${more} more were refused`] : [])].join("\n");
  }
}

function reason(why: string | undefined): string {
  return why === undefined ? "" : `: ${why}`;
}
