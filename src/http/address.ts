// Requests as addresses: the properties of a request body as query parameters. Their names, types and meaning come from the schema of the body, which also
// validates them (docs/guides/querying.md).
import type { onRequestHookHandler, preValidationHookHandler } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { readCommaList } from '../lib/comma-list.ts'
import { answerFormats } from '../model/answer-format.ts'
import { Problem } from '../model/problem.ts'
import { queryOf, queryParameters } from '../model/query-parameters.ts'
import { type PropertySchema, withoutNull } from '../query/requests.ts'

/** The query parameter that replaces the `Accept` header. */
export const formatParameter = {
  type: 'string',
  enum: answerFormats.map(({ name }) => name),
  description: 'The format of the answer, in place of the header `Accept`. Default: `json`.',
}

/** The type that a query string value is converted to. */
type Reading = 'list' | 'number' | 'flag' | 'text'

export interface Address {
  /** For the OpenAPI document, and for validating the result of `read`. */
  readonly querystring: TSchema
  /** Converts the query string to the same values as a body would have: lists to lists, numbers to numbers. */
  readonly read: preValidationHookHandler
}

/** The address for a body with these properties, with additional query parameters. */
export function addressOf(
  {
    properties,
    required = [],
  }: {
    readonly properties: TObject['properties']
    readonly required?: readonly string[]
  },
  others: Readonly<Record<string, PropertySchema>> = { format: formatParameter },
): Address {
  const parameters = { ...mapped(properties, withoutNull), ...others }
  const readings = new Map(Object.entries(mapped(parameters, readingOf)))
  return {
    querystring: { type: 'object', properties: parameters, required: [...required], additionalProperties: false },
    read: (request, _reply, done) => {
      try {
        request.query = valuesOf(queryOf(request.raw.url ?? ''), readings)
        done()
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  }
}

function mapped<From, To>(
  all: Readonly<Record<string, From>>,
  of: (one: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, of(one, name)]))
}

function valuesOf(query: string, readings: ReadonlyMap<string, Reading>): object {
  const values = new Map<string, unknown>()
  for (const { name, value } of queryParameters(query)) {
    const reading = readings.get(name)
    const before = values.get(name)
    if (reading === 'list') values.set(name, [...(Array.isArray(before) ? before : []), ...readCommaList(value)])
    // A repeated value becomes a list, which fails validation.
    else values.set(name, before === undefined ? textValue(value, reading) : [before, value].flat())
  }
  return Object.fromEntries(values)
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** A text that cannot be converted stays a text; validation then reports the expected type. */
function textValue(text: string, reading: Reading | undefined): unknown {
  if (reading === 'number' && jsonNumber.test(text)) return Number(text)
  if (reading === 'flag' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function readingOf(schema: PropertySchema, name: string): Reading {
  const types = [schema, ...(schema.anyOf ?? [])].flatMap(({ type }) => type ?? [])
  if (types.includes('array')) return 'list'
  if (types.includes('string')) return 'text'
  if (types.includes('integer') || types.includes('number')) return 'number'
  if (types.includes('boolean')) return 'flag'
  throw new Error(`no address can hold the property ${name}`)
}

/** Applies `format` instead of the header. An unknown format name is left to the validation of the parameters. */
export const takeFormat: onRequestHookHandler = (request, _reply, done) => {
  const format: unknown = Reflect.get(Object(request.query), 'format')
  const named = answerFormats.find(({ name }) => name === format)
  if (format !== undefined) request.raw.headers.accept = named?.mediaType ?? '*/*'
  done()
}

const keyNames =
  /^(?:x[-_]?)?(?:(?:tidemark|api|access|auth|subscription)[-_]?)?(?:key|token)$|^(?:auth|authorization|bearer|password|passwd|pwd|secret)$/i

/** Refuses a key in the address, before authentication, so that its sender learns at once how to send it instead. */
export const refuseKeys: onRequestHookHandler = (request, _reply, done) => {
  const name = Object.keys(request.query ?? {}).find((one) => keyNames.test(one))
  if (name === undefined) done()
  else done(keyProblem(name))
}

function keyProblem(path: string): Problem {
  const message =
    'is not accepted: addresses stay in histories and logs. Send the key as "Authorization: Bearer <key>", as "X-API-Key: <key>" or as the password of Basic authentication, with any user'
  const detail = `${path} ${message}. If it was a key, ask the operator for another.`
  return new Problem('invalid_request', detail, { errors: [{ path, message }] })
}
