// The supported parts of the `context` of Druid queries. Others are ignored, as Druid ignores unknown ones.
import { invalidRequest } from '../model/problem.ts'

export interface DruidContext {
  /** The id by which the query can be canceled; null when the caller set none. */
  readonly id: string | null
  /** In milliseconds; 0 when the caller set none. */
  readonly timeoutMs: number
  readonly sqlTimeZone: string | null
}

/** The id is returned in a header. */
const idForm = /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/

export function isQueryId(text: string): boolean {
  return idForm.test(text)
}

/** `names` are the properties that may contain the id; the first one present is used. Throws Problem `invalid_request`. */
export function readDruidContext(context: unknown, names: readonly string[]): DruidContext {
  if (context === undefined || context === null) return { id: null, timeoutMs: 0, sqlTimeZone: null }
  if (typeof context !== 'object' || Array.isArray(context)) throw invalidRequest('context', 'must be a JSON object')
  const value = (name: string): unknown => Reflect.get(context, name) ?? null
  const idName = names.find((name) => value(name) !== null)
  const id = idName === undefined ? null : textOrNumber(value(idName))
  if (idName !== undefined && (id === null || !isQueryId(id)))
    throw invalidRequest(`context.${idName}`, 'must be a string of 1 to 256 visible ASCII characters, or a number')
  const timeout = textOrNumber(value('timeout') ?? 0)?.trim() ?? ''
  const timeoutMs = timeout === '' ? Number.NaN : Number(timeout)
  if (!(timeoutMs >= 0)) throw invalidRequest('context.timeout', 'must be a number of milliseconds, not negative')
  const zone = value('sqlTimeZone')
  if (zone !== null && typeof zone !== 'string') throw invalidRequest('context.sqlTimeZone', 'must be a string')
  return { id, timeoutMs, sqlTimeZone: zone }
}

/** Null for anything else: converting an object to text may even fail. */
function textOrNumber(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}
