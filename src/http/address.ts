// A request as an address: the properties of its body as query parameters. What they are called, hold and mean is the schema of the body,
// which checks them too (docs/guides/querying.md).
import type { onRequestHookHandler, preValidationHookHandler } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { readCommaList } from '../lib/comma-list.ts'
import { answerFormats } from '../model/answer-format.ts'
import { Problem } from '../model/problem.ts'
import { queryOf, queryParameters } from '../model/query-parameters.ts'
import { type PropertySchema, withoutNull } from '../query/requests.ts'

/** The query parameter that stands in place of `Accept`. */
export const formatParameter = {
  type: 'string',
  enum: answerFormats.map(({ name }) => name),
  description: 'The format of the answer, in place of the header `Accept`. Default: `json`.',
}

/** What a text of a query string is made into. */
type Reading = 'list' | 'number' | 'flag' | 'text'

export interface Address {
  /** For the OpenAPI document, and for the check of what `read` makes. */
  readonly querystring: TSchema
  /** Makes the query string the request's query, as the body would be: lists as lists, numbers as numbers. */
  readonly read: preValidationHookHandler
}

/** The address of what a body asks, with other parameters besides. */
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
    // What is given twice becomes a list, which its check refuses.
    else values.set(name, before === undefined ? textValue(value, reading) : [before, value].flat())
  }
  return Object.fromEntries(values)
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** What is no such value stays a text: the check says what it should be. */
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

/** Has `format` stand in place of the header. What is no format's name is left to the check of the parameters. */
export const takeFormat: onRequestHookHandler = (request, _reply, done) => {
  const format: unknown = Reflect.get(Object(request.query), 'format')
  const named = answerFormats.find(({ name }) => name === format)
  if (format !== undefined) request.raw.headers.accept = named?.mediaType ?? '*/*'
  done()
}

const keyNames =
  /^(?:x[-_]?)?(?:(?:tidemark|api|access|auth|subscription)[-_]?)?(?:key|token)$|^(?:auth|authorization|bearer|password|passwd|pwd|secret)$/i

/** Refuses a key in the address, before anybody is asked for one: whoever writes it there is to learn at once how else to send it. */
export const refuseKeys: onRequestHookHandler = (request, _reply, done) => {
  const name = Object.keys(request.query ?? {}).find((one) => keyNames.test(one))
  if (name === undefined) done()
  else done(keyProblem(name))
}

function keyProblem(path: string): Problem {
  const message =
    'is not taken: addresses stay in histories and logs. Send the key as "Authorization: Bearer <key>", as "X-API-Key: <key>" or as the password of Basic authentication, with any user'
  const detail = `${path} ${message}. If it was a key, ask the operator for another.`
  return new Problem('invalid_request', detail, { errors: [{ path, message }] })
}
