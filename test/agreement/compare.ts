// Compares two answers: names, types and order of columns, and rows. The last digits of doubles may differ, and so may the order of unordered rows.
import type { Asked, Query } from './world.ts'

/** The relative difference allowed between doubles: Java's sums and functions differ in the last digits. */
const relative = 1e-9

/** Describes how two answers differ; null where they agree. */
export function differenceOf(query: Query, embedded: Asked, druid: Asked): string | null {
  if (embedded.status >= 500 || druid.status >= 500) return `status ${embedded.status} and ${druid.status}`
  if (embedded.status !== druid.status) return `status ${embedded.status} and ${druid.status}`
  if (embedded.status !== 200) return null
  return query.kind === 'sql'
    ? tableDifference(query.text, embedded.text, druid.text)
    : treeDifference(exact(withoutSegments(embedded.text)), exact(withoutSegments(druid.text)), '')
}

/** Removes segment names, which one machine invents and a cluster does not return. */
function withoutSegments(json: string): string {
  return json
    .replace(/\{"segmentId":(?:"[^"]*"|null)/g, '{"segmentId":null')
    .replace(/\{"id":"[^"]*","intervals"/g, '{"id":null,"intervals"')
}

/** Parses JSON, keeping whole numbers with more digits than a double has as texts. */
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
  const [alone, left] = unmatched(ours, theirs)
  if (alone.length === 0) return null
  for (const name of names[0]!) {
    const [mine, other] = unmatched(
      alone.map((row) => row[name]),
      left.map((row) => row[name]),
    )
    if (mine.length > 0) return `${name}: ${sortsOf(mine)} and ${sortsOf(other)}`
  }
  return 'rows: which values stand beside each other'
}

/** The values of each side without a counterpart on the other, in any order. Equal values pair first, because a value may be near two others. */
function unmatched<Value>(ours: readonly Value[], theirs: readonly Value[]): readonly [Value[], Value[]] {
  const isSame = (one: Value, other: Value): boolean => JSON.stringify(one) === JSON.stringify(other)
  const [alone, left] = without(ours, theirs, isSame)
  const sorted = alone.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  return without(sorted, left, isAlike)
}

/** The values that remain on both sides after equal ones are paired. */
function without<Value>(
  ours: readonly Value[],
  theirs: readonly Value[],
  areEqual: (one: Value, other: Value) => boolean,
): readonly [Value[], Value[]] {
  const left = [...theirs]
  const alone = ours.filter((value) => {
    const place = left.findIndex((other) => areEqual(value, other))
    if (place >= 0) left.splice(place, 1)
    return place < 0
  })
  return [alone, left]
}

/** The kinds of the values, which stay the same while a query shrinks. */
function sortsOf(values: readonly unknown[]): string {
  return [...new Set(values.map(sortOf))].toSorted().join(' or ')
}

function sortOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'list'
  return value === null ? 'null' : typeof value
}

/** The first position at which two trees differ, with the difference. */
function treeDifference(ours: unknown, theirs: unknown, path: string): string | null {
  if (isAlike(ours, theirs)) return null
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    if (ours.length !== theirs.length) return `${path}: ${ours.length} elements and ${theirs.length}`
    const place = ours.findIndex((one, index) => !isAlike(one, theirs[index]))
    return treeDifference(ours[place], theirs[place], `${path}[${place}]`)
  }
  if (sortOf(ours) === 'object' && sortOf(theirs) === 'object') {
    const [mine, other] = [ours as Row, theirs as Row]
    const name = Object.keys({ ...mine, ...other }).find((one) => !isAlike(mine[one], other[one]))!
    return treeDifference(mine[name], other[name], `${path}.${name}`)
  }
  return `${path}: ${sortOf(ours)} and ${sortOf(theirs)}`
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
