// Generates a program for the same push, ready to copy. The key is not in it: programs read it from TIDEMARK_KEY.
import { delimiterName } from '../../../../src/file-push/csv-writing.ts'
import type { Field } from '../../../../src/model/field.ts'
import type { LinePrecision } from '../../../../src/model/line-format.ts'
import { type Columns, mappingOf, ownNames, usualWritten, type Written } from './columns.ts'

export const languages = ['curl', 'javascript', 'python', 'tidemark'] as const
export type Language = (typeof languages)[number]

export interface ShownPush {
  /** The address of the service. */
  readonly url: string
  readonly alias: string
  /** Rows as JSON, or lines of line protocol. */
  readonly rows: readonly string[]
  /** The file that the rows are from; null if they were typed. */
  readonly fileName: string | null
  readonly columns: Columns | null
  /** The ingest's fields; omitted if no columns were chosen. */
  readonly fields?: readonly Pick<Field, 'source' | 'type'>[]
  /** Whether unknown columns become new fields. */
  readonly isOpen?: boolean
  /** The unit of the times of line protocol; omitted or null for JSON. */
  readonly precision?: LinePrecision | null
}

/** The request that a program sends. */
interface Sent {
  readonly address: string
  readonly mediaType: string
  readonly isJson: boolean
}

function sentOf({ url, alias, precision = null }: ShownPush): Sent {
  if (precision === null) {
    const address = `${url}/ingests/${encodeURIComponent(alias)}/data`
    return { address, mediaType: 'application/json', isJson: true }
  }
  const address = `${url}/write?${new URLSearchParams({ db: alias, precision })}`
  return { address, mediaType: 'text/plain', isJson: false }
}

const inShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const listed = (rows: readonly string[], indent: string): string =>
  `[\n${rows.map((row) => `${indent}${row}`).join(',\n')}\n]`
const bodyOf = (rows: readonly string[], { isJson }: Sent): string => (isJson ? listed(rows, '  ') : rows.join('\n'))

function curlOf(push: ShownPush): string {
  const sent = sentOf(push)
  return [
    `curl ${inShell(sent.address)} \\`,
    `  -H "Authorization: Bearer $TIDEMARK_KEY" \\`,
    `  -H 'Content-Type: ${sent.mediaType}' \\`,
    `  --data-binary ${inShell(bodyOf(push.rows, sent))}`,
  ].join('\n')
}

/** A template literal, since numbers in JavaScript have at most 16 digits. */
const inTemplate = (text: string): string => `\`${text.replace(/[\\`]|\$(?=\{)/g, '\\$&')}\``

function javascriptOf(push: ShownPush): string {
  const sent = sentOf(push)
  return `const rows = ${inTemplate(bodyOf(push.rows, sent))}

const answer = await fetch(${JSON.stringify(sent.address)}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.TIDEMARK_KEY}\`,
    'Content-Type': '${sent.mediaType}',
    // The same push may be sent again under the same key: it is stored once.
    'Idempotency-Key': crypto.randomUUID(),
  },
  body: rows,
})
if (!answer.ok) throw new Error(await answer.text())
console.log(${sent.isJson ? 'await answer.json()' : "answer.headers.get('tidemark-batch')"})`
}

const pythonWords = new Map([
  ['true', 'True'],
  ['false', 'False'],
  ['null', 'None'],
])

/** Converts JSON to Python syntax: other constants, and unescaped slashes. */
function pythonValue(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|true|false|null/gs, (found) =>
    found.startsWith('"')
      ? found.replace(/\\(.)/gs, (written, mark) => (mark === '/' ? '/' : written))
      : pythonWords.get(found)!,
  )
}

function pythonOf(push: ShownPush): string {
  const sent = sentOf(push)
  const rows = sent.isJson ? listed(push.rows.map(pythonValue), '    ') : JSON.stringify(push.rows.join('\n'))
  return `import ${sent.isJson ? 'json, ' : ''}os, urllib.request, uuid

rows = ${rows}

request = urllib.request.Request(
    ${JSON.stringify(sent.address)},
    data=${sent.isJson ? 'json.dumps(rows)' : 'rows'}.encode(),
    headers={
        "Authorization": "Bearer " + os.environ["TIDEMARK_KEY"],
        "Content-Type": "${sent.mediaType}",
        # The same push may be sent again under the same key: it is stored once.
        "Idempotency-Key": str(uuid.uuid4()),
    },
)
with urllib.request.urlopen(request) as answer:
    print(${sent.isJson ? 'json.load(answer)' : 'answer.headers["Tidemark-Batch"]'})`
}

/** One option with comma-separated pairs. Names that contain equals signs cannot be expressed in it. */
function option(name: string, words: readonly string[]): string {
  const list = words.map((word) => word.replaceAll(',', '\\,')).join(',')
  return words.length === 0 ? '' : ` \\\n  --${name} ${inShell(list)}`
}

function writtenOptions({ delimiter, lines, decimal, timeFormat, timeZone, ambiguous }: Written): string {
  const given: readonly (readonly [name: string, value: string, usual: string])[] = [
    ['delimiter', delimiterName(delimiter), ','],
    ['header-line', String(lines.headerLine ?? ''), ''],
    ['skip-lines', String(lines.skipLines), '0'],
    ['comment', lines.comment, ''],
    ['decimal', decimal, 'point'],
    ['time-format', timeFormat, ''],
    ['time-zone', timeZone, ''],
    ['ambiguous', ambiguous ?? '', ''],
  ]
  return given
    .filter(([, value, usual]) => value !== usual)
    .map(([name, value]) => ` \\\n  --${name} ${inShell(value)}`)
    .join('')
}

/** Whether `--as-is` is needed: the command refuses columns that are not fields of the ingest. */
function pushesStrangers({ columns, fields, isOpen = false }: ShownPush): boolean {
  if (columns === null || fields === undefined || isOpen) return false
  const known = new Set(fields.map(({ source }) => source))
  return [...columns.become.values(), ...columns.constants.keys()].some((to) => to !== null && !known.has(to))
}

function commandOf(shown: ShownPush): string {
  const { url, alias, fileName, columns, rows, fields = [], precision = null } = shown
  const push = (file: string): string => `tidemark push ${inShell(alias)} ${file} \\\n  --url ${inShell(url)}`
  // In some shells echo interprets the backslashes in JSON.
  if (fileName === null) return `printf '%s\\n' ${inShell(rows.join('\n'))} |\n  ${push('-')} --format ndjson`
  // Ignores patterns here, because one that is still being typed may be invalid.
  const mapping = mappingOf({ ...(columns ?? ownNames([])), written: usualWritten }, fields)
  const pairs = (of: Iterable<readonly [string, string]>): string[] => [...of].map(([name, to]) => `${name}=${to}`)
  return (
    push(inShell(fileName)) +
    option('map', pairs(mapping.columns)) +
    option('time', mapping.dateAndTime ? [mapping.dateAndTime.join('+')] : []) +
    option('set', pairs(mapping.constants)) +
    option('drop', [...mapping.dropped]) +
    (columns === null ? '' : writtenOptions(columns.written)) +
    (precision === null ? '' : ` \\\n  --format lp --precision ${precision}`) +
    (pushesStrangers(shown) ? ' \\\n  --as-is' : '')
  )
}

const writers: Readonly<{ [language in Language]: (push: ShownPush) => string }> = {
  curl: curlOf,
  javascript: javascriptOf,
  python: pythonOf,
  tidemark: commandOf,
}

export const programOf = (language: Language, push: ShownPush): string => writers[language](push)
