// The connection of a program's first request breaks before the response, as with a port that is forwarded to a service that is not running yet.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { inheritedEnvironment } from '../support/inherited-environment.ts'
import { programPath } from '../support/server-process.ts'

test.each<[how: string, breaks: (socket: Socket) => void]>([
  ['closed immediately', (socket) => socket.destroy()],
  ['ended immediately', (socket) => socket.end()],
  ['closed after a delay', (socket) => setTimeout(() => socket.destroy(), 5)],
  ['reset immediately', (socket) => socket.resetAndDestroy()],
  ['closed after the request was received', (socket) => socket.once('data', () => socket.destroy())],
])('a command reports that its connection broke: %s', async (_how, breaks) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    breaks(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const child = spawn(process.execPath, [programPath, 'entities', 'list', '--url', url], {
    env: inheritedEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [said, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  server.close()
  expect(said).toContain(`The connection to ${url} broke before its answer arrived`)
  expect(exitCode).toBe(1)
})
