// The scenario language: a few lines of data, a query, the answer it must have. test/scenarios/README.md documents it.
import { type FieldRole, type FieldType, fieldTypes, seriesRoles } from '../../src/model/field.ts'
import type { Duplicates } from '../../src/model/ingest.ts'
import { parseInstant } from '../../src/model/instant.ts'
import type { QueryKind } from '../../src/model/query-kind.ts'
import { queryRequests } from '../../src/query/requests.ts'

export interface ScenarioField {
  readonly name: string
  readonly type: FieldType
  readonly role: FieldRole
}

/** A table's header and rows; cells are kept as written. */
export interface Table {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** State that exists before a query runs. */
export type Given =
  | {
      readonly kind: 'entity'
      readonly name: string
      readonly fields: readonly ScenarioField[]
      readonly duplicates: Duplicates
    }
  | { readonly kind: 'push'; readonly entity: string; readonly table: Table }
  | { readonly kind: 'now'; readonly ms: number }
  | { readonly kind: 'limits'; readonly limits: Readonly<Record<string, number>> }

export type ScenarioQuery =
  | { readonly kind: 'query'; readonly query: QueryKind; readonly request: Readonly<Record<string, unknown>> }
  | { readonly kind: 'entities' }

type Expected =
  | { readonly kind: 'table'; readonly table: Table }
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'error'
      readonly status: number
      readonly code: string
      readonly path: string | null
      readonly words: readonly string[]
    }

/** One query of a scenario, with everything given above it. */
export interface Check {
  readonly title: string
  readonly given: readonly Given[]
  readonly asked: ScenarioQuery
  readonly expected: Expected
}

interface Block {
  readonly line: number
  readonly head: string
  readonly body: readonly string[]
}

export function parseScenario(text: string): Check[] {
  const given: Given[] = []
  const checks: Check[] = []
  for (const block of blocksOf(text)) {
    try {
      const statement = readStatement(block)
      if ('expected' in statement) checks.push({ ...statement, given: [...given] })
      else given.push(statement)
    } catch (error) {
      throw new Error(`line ${block.line}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return checks
}

/** An unindented line, with the indented lines below it. */
function blocksOf(text: string): Block[] {
  const blocks: { line: number; head: string; body: string[] }[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const words = line.trim()
    if (words === '' || words.startsWith('#')) continue
    const block = blocks.at(-1)
    if (!line.startsWith(' ')) blocks.push({ line: index + 1, head: words, body: [] })
    else if (block === undefined) throw new Error(`line ${index + 1}: indented, with nothing above it`)
    else block.body.push(words)
  }
  return blocks
}

function readStatement(block: Block): Given | Omit<Check, 'given'> {
  const [verb = '', ...words] = cellsOf(block.head)
  const [name = ''] = words
  switch (verb) {
    case 'entity':
      return { kind: 'entity', name, fields: block.body.map(readField), duplicates: readDuplicates(words[1]) }
    case 'push':
      return { kind: 'push', entity: name, table: readTable(block.body) }
    case 'now':
      return { kind: 'now', ms: instantOf(name) }
    case 'limits':
      return { kind: 'limits', limits: Object.fromEntries(words.map(readLimit)) }
    case 'entities':
      return { title: `line ${block.line}: entities`, asked: { kind: 'entities' }, expected: readExpected(block.body) }
    default:
      return readQuery(verb, words, block)
  }
}

function readQuery(verb: string, words: readonly string[], block: Block): Omit<Check, 'given'> {
  if (!isQueryKind(verb)) throw new Error(`"${verb}" is no statement`)
  const [entity = '', ...options] = words
  const request = { entity, ...Object.fromEntries(options.map(readOption)) }
  return {
    title: `line ${block.line}: ${block.head}`,
    asked: { kind: 'query', query: verb, request },
    expected: readExpected(block.body),
  }
}

function isQueryKind(verb: string): verb is QueryKind {
  return Object.hasOwn(queryRequests, verb)
}

function readField(line: string): ScenarioField {
  const [name = '', typeName, roleName] = cellsOf(line)
  const type = fieldTypes.find((candidate) => candidate === typeName)
  const role = seriesRoles.find((candidate) => candidate === roleName)
  if (type === undefined || role === undefined) throw new Error(`a field is "name type role", not "${line}"`)
  return { name, type, role }
}

function readDuplicates(word = 'duplicates=keep'): Duplicates {
  if (word === 'duplicates=keep') return 'keep'
  if (word === 'duplicates=replace') return 'replace'
  throw new Error(`"${word}" says nothing of an entity`)
}

function readTable([header, ...rows]: readonly string[]): Table {
  if (header === undefined) throw new Error('a table has a header')
  const names = cellsOf(header)
  const cells = rows.map((row) => cellsOf(row))
  const odd = cells.find((row) => row.length !== names.length)
  if (odd !== undefined) throw new Error(`the row "${odd.join(' ')}" has ${odd.length} cells, not ${names.length}`)
  return { header: names, rows: cells }
}

function readExpected(body: readonly string[]): Expected {
  const [first = ''] = body
  if (first === 'nothing') return { kind: 'nothing' }
  if (!first.startsWith('error ')) return { kind: 'table', table: readTable(body) }
  const [, status, code = '', ...rest] = cellsOf(first)
  const path = rest[0] === 'at' ? (rest[1] ?? null) : null
  const words = rest.filter((cell) => cell.startsWith('"')).map((cell) => String(JSON.parse(cell)))
  return { kind: 'error', status: Number(status), code, path, words }
}

/** Cells are separated by spaces; a cell in quotes or brackets may contain some. */
function cellsOf(line: string): string[] {
  return line.match(/(?:[^\s"[]|\[[^\]]*\]|"(?:[^"\\]|\\.)*")+/g) ?? []
}

const lists = new Set(['ids', 'prefixes', 'metric_name_field', 'fields', 'aggregates', 'quality'])
const numbers = new Set(['offset', 'points', 'wrap'])

/** `name=value`: JSON where the value looks like JSON, otherwise a string, or for a list the strings between commas. */
function readOption(option: string): [string, unknown] {
  const at = option.indexOf('=')
  if (at < 1) throw new Error(`"${option}" is no option: name=value`)
  const name = option.slice(0, at)
  const value = option.slice(at + 1)
  if (/^(["[{]|null$)/.test(value) || numbers.has(name)) return [name, JSON.parse(value)]
  return [name, lists.has(name) ? value.split(',') : value]
}

function readLimit(word: string): [string, number] {
  const [name = '', value] = word.split('=')
  return [name, Number(value)]
}

export function instantOf(text: string): number {
  const ms = parseInstant(text)
  if (ms === null) throw new Error(`"${text}" is no instant`)
  return ms
}
