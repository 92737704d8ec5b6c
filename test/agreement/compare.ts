// Whether two answers are the same: names, types and order of columns, rows, doubles but for their last digits, and rows in no order of their own.
import type { Asked, Query } from './world.ts'

/** How doubles may differ: Java's sums and functions end in other last digits. */
const relative = 1e-9

/** What sets two answers apart; null where nothing does. */
export function differenceOf(query: Query, embedded: Asked, druid: Asked): string | null {
  if (embedded.status >= 500 || druid.status >= 500) return `status ${embedded.status} and ${druid.status}`
  if (embedded.status !== druid.status) return `status ${embedded.status} and ${druid.status}`
  if (embedded.status !== 200) return null
  return query.kind === 'sql'
    ? tableDifference(query.text, embedded.text, druid.text)
    : isAlike(exact(withoutSegments(embedded.text)), exact(withoutSegments(druid.text)))
      ? null
      : 'answers'
}

/** Segments have names of their own here, and none on a cluster. */
function withoutSegments(json: string): string {
  return json
    .replace(/\{"segmentId":(?:"[^"]*"|null)/g, '{"segmentId":null')
    .replace(/\{"id":"[^"]*","intervals"/g, '{"id":null,"intervals"')
}

/** Whole numbers of more digits than a double holds are kept as texts, on both sides. */
function exact(json: string): unknown {
  const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g
  return JSON.parse(json.replace(tokens, (token) => (/^-?\d{16,}$/.test(token) ? `"${token}"` : token)))
}

type Row = Readonly<Record<string, unknown>>

function tableDifference(text: string, embedded: string, druid: string): string | null {
  const [ours, theirs] = [exact(embedded) as Row[], exact(druid) as Row[]]
  if (ours.length !== theirs.length) return `${ours.length} rows and ${theirs.length}`
  if (ours.length === 0) return null
  const names = [Object.keys(ours[0]!), Object.keys(theirs[0]!)]
  if (names[0]!.join('\0') !== names[1]!.join('\0')) return `columns ${names[0]!.join()} and ${names[1]!.join()}`
  const ordered = / ORDER BY (\w+)[^()]*$/.exec(text)?.[1]
  if (ordered !== undefined) {
    const name = /^\d+$/.test(ordered) ? names[0]![Number(ordered) - 1]! : ordered
    if (ours.some((row, index) => !isAlike(row[name], theirs[index]![name]))) return `order by ${name}`
  }
  const left = theirs.map((row) => row)
  for (const row of sorted(ours)) {
    const place = left.findIndex((other) => isAlike(row, other))
    if (place < 0) return 'rows'
    left.splice(place, 1)
  }
  return null
}

function sorted(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

function isAlike(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') {
    return a === b || Math.abs(a - b) <= relative * Math.max(Math.abs(a), Math.abs(b), 1e-3)
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((one, index) => isAlike(one, b[index]))
  }
  if (a !== null && b !== null && typeof a === 'object' && typeof b === 'object') {
    const [names, others] = [Object.keys(a), Object.keys(b)]
    return (
      names.length === others.length && names.every((name) => name in b && isAlike((a as Row)[name], (b as Row)[name]))
    )
  }
  return a === b
}
