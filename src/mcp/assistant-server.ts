// The only file that knows the protocol's package. What is asked by it is a call of a tool.

import { once } from 'node:events'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
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

/** Answers one message of the protocol, which came by HTTP. Nothing is kept between messages. */
export function answerMessage(request: Request, message: unknown, parts: CallParts): Promise<Response> {
  // Without subscriptions every answer has an end: no tool ever changes.
  const handler = createMcpHandler(serverOf(parts), { maxSubscriptions: 0, keepAliveMs: 0 })
  return handler.fetch(request, { parsedBody: message })
}

/**
 * Answers messages line by line. Where the input ends, what was asked before is answered; the package by itself would drop it. `reject` hears of
 * lines that are no message.
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
  // The last lines are read, and the last answers written, before their turn of the event loop ends.
  do {
    await Promise.allSettled(answers)
    await setImmediate()
  } while (answers.size > 0)
  await served.close()
}
