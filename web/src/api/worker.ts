// The SharedWorker that holds the stream of all tabs.
import { Hub } from "./hub";

interface SharedScope {
  onconnect: ((event: MessageEvent) => void) | null;
}

const hub = new Hub({ fetch: fetch.bind(globalThis), now: Date.now, base: "/api/v1" });

(globalThis as unknown as SharedScope).onconnect = ({ ports }) => {
  const port = ports[0];
  if (port) hub.connect(port);
};
