// Lets the tabs of a browser know of each other.

const REPLY_MS = 200;

type Message = "who is visible" | "I am";

const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("troika.tabs");
const isVisible = () => document.visibilityState === "visible";
let heard = false;

if (channel) {
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data === "I am") heard = true;
    else if (isVisible()) channel.postMessage("I am" satisfies Message);
  };
}

/** Whether this tab or another one is visible. */
export async function isAnyTabVisible(): Promise<boolean> {
  if (isVisible()) return true;
  if (!channel) return false;
  heard = false;
  channel.postMessage("who is visible" satisfies Message);
  await new Promise((done) => setTimeout(done, REPLY_MS));
  return heard || isVisible();
}
