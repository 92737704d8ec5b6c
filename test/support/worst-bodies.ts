// Pushes that cost their validator as much as possible. Each is within the limits, so each is acknowledged.
import { gzipSync } from 'node:zlib'
import { makeIngest } from './api.ts'
import { adminKey } from './server-process.ts'

export interface WorstBody {
  readonly name: string
  readonly alias: 'narrow' | 'wide'
  readonly type: 'application/json' | 'application/x-ndjson'
  /** The text of a body of about `bytes` bytes, with at most `rowsMax` rows. */
  readonly text: (bytes: number, rowsMax: number) => string
}

const wideFields = 200
const day = (row: number): string => new Date(Date.UTC(1990, 0, 1) + row * 86_400_000).toISOString()
const date = '2026-01-01T00:00:00Z'

/** An array with as many rows as fit. */
function rows(row: (index: number) => string): WorstBody['text'] {
  return (bytes, rowsMax) => {
    const texts: string[] = []
    for (let index = 0, left = bytes; index < rowsMax && left > 0; index++) {
      const text = row(index)
      texts.push(text)
      left -= text.length + 1
    }
    return `[${texts.join()}]`
  }
}

const json: Readonly<Record<string, WorstBody['text']>> = {
  'numbers where rows belong': rows(() => '1'),
  'empty rows': rows(() => '{}'),
  'rows with a date alone': rows(() => `{"D":"${date}"}`),
  'each row a new tag': rows((row) => `{"D":"${date}","T":"t${row}","V":1}`),
  'each row a new long tag': rows((row) => `{"D":"${date}","T":"${'t'.repeat(500)}${row}","V":1}`),
  'each row a new day, backwards': rows((row) => `{"D":"${day(12_000 - (row % 12_000))}","T":"t","V":${row}}`),
  'one item again and again': rows((row) => `{"D":"${date}","T":"t","V":${row}}`),
  'long texts': rows((row) => `{"D":"${date}","T":"t","s":"${row} ${'x'.repeat(900_000)}"}`),
  'rows that are too long': rows((row) => `{"D":"${date}","T":"t","s":"${row} ${'x'.repeat(4_000_000)}"}`),
  'one row for all': (bytes) => `[{"D":"${date}","T":"t","s":"${'x'.repeat(bytes)}"}]`,
  'texts of escapes': rows((row) => `{"D":"${date}","T":"t","s":"${'\\u0041'.repeat(10_000)}${row}"}`),
  'numbers of many digits': rows((row) => `{"D":"${date}","T":"t","V":${row}.${'3'.repeat(10_000)}}`),
  'unknown fields': rows((row) => `{${Array.from({ length: 500 }, (_, at) => `"u${row}-${at}":${at}`).join()}}`),
  'one field again and again': rows((row) => `{"D":"${date}","T":"t"${`,"V":${row}`.repeat(5000)}}`),
  'deep values': rows(() => `{"D":"${date}","T":"t","s":${'['.repeat(60)}${']'.repeat(60)}}`),
  'spaces between rows': rows((row) => `${' '.repeat(10_000)}{"D":"${date}","T":"t","V":${row}}`),
}

export const worstBodies: readonly WorstBody[] = [
  ...Object.entries(json).map(([name, text]): WorstBody => ({ name, alias: 'narrow', type: 'application/json', text })),
  { name: 'empty rows of many fields', alias: 'wide', type: 'application/json', text: rows(() => '{}') },
  {
    name: 'rows of many fields',
    alias: 'wide',
    type: 'application/json',
    text: rows((row) => `{"D":"${date}","T":"t${row % 10}","m${row % wideFields}":1}`),
  },
  {
    name: 'empty lines',
    alias: 'narrow',
    type: 'application/x-ndjson',
    text: (bytes) => `${'\n'.repeat(bytes)}{"D":"${date}","T":"t","V":1}`,
  },
]

/** Creates the ingests; resolves with their keys by alias. */
export async function makeNarrowAndWide(url: string): Promise<Readonly<Record<WorstBody['alias'], string>>> {
  const fields = [
    { name: 'D', type: 'timestamp', role: 'time' },
    { name: 'T', type: 'string', role: 'tag' },
    { name: 'V', type: 'double', role: 'metric' },
  ]
  const metrics = Array.from({ length: wideFields }, (_, at) => ({ name: `m${at}`, type: 'double', role: 'metric' }))
  const narrow = [...fields, { name: 's', type: 'string', role: 'dimension' }]
  return {
    narrow: await makeIngest(url, adminKey, { alias: 'narrow', fields: narrow }),
    wide: await makeIngest(url, adminKey, { alias: 'wide', fields: [...fields, ...metrics] }),
  }
}

const retryMs = 100

/** Pushes a compressed body, and retries while the service has no capacity; resolves with its number of rows. */
export async function pushWorst(url: string, key: string, body: WorstBody, packed: Uint8Array): Promise<number> {
  for (;;) {
    const response = await fetch(`${url}/ingests/${body.alias}/data`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': body.type, 'content-encoding': 'gzip' },
      body: packed,
    })
    const answer = (await response.json()) as { readonly rows: number }
    if (response.status === 200) return answer.rows
    if (response.status !== 503) throw new Error(`"${body.name}": ${response.status} ${JSON.stringify(answer)}`)
    await new Promise((resolve) => setTimeout(resolve, retryMs))
  }
}

export function packed(body: WorstBody, bytes: number, rowsMax: number): Uint8Array {
  return gzipSync(body.text(bytes, rowsMax), { level: 1 })
}
