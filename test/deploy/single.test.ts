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

test('the environment sets what the service knows', () => {
  const settings = loadSettings({ flags: {}, environment, file: null })
  expect(settings).toMatchObject({
    data: '/var/lib/tidemark',
    access: { consumption: 'key' },
    server: { trustProxy: ['loopback'] },
  })
})

test('glibc keeps as little in the image as on one machine', () => {
  const kept = Object.entries(environment).filter(([name]) => name.startsWith('MALLOC_'))
  expect(kept.length).toBeGreaterThan(0)
  expect(readFileSync('deploy/Dockerfile', 'utf8')).toContain(`ENV ${kept.map((pair) => pair.join('=')).join(' ')}\n`)
})

test('the unit keeps the data where the environment says', () => {
  expect(read('tidemark.service')).toContain('StateDirectory=tidemark\n')
  expect(environment['TIDEMARK_DATA']).toBe('/var/lib/tidemark')
})

test('a stop gets longer than the service takes', () => {
  const { server } = loadSettings({ flags: {}, environment, file: null })
  const seconds = Number(read('tidemark.service').match(/^TimeoutStopSec=(\d+)$/m)?.[1])
  expect(seconds * 1000).toBeGreaterThan(server.shutdownMs)
})

test.each(['nginx.conf', 'Caddyfile'])('%s leads to the port of the environment', (name) => {
  expect(read(name)).toContain(`127.0.0.1:${environment['TIDEMARK_PORT']}`)
})
