/** The response to a call by a plain HTTP client: tests of the whole service know nothing of its internals. */
export interface ApiAnswer<T> {
  readonly status: number
  readonly body: T
}

export async function call<T = unknown>(
  url: string,
  method: string,
  path: string,
  options: { readonly key?: string; readonly body?: unknown; readonly text?: string; readonly type?: string } = {},
): Promise<ApiAnswer<T>> {
  const payload = options.text ?? (options.body === undefined ? null : JSON.stringify(options.body))
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(payload === null ? {} : { 'content-type': options.type ?? 'application/json' }),
      ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
    },
    body: payload,
  })
  const text = await response.text()
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as T }
}

/** Like `call`, but throws unless the call succeeds. */
export async function callOk<T = unknown>(...request: Parameters<typeof call>): Promise<T> {
  const { status, body } = await call<T>(...request)
  if (status >= 300) throw new Error(`${request[1]} ${request[2]}: ${status} ${JSON.stringify(body)}`)
  return body
}

/** Creates an ingest, of series by default, and a subscriber that may push to it; resolves with the subscriber's key. */
export async function makeIngest(
  url: string,
  adminKey: string,
  ingest: {
    readonly alias: string
    readonly kind?: 'series' | 'metadata'
    readonly entity?: string
    readonly duplicates?: 'keep' | 'replace'
    readonly fields?: readonly object[]
    readonly unknown?: 'reject' | 'add'
    readonly lines?: { readonly tag: string }
  },
): Promise<string> {
  await callOk(url, 'POST', '/admin/ingests', { key: adminKey, body: { kind: 'series', ...ingest } })
  return makeSubscriber(url, adminKey, `pusher-of-${ingest.alias}`, [{ ingest: ingest.alias }], ['ingest'])
}

/** Creates a subscriber that may read these entities (`*`: all); resolves with its key. */
export async function makeReader(
  url: string,
  adminKey: string,
  entities: readonly string[],
  name = 'reader',
): Promise<string> {
  const subscriptions = entities.map((entity) => ({ entity }))
  return makeSubscriber(url, adminKey, name, subscriptions, ['consume'])
}

export async function makeSubscriber(
  url: string,
  key: string,
  name: string,
  subscriptions: readonly object[],
  rights: readonly string[],
): Promise<string> {
  await callOk(url, 'POST', '/admin/subscribers', { key, body: { name } })
  const path = `/admin/subscribers/${name}`
  await callOk(url, 'PUT', `${path}/subscriptions`, { key, body: subscriptions })
  return (await callOk<{ key: string }>(url, 'POST', `${path}/keys`, { key, body: { rights } })).key
}
