import { Writable } from 'node:stream'
import type { Command } from 'commander'
import { messageOf } from '../lib/message-of.ts'
import type { CallParts } from '../mcp/call-tool.ts'
import { type CliContext, connect } from './context.ts'

const help = `
An assistant starts the command itself: its configuration names it, with the address of the service and a key in the environment.
The tools only read, with the rights of the key. A service also answers assistants at its own address, at /mcp.

Example, as Claude Desktop and Cursor have it:
  {"mcpServers": {"tidemark": {"command": "tidemark", "args": ["mcp"],
    "env": {"TIDEMARK_URL": "http://127.0.0.1:8080", "TIDEMARK_KEY": "..."}}}}
`

/** `tidemark mcp`: serves an assistant over standard input until it ends. */
export function addMcp(program: Command, context: CliContext): void {
  program
    .command('mcp')
    .description('answer an assistant over standard input and output (Model Context Protocol)')
    .addHelpText('after', help)
    .action(async (_options: object, command: Command) => {
      const options = command.optsWithGlobals()
      // Reports an invalid address immediately.
      connect(context, options)
      // Loaded here, since no other command needs it.
      const { answerLines } = await import('../mcp/assistant-server.ts')
      const parts: CallParts = {
        reading: (signal) => connect(context, options, (address, init) => fetch(address, { ...init, signal })),
        nowMs: context.nowMs,
        failure: messageOf,
      }
      await answerLines(context.stdin, outputOf(context), parts, (error) => {
        context.stderr.write(`not a message of the protocol: ${messageOf(error)}\n`)
      })
    })
}

function outputOf({ stdout }: CliContext): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (stdout.write(chunk)) done()
      else stdout.once('drain', () => done())
    },
  })
}
