// The operator's requests, through the whole server except its sockets.
import type { InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { testServer } from '../../test/support/http-server.ts'
import { admin, get, local, outcomeOn, post, pusher } from '../../test/support/injected-requests.ts'

const { app } = await testServer()
const outcome = (request: InjectOptions, server = app) => outcomeOn(server, request)

interface Schema {
  readonly type?: string
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minItems?: number
}

interface Operation {
  readonly responses: object
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>
  }
}

/** The smallest value that a schema accepts: only what it requires. */
function leastOf({ type, examples, enum: choices, properties, required = [], items, minItems = 0 }: Schema): unknown {
  if (choices !== undefined) return choices[0]
  if (type === 'array') return Array.from({ length: minItems }, () => leastOf(items!))
  if (type === 'string') return examples?.[0] ?? 'new'
  return Object.fromEntries(required.map((name) => [name, leastOf(properties![name]!)]))
}

describe('admin endpoints', () => {
  const alias = { alias: 'new', kind: 'series' }
  const remove = (url: string): InjectOptions => ({ method: 'DELETE', url, headers: admin })
  test.each<[InjectOptions, number, string | null]>([
    [get('/admin/ingests'), 403, 'forbidden'],
    [get('/admin/ingests', pusher), 403, 'forbidden'],
    [get('/admin/ingests', admin), 200, null],
    [get('/admin/ingests?limit=10', admin), 200, null],
    [get('/admin/ingests?limt=10', admin), 400, 'invalid_request'],
    [get('/admin/ingests', { ...admin, accept: 'text/csv' }), 406, 'not_acceptable'],
    [get('/admin/ingests/plant', admin), 200, null],
    [post('/admin/ingests', alias), 403, 'forbidden'],
    [post('/admin/ingests', alias, admin), 201, null],
    [post('/admin/ingests', { ...alias, alias: 'plant' }, admin), 409, 'conflict'],
    [post('/admin/ingests', { ...alias, kind: 'other' }, admin), 400, 'invalid_request'],
    [post('/admin/ingests', { ...alias, fields: [{ name: 'a' }] }, admin), 400, 'invalid_request'],
    [post('/admin/ingests', { alias: 'x'.repeat(1024 * 1024), kind: 'series' }, admin), 400, 'body_too_large'],
    [{ ...post('/admin/ingests/plant', { state: 'blocked' }, admin), method: 'PATCH' }, 200, null],
    [get('/admin/ingests/plant/rejected?code=wrong_type&batch=b1', admin), 200, null],
    [get('/admin/ingests/plant/rejected?code=wrong', admin), 400, 'invalid_request'],
    [post('/admin/subscribers', { name: 'meter' }, admin), 201, null],
    [get('/admin/subscribers', admin), 200, null],
    [remove('/admin/subscribers/meter'), 204, null],
    [post('/admin/subscribers/meter/keys', { rights: ['ingest'] }, admin), 201, null],
    [post('/admin/subscribers/meter/keys', { rights: [] }, admin), 400, 'invalid_request'],
    [remove('/admin/keys/k1'), 204, null],
    [remove('/admin/keys/k2'), 404, 'not_found'],
    [post('/admin/backups', undefined, admin), 201, null],
    [post('/admin/backups', '', admin), 201, null],
    [post('/admin/backups', {}, admin), 201, null],
    [post('/admin/backups', { path: '/elsewhere' }, admin), 400, 'invalid_request'],
    [post('/admin/backups', { __proto__: 1, '': 1 }, admin), 400, 'invalid_request'],
    [post('/admin/backups', '[]', admin), 400, 'invalid_request'],
    [post('/admin/backups', '{', admin), 400, 'invalid_json'],
    [post('/admin/backups?path=/elsewhere', undefined, admin), 400, 'invalid_request'],
    [{ ...remove('/admin/ingests/plant'), payload: { data: 'drop' } }, 400, 'invalid_request'],
    [{ ...remove('/admin/keys/k1'), payload: { id: 'k2' } }, 400, 'invalid_request'],
    [{ ...post('/admin/subscribers/meter/subscriptions', [{ ingest: '*' }], admin), method: 'PUT' }, 200, null],
    [get('/admin/subscribers/meter/subscriptions', admin), 200, null],
    [get('/admin/entities', admin), 200, null],
  ])('%j is answered with %i %s', async (request, status, code) => {
    expect(await outcome(request)).toMatchObject({ status, code })
  })

  /** Monitoring systems may add parameters to these. */
  const open = ['/', '/healthz', '/readyz', '/metrics']
  // Like Druid and InfluxDB, these ignore unknown parameters.
  const druids = /^\/(druid|status|api\/v2\/write|write|query|ping|health)(\/|$)/
  test('no endpoint accepts a query parameter that it does not declare', async () => {
    await app.ready()
    const { paths } = JSON.parse((await app.inject({ url: '/openapi.json' })).body)
    const asked = Object.entries<Record<string, Operation>>(paths).filter(
      ([path]) => !open.includes(path) && !druids.test(path),
    )
    expect(asked.length).toBeGreaterThan(25)
    for (const [path, methods] of asked) {
      for (const [name, { responses, requestBody, parameters = [] }] of Object.entries(methods)) {
        const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
        const known = required.map((parameter) => `&${parameter.name}=a`).join('')
        const url = `${path.replace(/\{[^}]*\}/g, 'plant')}?surprise=1${known}`
        for (const method of name === 'get' ? ['GET', 'HEAD'] : [name.toUpperCase()]) {
          const headers = path.startsWith('/ingest') ? pusher : admin
          // An accepted body, so that the parameter is at fault.
          const schema = requestBody?.content['application/json']?.schema
          const payload = schema === undefined ? {} : { payload: JSON.stringify(leastOf(schema)) }
          const response = await app.inject({
            method: method as 'GET',
            url,
            headers: { ...local, ...headers },
            ...payload,
          })
          // The list of a table accepts the table's own fields as parameters.
          const takesAny = path === '/consumer/metadata/{table}' && name === 'get'
          expect([method, url, response.statusCode]).toEqual([method, url, takesAny ? 200 : 400])
          if (method !== 'HEAD' && !takesAny) expect(response.body).toContain('surprise is not a query parameter')
        }
        expect(Object.keys(responses), path).toContain('400')
      }
    }
  })

  test('the OpenAPI document states which bodies are optional', async () => {
    const { paths } = JSON.parse((await app.inject({ url: '/openapi.json' })).body)
    const left: string[] = []
    for (const [path, methods] of Object.entries<Record<string, Operation>>(paths)) {
      for (const [name, { requestBody }] of Object.entries(methods)) {
        if (requestBody?.content['application/json'] === undefined) continue
        const method = name.toUpperCase() as 'POST'
        const headers = { ...local, ...(/^.(admin|consumer.views)/.test(path) ? admin : pusher) }
        const { body } = await app.inject({ method, url: path.replace(/\{[^}]*\}/g, 'plant'), headers })
        expect([method, path, body.includes('The body is empty')]).toEqual([method, path, requestBody.required])
        if (!requestBody.required) left.push(`${method} ${path}`)
      }
    }
    expect(left).toEqual([
      'DELETE /ingests/{ingest}/rejected',
      'DELETE /admin/ingests/{alias}/rejected',
      'POST /admin/ingests/{alias}/rejected/replay',
      'POST /admin/ingests/{alias}/rejected/replay/preview',
    ])
  })

  test('every object of a request declares its properties in the OpenAPI document', async () => {
    const { paths } = JSON.parse((await app.inject({ url: '/openapi.json' })).body)
    const free: string[] = []
    const look = (path: string, schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return
      if (Reflect.get(schema, 'type') === 'object' && Reflect.get(schema, 'additionalProperties') !== false)
        free.push(path)
      for (const [key, value] of Object.entries(schema)) if (key !== 'examples') look(`${path}.${key}`, value)
    }
    for (const [path, methods] of Object.entries<Record<string, { requestBody?: unknown }>>(paths)) {
      for (const { requestBody } of Object.values(methods)) look(path, requestBody)
    }
    // The ingest validates rows, the type a native query. A mapping of rejected rows names their properties, and the settings of how an entity
    // is read name its metrics. Messages of other protocols are defined there.
    const isOpen =
      /^\/ingests?\/|query_data|\/rejected\/replay.*\.(rename|set|set_missing|convert)$|\.(shapes|max_gaps)\.anyOf\.0$/
    expect(free.filter((path) => !isOpen.test(path) && !/^\/(druid\/|(mcp|i3x)\b)/.test(path))).toEqual([])
  })

  test('an error within a list is reported with its path', async () => {
    const fields = [
      { name: 'a', type: 'double', role: 'metric' },
      { name: 'b', type: 'float', role: 'metric' },
    ]
    const { response } = await outcome(post('/admin/ingests', { ...alias, fields }, admin))
    expect(response.json()).toMatchObject({
      errors: [{ path: 'fields[1].type', message: 'must be timestamp or string or double or long or boolean or json' }],
    })
  })
})
