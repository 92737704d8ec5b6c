// Ctrl-C while an answer is being written to a file.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inheritedEnvironment } from '../support/inherited-environment.ts'
import { inScratchFolder } from '../support/scratch-folder.ts'
import { programPath } from '../support/server-process.ts'

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s keeps the old output file, and removes the partial one',
  async (signal) => {
    const server = createServer((_request, response) => {
      response.writeHead(200).write('D,T,V\r\n')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    await inScratchFolder('tidemark-output-', async (folder) => {
      const file = join(folder, 'rows.csv')
      writeFileSync(file, 'before')
      const words = ['query', 'select', '--entity', 'plant', '--url', url, '--output', file]
      const child = spawn(process.execPath, [programPath, ...words], { env: inheritedEnvironment(), stdio: 'ignore' })
      const ended = once(child, 'exit')
      while (readdirSync(folder).length === 1 && child.exitCode === null) await sleep(10)
      child.kill(signal)
      expect(await ended).toEqual([null, signal])
      expect(readdirSync(folder)).toEqual(['rows.csv'])
      expect(readFileSync(file, 'utf8')).toBe('before')
    })
    server.closeAllConnections()
    server.close()
  },
  60_000,
)
