// Connects the official clients of both generations, behind one interface.
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from
  '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from
  '@modelcontextprotocol/client/stdio';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from
  '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from
  '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from
  '@modelcontextprotocol/sdk/types.js';

export const MODERN = '2026-07-28';

// The kinds of clients: the package, and how the version is agreed on.
export const KINDS = {
  sdk: { version: '2025-11-25' },
  legacy: { mode: 'legacy', version: '2025-11-25' },
  auto: { mode: 'auto', version: MODERN },
  pinned: { mode: { pin: MODERN }, version: MODERN },
};

// What main.py tells about the server and `troika mcp`.
export const world = JSON.parse(process.env.TROIKA_MCP_WORLD);

function transportOf(kind, transport) {
  if (transport === 'stdio') {
    const Stdio = kind === 'sdk' ? Stdio1 : Stdio2;
    return new Stdio({
      command: world.troika, args: ['mcp', '--toolset', 'all'],
      cwd: world.folder, env: world.env, stderr: 'ignore',
    });
  }
  const Http = kind === 'sdk' ? Http1 : Http2;
  return new Http(new URL(`${world.url}?toolset=all`), {
    requestInit: { headers: { Authorization: `Bearer ${world.token}` } },
  });
}

// Connects a client. `onForm` answers forms; without it the client declares no
// elicitation. All tools are listed, so that the SDK checks results against
// their output schemas.
export async function connect({ kind, transport, onForm }) {
  const capabilities = onForm ? { elicitation: { form: {} } } : {};
  const info = { name: `test-${kind}`, version: '1' };
  const old = kind === 'sdk';
  const client = old
    ? new Client1(info, { capabilities })
    : new Client2(info, {
      capabilities, versionNegotiation: { mode: KINDS[kind].mode } });
  if (onForm) {
    client.setRequestHandler(old ? ElicitRequestSchema : 'elicitation/create',
                             (request) => onForm(request.params));
  }
  await client.connect(transportOf(kind, transport));
  const call = (name, args, options) => {
    const params = { name, arguments: args };
    return old ? client.callTool(params, CallToolResultSchema, options)
      : client.callTool(params, options);
  };
  return {
    client,
    // A client over HTTP has no folder, and must name one.
    folder: transport === 'http' ? { workingDirectory: world.folder } : {},
    tools: (await client.listTools()).tools,
    call,
    // The object of a call that must succeed.
    async use(name, args, options) {
      const result = await call(name, args, options);
      if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
      return result.structuredContent;
    },
    // The message of a call that must fail.
    async refused(name, args) {
      const result = await call(name, args);
      if (!result.isError) {
        throw new Error(`${name} took ${JSON.stringify(args)}`);
      }
      return result.content[0].text;
    },
    close: () => client.close(),
  };
}
