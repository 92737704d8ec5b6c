// Parts of the OpenAPI document that endpoints share.

import { isDeepStrictEqual } from 'node:util'
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import Type, { type TSchema } from 'typebox'
import { packageVersion } from '../lib/own-package.ts'
import { answerFormats } from '../model/answer-format.ts'
import { type ProblemCode, problems } from '../model/problem.ts'
import { RowsResponse } from '../query/responses.ts'

const codes = Object.keys(problems)

export const ProblemSchema = Type.Object(
  {
    type: Type.String({ examples: ['about:blank'] }),
    title: Type.String({ description: 'The title of the code.' }),
    status: Type.Integer(),
    detail: Type.String({ description: 'The details of this error, and what to do.' }),
    code: Type.String({ enum: codes, description: 'The stable name of the error, for programs.' }),
    retryable: Type.Boolean({ description: 'Whether the same request may succeed later.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: "The property's name, as `ids[0]`; empty for the whole body." }),
          message: Type.String(),
        }),
      ),
    ),
  },
  { $id: 'Problem', description: 'An error (RFC 9457).' },
)

/** The responses of an endpoint: the successful one, and its possible problems. */
export function answers(
  status: 200 | 201 | 204,
  description: string,
  schema: TSchema | null,
  problemCodes: readonly ProblemCode[],
): Record<number, object> {
  const good =
    schema === null ? { description, type: 'null' } : { description, content: { 'application/json': { schema } } }
  const all: Record<number, object> = { [status]: good }
  for (const code of problemCodes) {
    const { status: failed } = problems[code]
    const same = problemCodes.filter((other) => problems[other].status === failed)
    all[failed] = {
      description: same.map((other) => `\`${other}\`: ${problems[other].title}.`).join(' '),
      content: { 'application/problem+json': { schema: Type.Ref('Problem#') } },
    }
  }
  return all
}

/** For responses that more than one part can produce. */
export const answeredByHeader = {
  'Tidemark-Answered-By': {
    schema: { type: 'string', enum: ['store', 'sql-engine'] },
    description: 'The part that made the answer, on one machine.',
  },
}

/** Like `answers`, for rows in any of the formats. */
export function rowsAnswers(description: string, problemCodes: readonly ProblemCode[]): Record<number, object> {
  const content = Object.fromEntries(
    answerFormats.map(({ name, mediaType, description: about }) => [
      mediaType,
      { schema: name === 'json' ? RowsResponse : Type.String({ description: about }) },
    ]),
  )
  return { ...answers(200, description, RowsResponse, problemCodes), 200: { description, content } }
}

export type Security = readonly Readonly<Record<string, string[]>>[]
export const keySecurity: Security = [{ bearer: [] }, { apiKey: [] }]
/** For public paths that also accept Basic authentication. */
export const optionalBasicSecurity: Security = [{}, ...keySecurity, { basic: [] }]
/** For the paths of InfluxDB, whose clients have more ways to send a key. */
export const lineSecurity: Security = [...keySecurity, { basic: [] }, { token: [] }]
/** Consumption is public if `access.consumption` is set so. */
export const optionalKeySecurity: Security = [{}, ...keySecurity]

/** Added to the schema of an endpoint with an optional body. The document marks every other body as required. */
export const bodyMayBeLeftOut = { 'x-body-may-be-left-out': true } as const

interface DocumentedOperation {
  requestBody?: { required?: boolean }
  'x-body-may-be-left-out'?: boolean
}

/** Marks these bodies as optional in OpenAPI, because @fastify/swagger marks every body as required. */
function withOptionalBodies(paths: Readonly<Record<string, object | undefined>>): void {
  const operations: DocumentedOperation[] = Object.values(paths).flatMap((path) => Object.values(path ?? {}))
  for (const operation of operations) {
    if (operation['x-body-may-be-left-out'] !== true) continue
    delete operation['x-body-may-be-left-out']
    if (operation.requestBody !== undefined) operation.requestBody.required = false
  }
}

export function documentOptions(basePath: string): FastifyDynamicSwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tidemark',
        version: packageVersion,
        description:
          'A time-series data service: push rows, keep every acknowledged one, query averages, latest values, ranges and snapshots.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: basePath === '' ? '/' : basePath }],
      tags: [
        { name: 'consumption', description: 'Queries over entities.' },
        { name: 'druid', description: 'The paths of Apache Druid, for its tools.' },
        { name: 'i3x', description: 'i3X 1.0, the open interface of factories.' },
        { name: 'ingestion', description: 'Pushes of rows, and their outcome.' },
        { name: 'line protocol', description: 'The paths of InfluxDB, for its writers.' },
        { name: 'access', description: "The caller's own subscription." },
        { name: 'admin', description: 'Requests of the operator.' },
        { name: 'service', description: 'The state of the service.' },
      ],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'A key of a subscriber.' },
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'X-API-Key',
            description: 'The same key, in its own header.',
          },
          basic: {
            type: 'http',
            scheme: 'basic',
            description: 'The same key as the password, with any user name: for tools without other headers.',
          },
          token: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'The same key, as `Token <key>`: for clients of InfluxDB.',
          },
        },
      },
    },
    transformObject: (made) => {
      if (!('openapiObject' in made)) throw new Error('the document is one of OpenAPI 3')
      const { paths, components, ...others } = made.openapiObject
      withOptionalBodies(paths ?? {})
      const schemas: Record<string, unknown> = { ...components?.schemas }
      // The same document except for the references.
      return { ...others, paths: referTitled(paths, schemas), components: { ...components, schemas } } as object
    },
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) => String(schema['$id'] ?? `schema-${index}`),
    },
  }
}

/** Keywords whose values are data, not schemas. */
const plain = new Set(['examples', 'enum', 'const', 'default'])

/**
 * Replaces schemas that have a title by references, and adds each of them once to `schemas` under its title. Throws an Error when two different schemas have
 * the same title.
 */
export function referTitled(value: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((one) => referTitled(one, schemas))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, one]) => [name, plain.has(name) ? one : referTitled(one, schemas)])
  const { title, ...schema } = Object.fromEntries(members)
  if (typeof title !== 'string') return title === undefined ? schema : { ...schema, title }
  schemas[title] ??= schema
  if (!isDeepStrictEqual(schemas[title], schema)) throw new Error(`two schemas have the title ${title}`)
  return { $ref: `#/components/schemas/${title}` }
}
