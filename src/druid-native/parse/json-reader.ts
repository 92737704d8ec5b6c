// Reads the parts of a native query as Jackson does in Druid: scalars are converted to the expected type, unknown properties are ignored.
// Every error names its path.
import { invalidRequest, Problem } from '../../model/problem.ts'

/** The error for a Druid component that is not implemented: a 400 with its name and path. */
export function unsupported(path: string, component: string): Problem {
  const message = `${component} is not supported`
  return new Problem('unsupported_native_query', path === '' ? message : `${path}: ${message}`, {
    errors: [{ path, message }],
  })
}

/** Java's `Integer.MAX_VALUE`. */
export const integerMax = 2 ** 31 - 1

/** An unvalidated object of a query. */
export type Node = { readonly [name: string]: unknown }

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

export function memberOf(value: unknown, name: string): unknown {
  return isNode(value) ? value[name] : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function nodeOf(value: unknown): Node {
  return isNode(value) ? value : {}
}

export type Scalar = string | number | bigint | boolean

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'bigint', 'boolean'].includes(typeof value)

/** A JSON value and its path. */
export class Json {
  readonly value: unknown
  readonly path: string

  constructor(value: unknown, path: string) {
    this.value = value
    this.path = path
  }

  fail(message: string): never {
    throw invalidRequest(this.path, message)
  }

  get missing(): boolean {
    return this.value === undefined || this.value === null
  }

  get isObject(): boolean {
    return isNode(this.value)
  }

  /** A property; `missing` if the object lacks it. */
  at(name: string): Json {
    if (!isNode(this.value)) return this.fail(this.missing ? 'is required' : 'must be an object')
    const path = this.path === '' ? name : `${this.path}.${name}`
    return new Json(Object.hasOwn(this.value, name) ? this.value[name] : undefined, path)
  }

  entries(): readonly (readonly [string, Json])[] {
    if (!isNode(this.value)) return this.fail(this.missing ? 'is required' : 'must be an object')
    return Object.keys(this.value).map((name) => [name, this.at(name)] as const)
  }

  items(): readonly Json[] {
    if (!Array.isArray(this.value)) return this.fail(this.missing ? 'is required' : 'must be a list')
    return this.value.map((item: unknown, index) => new Json(item, `${this.path}[${index}]`))
  }

  itemsOrNone(): readonly Json[] {
    return this.missing ? [] : this.items()
  }

  text(): string {
    if (this.missing) return this.fail('is required')
    return this.textOrNull() ?? ''
  }

  /** A list of texts. */
  texts(): readonly string[] {
    return this.items().map((item) => item.text())
  }

  textsOrNulls(): readonly (string | null)[] {
    return this.items().map((item) => item.textOrNull())
  }

  textOrNull(): string | null {
    if (this.missing) return null
    return isScalar(this.value) ? String(this.value) : this.fail('must be a string')
  }

  whole(): number {
    const value = this.missing ? this.fail('is required') : Number(isScalar(this.value) ? this.value : Number.NaN)
    return this.value !== '' && Number.isSafeInteger(value) ? value : this.fail('must be a whole number')
  }

  wholeOr<Fallback extends number | null>(fallback: Fallback): number | Fallback {
    return this.missing ? fallback : this.whole()
  }

  /** A whole number above 0. */
  count(): number {
    const count = this.whole()
    return count > 0 ? count : this.fail('must be above 0')
  }

  countOr<Fallback extends number | null>(fallback: Fallback): number | Fallback {
    return this.missing ? fallback : this.count()
  }

  /** A whole number of at least 0; 0 if missing. */
  countOrZero(): number {
    const count = this.wholeOr(0)
    return count >= 0 ? count : this.fail('must not be below 0')
  }

  /** A whole number within inclusive bounds. */
  wholeWithin(least: number, most: number, fallback?: number): number {
    const value = fallback === undefined ? this.whole() : this.wholeOr(fallback)
    return value >= least && value <= most ? value : this.fail(`must be ${least} to ${most}`)
  }

  /** `what` describes an array or object here, which is unsupported. */
  scalarOrNull(what: string): Scalar | null {
    if (this.missing) return null
    if (isScalar(this.value)) return this.value
    throw unsupported(this.path, what)
  }

  number(): number {
    const value = this.missing ? this.fail('is required') : Number(isScalar(this.value) ? this.value : Number.NaN)
    return this.value !== '' && !Number.isNaN(value) ? value : this.fail('must be a number')
  }

  flag(fallback: boolean): boolean {
    if (this.missing) return fallback
    const text = isScalar(this.value) ? String(this.value).toLowerCase() : ''
    if (text === 'true' || text === '1') return true
    return text === 'false' || text === '0' ? false : this.fail('must be true or false')
  }

  /** One of the words, in any case. */
  oneOf<Word extends string>(words: readonly Word[]): Word {
    const text = this.text().toLowerCase()
    return words.find((word) => word.toLowerCase() === text) ?? this.fail(`must be one of ${words.join(', ')}`)
  }

  /** The `type` of a component. */
  type(): string {
    const type = this.at('type')
    return typeof type.value === 'string' ? type.value : type.fail(type.missing ? 'is required' : 'must be a string')
  }

  /** Rejects a `type` that is not implemented: unknown to Druid, or known but unsupported here. */
  refuseType(what: string, knownToDruid: readonly string[]): never {
    const type = this.type()
    if (knownToDruid.includes(type)) throw unsupported(this.path, `the ${what} "${type}"`)
    return this.at('type').fail(`"${type}" is not a known ${what}`)
  }
}
