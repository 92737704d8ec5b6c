import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { curlLines, goOnText, welcomeText } from './welcome.ts'

const welcome = {
  url: 'http://127.0.0.1:8080',
  adminKey: 'a',
  key: "it's a key",
  folder: './data/demo',
  nowMs: Date.parse('2026-01-05T08:12:13Z'),
}

/** The words into which a shell splits a line. */
function shellWords(line: string): string[] {
  const script = `curl() { printf '%s\\n' "$@"; }\n${line}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n')
}

test.each([
  ['/ingests/plant/data', { D: '2026-01-05T08:12:13.000Z', T: 'my.first.tag', V: 21.5 }],
  [
    '/consumer/data/select',
    { entity: 'plant', ids: ['01PHD.OSL101.PV'], start_date: 'PT15M', end_date: '2026-01-05T08:00:00.000Z' },
  ],
  [
    '/consumer/data/average',
    {
      entity: 'plant',
      ids: ['01PHD.OSL101.PV'],
      start_date: 'PT24H',
      end_date: '2026-01-05T08:00:00.000Z',
      granularity: 'hour',
    },
  ],
  ['/consumer/data/latest', { entity: 'plant' }],
])('the curl line for %s sends the expected body', (path, body) => {
  const line = curlLines(welcome).find(([, text]) => text.includes(path))?.[1] ?? ''
  const words = shellWords(line)
  expect(words).toContain(welcome.url + path)
  expect(JSON.parse(words[words.indexOf('-d') + 1] ?? '')).toEqual(body)
})

test('the curl line for a push shows its key', () => {
  expect(shellWords(curlLines(welcome)[0]![1])).toContain("authorization: Bearer it's a key")
})

test('the curl line for metadata keeps its brackets', () => {
  const line = curlLines(welcome).find(([, text]) => text.includes('/metadata/'))?.[1] ?? ''
  expect(shellWords(line)).toContain(`${welcome.url}/consumer/metadata/tags?tag[bw]=01PHD`)
})

test('the welcome text contains the address, the keys and six curl lines', () => {
  const text = welcomeText(welcome)
  for (const part of [welcome.url, welcome.key, welcome.folder, 'access.consumption=public'])
    expect(text).toContain(part)
  expect(text.match(/^curl /gm)).toHaveLength(6)
})

test('after --once the text says that the demo has ended and how to continue it', () => {
  const text = goOnText({ port: 9000, data: './my demo' })
  expect(text).toContain('The demo has ended')
  expect(text).toContain("  tidemark demo --port 9000 --data './my demo'\n")
  expect(text).toContain("npm run demo -- --port 9000 --data './my demo'\n")
  expect(goOnText({ port: 8080, data: './data/demo' })).toMatch(/^ {2}tidemark demo$/m)
})
