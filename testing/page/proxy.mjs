// Passes requests on to a server. It can serve the page from a folder, so that a
// change of the page can be tried without a build of the server, and let streams
// hang, as a network does that is gone.
import { createReadStream, existsSync, statSync } from "node:fs";
import http from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = {
  ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".png": "image/png",
  ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json",
};
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
  "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function sendFile(folder, path, response) {
  let file = join(folder, normalize(path));
  if (!existsSync(file) || statSync(file).isDirectory()) file = join(folder, "index.html");
  response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "text/plain", "Content-Security-Policy": POLICY });
  createReadStream(file).pipe(response);
}

/**
 * `folder` may be empty: then the server's own page is served. `portOf` returns the
 * server's port, as it is now.
 */
export async function startProxy(folder, portOf) {
  const streams = new Set();
  let hangs = false;
  const proxy = http.createServer((request, response) => {
    if (folder && !request.url.startsWith("/api/")) return sendFile(folder, new URL(request.url, "http://x").pathname, response);
    const host = `127.0.0.1:${portOf()}`;
    const headers = { ...request.headers, host, ...(request.headers.origin ? { origin: `http://${host}` } : {}) };
    const passed = http.request({ host: "127.0.0.1", port: portOf(), method: request.method, path: request.url, headers }, (reply) => {
      response.writeHead(reply.statusCode, reply.headers);
      response.flushHeaders();
      reply.on("error", () => response.destroy());
      const isStream = reply.headers["content-type"]?.startsWith("text/event-stream");
      if (isStream) streams.add({ reply, response });
      if (isStream && hangs) reply.resume();
      else reply.pipe(response);
    });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
    response.on("close", () => passed.destroy());
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  proxy.unref();
  return {
    url: `http://127.0.0.1:${proxy.address().port}`,
    /** Nothing more comes on any stream. */
    hang() {
      hangs = true;
      for (const { reply, response } of streams) reply.unpipe(response).resume();
    },
    /** Streams that are opened from now on work again. */
    recover() {
      hangs = false;
    },
  };
}
