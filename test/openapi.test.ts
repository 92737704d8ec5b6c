// The API as one document, stored next to its test so that changes appear in review. `UPDATE_OPENAPI=1` rewrites it (then `npm run fix`).
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { packageVersion } from '../src/lib/own-package.ts'
import { testServer } from './support/http-server.ts'

const golden = new URL('./openapi.json', import.meta.url)
const { app } = await testServer()
await app.ready()
const document: OpenApi = JSON.parse((await app.inject({ url: '/openapi.json' })).body)

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: object }>>
}

interface OpenApi {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: object; readonly securitySchemes: object }
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

test('the document equals the reviewed test/openapi.json', () => {
  if (process.env['UPDATE_OPENAPI'] === '1') writeFileSync(golden, `${JSON.stringify(document, null, 2)}\n`)
  expect(document).toEqual(JSON.parse(readFileSync(golden, 'utf8')))
})

test('the document is OpenAPI 3.1, with the version of the response header', async () => {
  expect(document.openapi).toMatch(/^3\.1\.\d$/)
  expect(document.info).toMatchObject({ title: 'Tidemark', version: packageVersion })
  expect((await app.inject({ url: '/healthz' })).headers['tidemark-version']).toBe(packageVersion)
})

test('each operation has a unique name, a summary, a known tag and described responses', () => {
  const names = operations.map(({ operation }) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
  const tags = document.tags.map(({ name }) => name)
  for (const { path, operation } of operations) {
    expect(operation.summary, path).toMatch(/\.$/)
    expect(tags).toEqual(expect.arrayContaining([...operation.tags]))
    expect(operation.tags).toHaveLength(1)
    const responses = Object.entries(operation.responses)
    expect(responses.some(([status]) => status.startsWith('2'))).toBe(true)
    for (const [, response] of responses) expect(response.description).not.toBe('')
  }
})

/** APIs whose error bodies have the format that their clients expect. */
const ofOthers = ['druid', 'line protocol', 'i3x']

test.each([
  [true, 'in the body of Druid, InfluxDB or i3X on the paths of these', 'application/json'],
  [false, 'a problem on all others', 'application/problem+json'],
])('every error response is documented (%s: %s)', (isOthers, _how, mediaType) => {
  const types = operations
    .filter(({ operation }) => operation.tags.some((tag) => ofOthers.includes(tag)) === isOthers)
    .flatMap(({ operation }) =>
      Object.entries(operation.responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([, response]) => Object.keys(response.content ?? {}).join()),
    )
  // JDBC drivers read errors in their own format.
  const reported = types.filter((type) => type !== 'application/x-google-protobuf')
  expect(new Set(reported)).toEqual(new Set([mediaType]))
})

test('every reference resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1]!)
  expect(references.length).toBeGreaterThan(0)
  for (const reference of new Set(references)) {
    const target = reference.split('/').reduce<unknown>((value, key) => Reflect.get(Object(value), key), document)
    expect(target, reference).toBeDefined()
  }
})
