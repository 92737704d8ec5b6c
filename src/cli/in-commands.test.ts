import { afterEach, expect, test } from 'vitest'
import { closeServices, service, tidemark } from '../../test/support/cli.ts'
import { codeOf, production } from '../../test/tidy/source-files.ts'
import { commandsOfRequests, inCommands } from './in-commands.ts'

afterEach(closeServices)

test.each([
  [
    'There is no ingest "a". GET /admin/ingests lists all ingests.',
    'There is no ingest "a". "tidemark ingests list" lists all ingests.',
  ],
  ['Look at GET /subscription, and ask.', 'Look at "tidemark subscriptions mine", and ask.'],
  ['The operator creates ingests: POST /admin/ingests.', 'The operator creates ingests: "tidemark ingests create".'],
  ['GET /admin/ingests/plant/rejected shows them.', '"tidemark rejected list plant" shows them.'],
  ['GET /admin/ingests/$&/rejected shows them.', '"tidemark rejected list $&" shows them.'],
  // Requests of other paths, and text that is not a request.
  ['GET /admin/ingests/plant', 'GET /admin/ingests/plant'],
  ['TARGET /subscription', 'TARGET /subscription'],
  ['GET /subscriptions', 'GET /subscriptions'],
])('%s', (message, reported) => {
  expect(inCommands(message)).toBe(reported)
})

/** Requests without a command. Refusals of InfluxQL name them, for InfluxDB tools, which have their own command line and use only HTTP. */
const ofOthers = new Set(['POST /consumer/data/sql-query'])

test('every request named in a message of the service has a command', () => {
  // No command speaks i3X.
  const files = production.filter((file) => !/^(src\/(client|cli|i3x)|portal)\//.test(file))
  const named = files.flatMap((file) =>
    [...codeOf(file).matchAll(/\b(?:GET|POST|PUT|PATCH|DELETE) \/[\w/${}-]*/g)].map(([text]) =>
      text.replaceAll('${', '{'),
    ),
  )
  expect(named.length).toBeGreaterThanOrEqual(commandsOfRequests.length)
  expect(named.filter((request) => !ofOthers.has(request) && inCommands(request) === request)).toEqual([])
})

/** Arguments that a command needs in addition to its words. */
const made: Readonly<Record<string, readonly string[]>> = { 'ingests create': ['plant'] }

test.each(commandsOfRequests)('%s is sent by tidemark %s', async (request, command) => {
  const { url, seen } = await service({})
  const words = command.replace(/\{\w+\}/, 'plant').split(' ')
  await tidemark(url, [...words, ...(made[command] ?? [])])
  expect(seen[0]?.split(/[?]| \{/)[0]).toBe(request.replace(/\{\w+\}/, 'plant'))
})

test('every message on standard error names commands instead of requests', async () => {
  const detail = 'There is no ingest "x". GET /admin/ingests lists all ingests.'
  const missing = (): [number, object] => [404, { code: 'ingest_not_found', detail, retryable: false }]
  const { url } = await service({
    'GET /admin/ingests/x': missing,
    'GET /ingests/x': missing,
    'POST /ingests/x/data': missing,
    'POST /ingests/x/check': missing,
  })
  for (const words of [
    ['ingests', 'show', 'x'],
    ['push', 'x', '-', '--format', 'csv'],
    ['push', 'x', '-', '--format', 'ndjson'],
    ['push', 'x', '-', '--format', 'ndjson', '--dry-run'],
  ]) {
    const { code, err } = await tidemark(url, words, words.includes('csv') ? 'D,T,V\n1,a,1\n' : '{"V":1}\n')
    expect([code, err]).toEqual([1, expect.stringContaining('"tidemark ingests list" lists all ingests.')])
    expect(err).not.toContain('/admin/ingests')
  }
})
