// The only file that knows the protocol's package. What is asked by it is a call of a tool.

import type { Readable, Writable } from 'node:stream'
import { createMcpHandler, type McpServerFactory, Server } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { packageVersion } from '../lib/own-package.ts'
import { type CallParts, callTool } from './call-tool.ts'
import { instructions, tools } from './tools.ts'

/** As the protocol lists them. */
const listed = tools.map(({ name, title, description, inputSchema }) => {
  const schema: { readonly type: 'object' } = JSON.parse(JSON.stringify(inputSchema))
  return { name, title, description, inputSchema: schema, annotations: { readOnlyHint: true, openWorldHint: false } }
})

function serverOf(parts: CallParts): McpServerFactory {
  return () => {
    const server = new Server(
      { name: 'tidemark', title: 'Tidemark', version: packageVersion },
      { capabilities: { tools: {} }, instructions },
    )
    server.setRequestHandler('tools/list', () => ({ tools: listed }))
    server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
      callTool(params.name, params.arguments, mcpReq.signal, parts),
    )
    return server
  }
}

/** Answers one message of the protocol, which came by HTTP. Nothing is kept between messages. */
export function answerMessage(request: Request, message: unknown, parts: CallParts): Promise<Response> {
  // Without subscriptions every answer has an end: no tool ever changes.
  const handler = createMcpHandler(serverOf(parts), { maxSubscriptions: 0, keepAliveMs: 0 })
  return handler.fetch(request, { parsedBody: message })
}

/** Answers messages line by line until the input ends. */
export async function answerLines(input: Readable, output: Writable, parts: CallParts): Promise<void> {
  const ended = new Promise<void>((resolve) => input.once('close', resolve).once('end', resolve))
  const served = serveStdio(serverOf(parts), {
    transport: new StdioServerTransport(input, output),
    maxSubscriptions: 0,
  })
  await ended
  await served.close()
}
