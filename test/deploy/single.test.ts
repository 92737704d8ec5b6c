// deploy/single without installing it: everything that the files name exists.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadSettings } from '../../src/config/load.ts'

const read = (name: string): string => readFileSync(`deploy/single/${name}`, 'utf8')

const environment = Object.fromEntries(
  read('environment')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => line.split(/=(.*)/s).slice(0, 2)),
)

test('the environment file contains valid settings', () => {
  const settings = loadSettings({ flags: {}, environment, file: null })
  expect(settings).toMatchObject({
    data: '/var/lib/tidemark',
    access: { consumption: 'key' },
    server: { trustProxy: ['loopback'] },
  })
})

test("the image sets the same limits of glibc's malloc as the environment file", () => {
  const kept = Object.entries(environment).filter(([name]) => name.startsWith('MALLOC_'))
  expect(kept.length).toBeGreaterThan(0)
  expect(readFileSync('deploy/Dockerfile', 'utf8')).toContain(`ENV ${kept.map((pair) => pair.join('=')).join(' ')}\n`)
})

test('the systemd unit and the environment file use the same data folder', () => {
  expect(read('tidemark.service')).toContain('StateDirectory=tidemark\n')
  expect(environment['TIDEMARK_DATA']).toBe('/var/lib/tidemark')
})

test('the systemd unit allows more time for a stop than server.shutdownMs', () => {
  const { server } = loadSettings({ flags: {}, environment, file: null })
  const seconds = Number(read('tidemark.service').match(/^TimeoutStopSec=(\d+)$/m)?.[1])
  expect(seconds * 1000).toBeGreaterThan(server.shutdownMs)
})

test.each(['nginx.conf', 'Caddyfile'])('%s proxies to the port of the environment file', (name) => {
  expect(read(name)).toContain(`127.0.0.1:${environment['TIDEMARK_PORT']}`)
})
