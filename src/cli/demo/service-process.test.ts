import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { TidemarkClient } from '../../client/client.ts'
import type { CliContext } from '../context.ts'
import { ServiceProcess } from './service-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'tidemark-demo-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('prints the output of a service that ended line by line', async () => {
  const mainPath = join(folder, 'main.mjs')
  writeFileSync(mainPath, "console.log('one line'); console.error('another\\u001b[31m'); process.exitCode = 1\n")
  const written: string[] = []
  const stderr = { isTTY: false, write: (text: string) => written.push(text) }
  const context = { mainPath, environment: {}, stderr } as unknown as CliContext
  const service = new ServiceProcess(context, { host: '127.0.0.1', port: 1, data: folder, adminKey: 'a' })
  const client = new TidemarkClient({ url: 'http://127.0.0.1:1' })
  const ready = service.ready(client, { nowMs: Date.now, sleep: (ms) => new Promise((done) => setTimeout(done, ms)) })
  await expect(ready).rejects.toThrow('The service ended (exit code 1). Its last output is above.')
  expect(written.toSorted()).toEqual(['another\\u001b[31m\n', 'one line\n'])
})
