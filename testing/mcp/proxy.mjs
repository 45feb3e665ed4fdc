// proxy.mjs: passes requests on to the server with its token, for clients that
// can't send one. Prints its port. Hosts and origins that name the proxy become
// the server's; others arrive as they are.
import http from 'node:http';

import { world } from './clients.mjs';

const server = new URL(world.url);

const proxy = http.createServer((request, response) => {
  const headers = { ...request.headers,
                    authorization: `Bearer ${world.token}` };
  for (const name of ['host', 'origin']) {
    if (headers[name]?.endsWith(`127.0.0.1:${proxy.address().port}`)) {
      headers[name] = headers[name].replace(/\d+$/, server.port);
    }
  }
  const passed = http.request({
    host: server.hostname, port: server.port, path: request.url,
    method: request.method, headers,
  }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  passed.on('error', () => response.destroy());
  response.on('close', () => passed.destroy());
  request.pipe(passed);
});
proxy.listen(0, '127.0.0.1', () => console.log(proxy.address().port));
