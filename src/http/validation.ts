// Validates requests by their schemas, and describes faults in plain English.
import type { FastifySchemaCompiler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Problem, type ProblemError } from '../model/problem.ts'

/** One fault, as reported by the schema compiler. */
interface SchemaFault {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

/** The compiler with which Fastify builds the validators of routes. */
export const schemaCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) =>
  checkOf(schema, httpPart === 'querystring')

/** Validators by the text of their schema. Many routes, and all servers of a process, share schemas; compiling one takes about a millisecond. */
const compiled = new Map<string, unknown>()

function validatorOf<Schema extends TSchema>(schema: Schema) {
  const text = JSON.stringify(schema)
  const validator = (compiled.get(text) as ReturnType<typeof Compile<Schema>> | undefined) ?? Compile(schema)
  compiled.set(text, validator)
  return validator
}

/** Returns a function that validates values by a schema. Values are never changed: nothing is coerced, filled in or removed. */
export function checkOf<Schema extends TSchema>(
  schema: Schema,
  isQuery = false,
): (data: unknown) => { readonly value: Static<Schema> } | { readonly error: Problem } {
  const validator = validatorOf(schema)
  const names = namesIn(schema)
  return (data) => {
    if (validator.Check(data)) return { value: data }
    const repeated = isQuery ? repeatedIn(data, schema) : []
    if (repeated.length > 0) return { error: invalid(repeated) }
    const tooLong = tooLongIn(data, schema)
    if (tooLong.length > 0) return { error: invalid(tooLong) }
    const thin = thinned(data, names)
    if (thin !== data && !validator.Check(thin))
      return { error: invalid(explain(validator.Errors(thin), schema, isQuery)) }
    // Finding faults is slow, item by item, while validating is fast. Of long lists, only one part with a fault is searched.
    const faulty = faultyPartOf(data, (part) => validator.Check(part))
    const faults = validator
      .Errors(faulty.data)
      .map((fault) => ({ ...fault, instancePath: inWhole(fault.instancePath, faulty) }))
    return { error: invalid(explain(faults, schema, isQuery)) }
  }
}

/** Query parameters that are repeated although they are not lists. */
function repeatedIn(data: unknown, schema: unknown): readonly ProblemError[] {
  if (typeof data !== 'object' || data === null) return []
  return Object.entries(data).flatMap(([path, value]) => {
    if (!Array.isArray(value) || isList(at(schema, ['properties', path]))) return []
    const times = value.length === 2 ? 'twice' : `${value.length} times`
    return [{ path, message: `is given ${times}: give it once` }]
  })
}

/** Whether a schema accepts a list, itself or as one of several choices. */
function isList(schema: unknown): boolean {
  const choices = at(schema, ['anyOf'])
  return [schema, ...(Array.isArray(choices) ? choices : [])].some((choice) => at(choice, ['type']) === 'array')
}

/** Lists with more items than the schema allows; their items are not checked. */
function tooLongIn(data: unknown, schema: unknown): readonly ProblemError[] {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return []
  const properties = at(schema, ['properties'])
  if (typeof properties !== 'object' || properties === null) return []
  return Object.entries(properties).flatMap(([path, part]) => {
    const value: unknown = Reflect.get(data, path)
    const bound = itemsBound(part)
    if (!Array.isArray(value) || value.length <= Math.max(bound, itemsMax)) return []
    return [{ path, message: `must have at most ${bound} items` }]
  })
}

/** The most list items that a schema allows, itself or in one of several choices. */
function itemsBound(schema: unknown): number {
  const choices = at(schema, ['anyOf'])
  const bounds = [schema, ...(Array.isArray(choices) ? choices : [])].map((choice) => at(choice, ['maxItems']))
  return bounds.find((bound) => typeof bound === 'number') ?? Number.POSITIVE_INFINITY
}

/** The most properties per object that are checked although no schema names them. The rest are valid or invalid just like these. */
const strangersMax = 100
/** Deeper than any schema reaches. */
const depthMax = 8

/** The data with at most `strangersMax` properties per object that the schema does not name; the same object if there are not more. */
function thinned(data: unknown, names: ReadonlySet<string>, depth = 0): unknown {
  if (typeof data !== 'object' || data === null || depth > depthMax) return data
  if (Array.isArray(data)) {
    const items = data.map((item) => thinned(item, names, depth + 1))
    return items.every((item, index) => item === data[index]) ? data : items
  }
  // Listed once, because listing takes most of the time if there are very many.
  const all = Object.keys(data)
  const kept = keptOf(data, all, names)
  const entries = kept.map((name): [string, unknown] => [name, thinned(Reflect.get(data, name), names, depth + 1)])
  const isSame = kept === all && entries.every(([name, value]) => value === Reflect.get(data, name))
  return isSame ? data : Object.fromEntries(entries)
}

/** The properties that the schema names, and the first of the others. */
function keptOf(data: object, all: readonly string[], names: ReadonlySet<string>): readonly string[] {
  if (all.length <= names.size + strangersMax) return all
  const kept = [...names].filter((name) => Object.hasOwn(data, name))
  const end = kept.length + strangersMax
  for (const name of all) {
    if (kept.length === end) break
    if (!names.has(name)) kept.push(name)
  }
  return kept
}

/** All property names in a schema, from any part of it. */
function namesIn(schema: unknown, names: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof schema !== 'object' || schema === null) return names
  const properties: unknown = Reflect.get(schema, 'properties')
  if (typeof properties === 'object' && properties !== null) for (const name of Object.keys(properties)) names.add(name)
  for (const part of Object.values(schema)) namesIn(part, names)
  return names
}

/** The most list items searched for faults at once: a few milliseconds' work. */
const itemsMax = 500

interface Part {
  readonly data: unknown
  /** The list that was cut to the items from `from` on; other long lists are cut to their first items. */
  readonly list: string
  readonly from: number
}

/** The first part with a fault; all of the data if no list is long, or if no part shows the fault. */
function faultyPartOf(data: unknown, isValid: (part: unknown) => boolean): Part {
  for (const part of partsOf(data)) if (!isValid(part.data)) return part
  return { data, list: '', from: 0 }
}

/** The parts of the data to search one after the other; none if no list is long. */
function* partsOf(data: unknown): Generator<Part> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return
  const long = Object.entries(data).filter((entry): entry is [string, unknown[]] => isLong(entry[1]))
  if (long.length === 0) return
  const beginnings = { ...data, ...Object.fromEntries(long.map(([list, items]) => [list, items.slice(0, itemsMax)])) }
  yield { data: beginnings, list: '', from: 0 }
  for (const [list, items] of long) {
    for (let from = itemsMax; from < items.length; from += itemsMax)
      yield { data: { ...beginnings, [list]: items.slice(from, from + itemsMax) }, list, from }
  }
}

const isLong = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > itemsMax

/** Converts the path of a fault in a part, such as `/ids/7`, to its path in all of the data. */
function inWhole(instancePath: string, { list, from }: Part): string {
  const [, name, index, ...rest] = instancePath.split('/')
  if (from === 0 || index === undefined || name !== list.replaceAll('~', '~0').replaceAll('/', '~1'))
    return instancePath
  return ['', name, Number(index) + from, ...rest].join('/')
}

function invalid(errors: readonly ProblemError[]): Problem {
  const first = errors[0]
  const subject = first === undefined || first.path === '' ? 'The body' : first.path
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : ''
  return new Problem('invalid_request', `${subject} ${first?.message ?? 'is not valid'}${more}.`, { errors })
}

/** The faults that a caller can act on, one per path. */
function explain(faults: readonly SchemaFault[], schema: unknown, isQuery = false): readonly ProblemError[] {
  const errors = new Map<string, string>()
  const choices = new Map<string, string[]>()
  const types = new Map<string, string>()
  const add = (path: string, message: string): void => {
    if (!errors.has(path)) errors.set(path, message)
  }
  for (const fault of faults) {
    const path = pathOf(fault.instancePath)
    switch (fault.keyword) {
      case 'required':
        for (const name of textsOf(fault.params, 'requiredProperties'))
          add(path === '' ? name : `${path}.${name}`, `is required${choicesFor(schema, fault.schemaPath, name)}`)
        break
      case 'boolean':
        add(path, unknownProperty(schema, fault.schemaPath, isQuery))
        break
      case 'const':
      case 'enum':
        choices.set(path, [...(choices.get(path) ?? []), ...textsOf(fault.params, 'allowedValue', 'allowedValues')])
        break
      case 'type':
        // One of several choices; the others are reported.
        if (String(Reflect.get(fault.params, 'type')) === 'null' && faults.length > 1) break
        add(path, messageOf(fault))
        types.set(path, `${typesOf(fault)}${withRequired(schema, fault.schemaPath)}`)
        break
      // Faults of the parts are reported separately.
      case 'additionalProperties':
      case 'anyOf':
        break
      default:
        add(path, messageOf(fault))
    }
  }
  addChoices(errors, choices, types)
  if (errors.size === 0) add(pathOf(faults[0]?.instancePath ?? ''), 'is not valid')
  return [...errors].map(([path, message]) => ({ path, message }))
}

/** Adds, by path, the words that a value may be, and its other possible types. */
function addChoices(
  errors: Map<string, string>,
  words: ReadonlyMap<string, readonly string[]>,
  types: ReadonlyMap<string, string>,
): void {
  for (const [path, allowed] of words) {
    const type = types.get(path)
    const message = `must be ${[...allowed, ...(type === undefined ? [] : [type])].join(' or ')}`
    if (type !== undefined || !errors.has(path)) errors.set(path, message)
  }
  // A fault inside a value is reported for the choice it belongs to; that the value is not one of the other choices adds nothing.
  const paths = [...errors.keys()]
  for (const path of [...words.keys(), ...types.keys()])
    if (paths.some((other) => other.startsWith(`${path}.`) || other.startsWith(`${path}[`))) errors.delete(path)
}

/** The possible values of a missing property, if it is one of a few words: `: series or metadata`. */
function choicesFor(schema: unknown, schemaPath: string, name: string): string {
  const words = at(schema, [...schemaPath.split('/').slice(1), 'properties', name, 'enum'])
  return Array.isArray(words) ? `: ${words.join(' or ')}` : ''
}

/** The required properties of an object in the schema at a path: ` with kind`. */
function withRequired(schema: unknown, schemaPath: string): string {
  const required = at(schema, [...schemaPath.split('/').slice(1), 'required'])
  return Array.isArray(required) && required.length > 0 ? ` with ${required.join(', ')}` : ''
}

/** Converts `/fields/0/name` to `fields[0].name`. */
function pathOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~').slice(0, 128))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '')
}

function unknownProperty(schema: unknown, schemaPath: string, isQuery: boolean): string {
  const owner = at(schema, schemaPath.split('/').slice(1, -1))
  const properties = at(owner, ['properties'])
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
  const kind = isQuery ? 'query parameter' : 'property'
  if (names.length === 0) return `is not a ${kind} of this request, which has none`
  return `is not a ${kind} of this request; allowed: ${names.join(', ')}`
}

function at(value: unknown, path: readonly string[]): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = Reflect.get(found, key)
  }
  return found
}

const typeNames: ReadonlyMap<string, string> = new Map<string, string>([
  ['string', 'a string'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a JSON object'],
  ['null', 'null'],
])

function typesOf({ params }: Pick<SchemaFault, 'params'>): string {
  const types = textsOf(params, 'type').filter((type) => type !== 'null')
  return types.map((type) => typeNames.get(type) ?? type).join(' or ')
}

function messageOf({ keyword, params, message }: SchemaFault): string {
  const limit: unknown = Reflect.get(params, 'limit')
  switch (keyword) {
    case 'type':
      return `must be ${typesOf({ params })}`
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'minLength':
      return `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'minItems':
      return `must have at least ${limit} items`
    case 'maxItems':
      return `must have at most ${limit} items`
    case 'minProperties':
      return `must have at least ${limit} properties`
    case 'pattern':
      return `must match ${String(Reflect.get(params, 'pattern'))}`
    case 'uniqueItems':
      return 'must not hold the same value twice'
    default:
      return message
  }
}

/** The texts at the first of these keys that is present, a single value or a list. */
function textsOf(params: object, ...keys: readonly string[]): readonly string[] {
  for (const key of keys) {
    const value: unknown = Reflect.get(params, key)
    if (value !== undefined) return (Array.isArray(value) ? value : [value]).map(String)
  }
  return []
}
