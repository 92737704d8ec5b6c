// The only file that uses the protocol's package. Requests become calls of tools.

import { once } from 'node:events'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { createMcpHandler, type McpServerFactory, Server } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { packageVersion } from '../lib/own-package.ts'
import { type CallParts, callTool } from './call-tool.ts'
import { instructions, tools } from './tools.ts'

/** The tools in the form of the protocol. */
const listed = tools.map(({ name, title, description, inputSchema }) => {
  const schema: { readonly type: 'object' } = JSON.parse(JSON.stringify(inputSchema))
  return { name, title, description, inputSchema: schema, annotations: { readOnlyHint: true, openWorldHint: false } }
})

function serverOf(
  parts: CallParts,
  answering: <Answer>(answer: Promise<Answer>) => Promise<Answer> = (answer) => answer,
): McpServerFactory {
  return () => {
    const server = new Server(
      { name: 'tidemark', title: 'Tidemark', version: packageVersion },
      { capabilities: { tools: {} }, instructions },
    )
    server.setRequestHandler('tools/list', () => ({ tools: listed }))
    server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
      answering(callTool(params.name, params.arguments, mcpReq.signal, parts)),
    )
    return server
  }
}

/** Responds to one message of the protocol received over HTTP. Stateless. */
export function answerMessage(request: Request, message: unknown, parts: CallParts): Promise<Response> {
  // Tools never change, so there are no subscriptions, and every response ends.
  const handler = createMcpHandler(serverOf(parts), { maxSubscriptions: 0, keepAliveMs: 0 })
  return handler.fetch(request, { parsedBody: message })
}

/**
 * Responds to messages line by line. When the input ends, requests received before are still completed; the package alone would drop them. `reject` is
 * called for lines that are not messages.
 */
export async function answerLines(
  input: Readable,
  output: Writable,
  parts: CallParts,
  reject: (error: Error) => void,
): Promise<void> {
  const answers = new Set<Promise<unknown>>()
  const answering = <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    answers.add(answer)
    return answer.finally(() => answers.delete(answer))
  }
  const lines = new PassThrough()
  const served = serveStdio(serverOf(parts, answering), {
    transport: new StdioServerTransport(lines, output),
    maxSubscriptions: 0,
    onerror: reject,
  })
  for await (const chunk of input) if (!lines.write(chunk)) await once(lines, 'drain')
  // The last lines are read, and the last responses written, within one turn of the event loop.
  do {
    await Promise.allSettled(answers)
    await setImmediate()
  } while (answers.size > 0)
  await served.close()
}
